package bunstore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// storeOneOfEach stores one record of each kind, and a discussion of the event.
func storeOneOfEach(t *testing.T, s *bunstore.Store) {
	t.Helper()
	ctx, author := t.Context(), openWithCategories(t, s)
	c := publication.Content{Title: "One", Author: author, Category: 1, Published: true, Created: noon, Updated: noon}
	d := demand.Demand{
		ID: 1, Author: author, Category: 1, Place: &geo.Point{Lat: 30, Lng: 120}, Published: true,
		Closed: noon, Start: noon, End: noon, Created: noon, Updated: noon,
	}
	require.NoError(t, imports(ctx, s, publication.Publication{ID: 1, Content: c}, publication.Node{ID: 1, Content: c}, d))
	id := diaryEntry(t, s, author)
	other, err := s.Accounts().Open(ctx, access.Account{}, user.Member{Timezone: "UTC", Joined: noon})
	require.NoError(t, err)
	comment, err := event.NewComment(id, other, "Well said", noon)
	require.NoError(t, err)
	_, _, err = s.Events().AddComment(ctx, comment)
	require.NoError(t, err)
	require.NoError(t, s.Events().Like(ctx, event.Like{Event: id, By: other, IsLiked: true, At: noon}))
	follow, err := subscription.ToUser(other, author, noon)
	require.NoError(t, err)
	_, _, err = s.Subscriptions().Follow(ctx, follow)
	require.NoError(t, err)
	_, err = s.Images().Add(ctx, userimage.New(author, "public/a", 1, 1, 7, userimage.Tags{}, noon))
	require.NoError(t, err)
}

func TestAUT03_Check_names_accounts_of_one_telephone(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s := open(t, at)
		member(t, s)
		for i, name := range []string{"+86-13900000001", "+8-613900000001", "+861-3900000001"} {
			phone, err := user.ParsePhone(fmt.Sprint("+86-1370000000", i))
			require.NoError(t, err)
			id, err := s.Accounts().Open(t.Context(), access.Account{Phone: phone}, user.Member{Timezone: "UTC", Joined: noon})
			require.NoError(t, err)
			_, err = rawSQL(t, at).ExecContext(t.Context(), fmt.Sprintf("UPDATE users SET phone = '%s' WHERE id = %d", name, id))
			require.NoError(t, err)
		}
		assert.Equal(t, []bunstore.Finding{{What: "the accounts 2, 3, 4 have login names of one telephone"}}, checked(t, s, true))
	})
}

func diaryEntry(t *testing.T, s *bunstore.Store, author user.ID) event.ID {
	t.Helper()
	e, err := event.New(author, event.Change{Title: new("An event"), Publish: new(true)}, calendar.DateOf(noon), noon)
	require.NoError(t, err)
	e, err = s.Events().Add(t.Context(), e)
	require.NoError(t, err)
	return e.ID()
}

func TestMOD02_Check_ends_what_a_block_should_have_ended(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := open(t, at), rawSQL(t, at)
		storeOneOfEach(t, s) // the second has commented on, liked and followed the first
		insert := "INSERT INTO blocks (user_id, other_id, is_by_user, created) SELECT 1, 2, %[1]s, created FROM events UNION ALL SELECT 2, 1, " +
			"FALSE, created FROM events"
		for _, c := range []struct {
			isByFirst       string
			found, repaired int
		}{
			{"TRUE", 4, 3},  // with the subscription goes its notification
			{"FALSE", 2, 1}, // with a row goes the other one
		} {
			_, err := db.Exec(fmt.Sprintf(insert, c.isByFirst))
			require.NoError(t, err)
			assert.Len(t, checked(t, s, false), c.found)
			require.Len(t, checked(t, s, true), c.repaired)
			require.Empty(t, checked(t, s, false))
			_, err = db.Exec("DELETE FROM blocks")
			require.NoError(t, err)
		}
	})
}

func TestEVT08_Check_makes_contacts_of_those_who_follow_each_other(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := open(t, at), rawSQL(t, at)
		storeOneOfEach(t, s) // the second follows the first
		_, err := db.Exec("INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 1, 2, created, created FROM events")
		require.NoError(t, err)
		require.Empty(t, checked(t, s, false), "the triggers have made both of them")
		for statement, wrong := range map[string]int{
			"DELETE FROM contacts WHERE user_id = 1":                   1,
			"DELETE FROM contacts":                                     2,
			"INSERT INTO contacts (user_id, contact_id) VALUES (1, 1)": 1,
		} {
			_, err := db.Exec(statement)
			require.NoError(t, err)
			assert.Len(t, checked(t, s, false), wrong, statement)
			require.Len(t, checked(t, s, true), wrong, statement)
			require.Empty(t, checked(t, s, false), statement)
		}
		_, err = db.Exec("DELETE FROM subscriptions WHERE user_id = 1")
		require.NoError(t, err)
		var left int
		require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM contacts").Scan(&left))
		assert.Zero(t, left, "who no longer follows is no contact")
	})
}

func TestMOD03_Check_compares_what_is_hidden_with_the_reasons(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := open(t, at), rawSQL(t, at)
		storeOneOfEach(t, s)
		spoil := func(statement string) {
			done, err := db.Exec(statement)
			require.NoError(t, err)
			rows, err := done.RowsAffected()
			require.NoError(t, err)
			require.EqualValues(t, 1, rows, statement)
			found := checked(t, s, false)
			require.Len(t, found, 1, statement)
			assert.Equal(t, found, checked(t, s, false), "looking changes nothing")
		}
		for _, of := range []moderation.Thing{{Kind: moderation.Event, ID: 1}, {Kind: moderation.Comment, ID: 1},
			{Kind: moderation.Image, ID: 1}} {
			to := media.Reservation{Key: "private/a", Until: noon}
			turn := func() {
				to.Key += "b"
				if of.Kind == moderation.Image {
					require.NoError(t, s.DeletionQueue().Reserve(t.Context(), to))
				}
			}
			turn()
			_, err := s.Moderation().Hide(t.Context(), moderation.Hiding{Thing: of, Reason: "Rude", At: noon}, to)
			require.NoError(t, err)
			require.Empty(t, checked(t, s, false), "%v", of)
			spoil(fmt.Sprintf("DELETE FROM hidden_things WHERE kind = '%s'", of.Kind))
			turn()
			_, err = s.Moderation().Restore(t.Context(), of, to)
			require.ErrorIs(t, err, moderation.ErrNoHiding)
			require.Len(t, checked(t, s, true), 1)
			require.Empty(t, checked(t, s, false))
			turn()
			_, err = s.Moderation().Restore(t.Context(), of, to)
			require.NoError(t, err)
			spoil(fmt.Sprintf("INSERT INTO hidden_things SELECT '%s', 1, 1, 'Rude', created FROM events", of.Kind))
			require.Len(t, checked(t, s, true), 1)
			require.Empty(t, checked(t, s, false))
		}
	})
}

func TestCheck_goes_through_all_records(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s := open(t, at)
		c := publication.Content{Title: "One", Author: openWithCategories(t, s), Category: 1, Published: true, Created: noon, Updated: noon}
		var nodes []any
		for id := range publication.NodeID(501) { // more than a batch
			nodes = append(nodes, publication.Node{ID: id + 1, Content: c})
		}
		require.NoError(t, imports(t.Context(), s, nodes...))
		_, err := rawSQL(t, at).Exec("UPDATE feed_listings SET category_id = 2 WHERE id IN (1, 500, 501)")
		require.NoError(t, err)
		repaired := checked(t, s, true)
		for _, id := range []int{1, 500, 501} {
			assert.Contains(t, repaired, bunstore.Finding{What: fmt.Sprintf("listing of node %d is wrong", id), Repaired: true})
		}
		require.Empty(t, checked(t, s, false))
	})
}

func TestCheck_reports_an_event_that_cannot_be_read(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s := open(t, at)
		diaryEntry(t, s, member(t, s))
		_, err := rawSQL(t, at).Exec("UPDATE events SET title = ''")
		require.NoError(t, err)
		for _, repair := range []bool{true, false} {
			assert.Equal(t, []bunstore.Finding{{What: "xfile 1 can't be read: event 1 is published and empty"}}, checked(t, s, repair))
		}
	})
}

func TestCheck_finds_and_mends_what_disagrees(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := open(t, at), rawSQL(t, at)
		storeOneOfEach(t, s)
		require.Empty(t, checked(t, s, false), "all is well")
		for _, spoil := range []string{
			"DELETE FROM feed_listings WHERE kind = 'publication'",
			"UPDATE feed_listings SET category_id = 2 WHERE kind = 'node'",
			"UPDATE feed_listings SET lat = 31 WHERE kind = 'demand'",
			"INSERT INTO feed_listings (kind, id, category_id, created, updated) SELECT 'node', 77, 1, created, updated FROM nodes",
			"UPDATE publications SET published = FALSE",
			"UPDATE nodes SET category_id = 2",
			"UPDATE feed_counters SET count = count + 1 WHERE count > 0",
			"UPDATE feed_counters SET count = 0, created = NULL, updated = NULL",
			"DELETE FROM feed_counters",
			"UPDATE feed_counters SET created = NULL",
			"UPDATE feed_counters SET updated = NULL",
			"UPDATE feed_totals SET count = count - 1 WHERE kind = 'node'",
			"UPDATE feed_totals SET count = 0",
			"UPDATE event_counts SET comments = 7",
			"UPDATE event_counts SET likes = 0",
			"UPDATE event_counts SET comments = 0, commented = NULL",
			"DELETE FROM event_counts",
			"UPDATE image_counts SET kept = 4",
			"DELETE FROM image_counts",
			"UPDATE picture_totals SET bytes = bytes + 1",
			"UPDATE picture_totals SET bytes = -5",
			"DELETE FROM picture_totals",
			"UPDATE pictures SET bytes = 8",
			"DELETE FROM pictures",
			"UPDATE notification_counts SET total = total + 1",
			"UPDATE notification_counts SET unread = -1",
			"UPDATE notification_counts SET read_up_to = 1000",
			"DELETE FROM notification_counts",
			"UPDATE profile_counts SET events = 7, followers = 8, followed = 9",
			"DELETE FROM profile_counts",
			"UPDATE notifications SET owner_id = actor_id WHERE kind = 'follow'",
			"UPDATE notifications SET object_id = object_id + 1 WHERE kind = 'comment'",
			"UPDATE notifications SET withdrawn = TRUE WHERE kind = 'like'",
		} {
			done, err := db.Exec(spoil)
			require.NoError(t, err, spoil)
			rows, err := done.RowsAffected()
			require.NoError(t, err)
			require.NotZero(t, rows, spoil)
			found := checked(t, s, false)
			require.NotEmpty(t, found, spoil)
			for _, f := range found {
				assert.False(t, f.Repaired)
			}
			assert.Equal(t, found, checked(t, s, false), "looking changes nothing: %s", spoil)
			repaired := checked(t, s, true)
			require.NotEmpty(t, repaired)
			for _, f := range repaired {
				assert.True(t, f.Repaired, "%s: %s", spoil, f.What)
			}
			require.Empty(t, checked(t, s, false), spoil)
		}
	})
}
