package ports

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/personaldata"
	"plaza/domain/user"
)

func reportCases(w *fixtures) {
	author := w.newUser()
	of := thing(w.write(author, noon).ID())
	people, ids := w.users(8), make([]moderation.CaseID, 8)
	w.succeed(atOnce(len(people), func(i int) error {
		r, _, err := w.Moderation.Report(w.Context(), moderation.Report{
			By: people[i], Thing: of, Owner: author, Reason: moderation.Reasons()[i%3], Created: noon,
		})
		ids[i] = r.Case
		return err
	}))
	assert.Len(w, slices.Compact(ids), 1)
	last := w.complainFor(moderation.Other, "", w.newUser(), of, author, noon.Add(time.Hour))
	assert.Equal(w, []moderation.CaseID{last.Case}, w.openCases())
	c := w.cases(moderation.Query{})[0]
	assert.Equal(w, map[moderation.Reason]int{moderation.Spam: 3, moderation.Abuse: 3, moderation.Illegal: 2, moderation.Other: 1}, c.People)
	assert.Equal(w, []any{of, author, noon, noon.Add(time.Hour)}, []any{c.Thing, c.Owner, c.First, c.Last})
	for who, want := range map[user.ID]bool{people[0]: true, author: false} {
		has, err := w.Moderation.HasReported(w.Context(), who, of)
		require.NoError(w, err)
		assert.Equal(w, want, has)
	}
}

func keepVersions(w *fixtures) {
	author := w.newUser()
	e := w.write(author, noon)
	titles := []string{"Evil", "Evil", "A", "B", "C", "D", "E", "Good"}
	for i, title := range titles {
		w.change(e.ID(), apply(noon, titled(title)))
		for n := range 2 {
			w.complainFor(moderation.Spam, fmt.Sprintf("%d%d", i, n), w.newUser(), thing(e.ID()), author, noon.Add(time.Duration(i)*time.Minute))
		}
	}
	w.complainFor(moderation.Spam, "", w.newUser(), thing(e.ID()), author, noon)
	c := w.cases(moderation.Query{})[0]
	assert.Equal(w, []string{"Evil", "C", "D", "E", "Good"}, mapped(c.Versions, func(v moderation.Version) string { return v.Title }))
	assert.Equal(w, noon, c.Versions[0].Since)
	now := w.subject(thing(e.ID()))
	assert.True(w, c.Changed(now))
	assert.True(w, c.Changed(nil))
	w.change(e.ID(), apply(noon, titled("Evil")))
	assert.False(w, c.Changed(w.subject(thing(e.ID()))))
	require.Len(w, c.Notes, moderation.MostNotes)
	assert.Equal(w, []string{"71", "70", "61"}, mapped(c.Notes[:3], func(r moderation.Report) string { return r.Text }))
	w.remove(e.ID())
	assert.Equal(w, c.Versions, w.cases(moderation.Query{})[0].Versions, "as it was")
}

func keepCopies(w *fixtures) {
	owner := w.newUser()
	i := w.uploaded(owner, "public/a.png", 7)
	report := func(copies moderation.Copies) error {
		_, _, err := w.Moderation.Report(w.Context(), moderation.Report{
			By: w.newUser(), Thing: photo(i.ID), Owner: owner, Reason: moderation.Spam, Created: noon, Copies: copies,
		})
		return err
	}
	copied, err := w.Moderation.Copied(w.Context(), photo(i.ID))
	require.NoError(w, err)
	assert.Empty(w, copied)
	name := w.subject(photo(i.ID)).Pictures[0].Name
	require.ErrorIs(w, report(nil), moderation.ErrUncopied)
	assert.Empty(w, w.openCases())
	require.NoError(w, report(moderation.Copies{name: "private/one.png", "other": "private/other.png"}))
	assert.Equal(w, []media.Key{"private/other.png"}, w.dueDeletions(noon))
	require.NoError(w, report(moderation.Copies{name: "private/two.png"}))
	assert.Contains(w, w.dueDeletions(noon.Add(time.Hour)), media.Key("private/two.png"))
	copied, err = w.Moderation.Copied(w.Context(), photo(i.ID))
	require.NoError(w, err)
	assert.Equal(w, moderation.Copies{name: "private/one.png"}, copied)
	copied, err = w.Moderation.Copied(w.Context(), moderation.Thing{Kind: moderation.Comment, ID: int64(i.ID)})
	require.NoError(w, err)
	assert.Empty(w, copied, "another kind has the same number")
	assert.Equal(w, media.Key("private/one.png"), w.cases(moderation.Query{})[0].Versions[0].Pictures[0].Key)
	assert.Contains(w, w.references(), media.Key("private/one.png"))
	w.hideImage(i)
	c := w.cases(moderation.Query{IsDecided: true})[0]
	assert.False(w, c.Changed(w.subject(photo(i.ID))), "its files were moved")
	assert.True(w, w.subject(photo(i.ID)).IsHidden)
}

// subject returns the thing as it is, or nil.
func (w *fixtures) subject(t moderation.Thing) *moderation.Subject {
	found, err := w.Moderation.Subjects(w.Context(), []moderation.Thing{t, thing(9999)})
	require.NoError(w, err)
	if s, is := found[t]; is {
		assert.Len(w, found, 1)
		return &s
	}
	return nil
}

func readSubjects(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	var said []event.Comment
	for i := range 5 {
		said = append(said, w.say(e.ID(), []user.ID{author, other}[i%2], noon.Add(time.Duration(i)*time.Second), fmt.Sprint("Rude ", i)))
	}
	comment := moderation.Thing{Kind: moderation.Comment, ID: int64(said[4].ID)}
	s := w.subject(comment)
	assert.Equal(w, []any{"Rude 4", author, int64(e.ID()), e.State().Title}, []any{s.Content, s.Owner, s.Event, s.EventTitle})
	assert.Equal(w, []moderation.Remark{
		{By: other, Content: "Rude 3", At: said[3].Created}, {By: author, Content: "Rude 2", At: said[2].Created},
		{By: other, Content: "Rude 1", At: said[1].Created},
	}, s.Before)
	w.complain(w.newUser(), comment, author)
	require.NoError(w, w.Discussion.RemoveComment(w.Context(), said[4].ID))
	assert.Nil(w, w.subject(comment))
	require.NoError(w, w.Directory.ChangeProfile(w.Context(), other, user.ProfileChange{Bio: new("I sell"), Location: new("Sevilla")}))
	for _, kind := range []moderation.Kind{moderation.Person, moderation.Profile} {
		s = w.subject(moderation.Thing{Kind: kind, ID: int64(other)})
		assert.Equal(w, []any{"I sell", "Sevilla", other}, []any{s.Content, s.Location, s.Owner})
	}
	s, state := w.subject(thing(e.ID())), e.State()
	assert.Equal(w, []any{state.Title, state.Content, state.HTML, state.Date, int(state.Permission), author},
		[]any{s.Title, s.Content, s.HTML, s.Day, s.Permission, s.Owner})
	i := w.uploaded(author, "public/a.png", 7)
	s = w.subject(photo(i.ID))
	assert.Equal(w, []string{"tea"}, s.Tags)
	w.changeOf(i.ID, discard)
	assert.Nil(w, w.subject(photo(i.ID)))
}

func decideOnce(w *fixtures) {
	author := w.newUser()
	r := w.complain(author, thing(w.write(author, noon).ID()), author)
	ctx := audit.With(w.Context(), audit.Record{At: noon, By: audit.Actor{Staff: author}, Act: audit.ReportDecided, Reason: "No"})
	decided, err := w.Moderation.Decide(ctx, r.Case, noon)
	require.NoError(w, err)
	assert.Equal(w, moderation.Decision{
		Outcome: moderation.OutcomeDismissed, At: noon, By: audit.Actor{Staff: author}, Reason: "No",
	}, decided.Decision)
	stored, err := w.Moderation.Case(w.Context(), r.Case)
	require.NoError(w, err)
	assert.Equal(w, decided, stored)
	other := w.complain(author, thing(w.write(author, noon).ID()), author)
	assertOneWins(w, atOnce(4, func(int) error {
		_, err := w.Moderation.Decide(w.Context(), other.Case, noon)
		return err
	}), moderation.ErrDecided)
	_, err = w.Moderation.Decide(w.Context(), other.Case+1, noon)
	assert.ErrorIs(w, err, moderation.ErrNoReport)
	_, err = w.Moderation.Case(w.Context(), other.Case+1)
	assert.ErrorIs(w, err, moderation.ErrNoReport)
}

// eraseReported erases an owner of whose two events one case is open, and decides that then.
func eraseReported(w *fixtures) {
	owner := w.newUser()
	one, two := thing(w.write(owner, noon).ID()), w.uploaded(owner, "public/a.png", 7)
	w.complain(w.newUser(), one, owner)
	w.complain(w.newUser(), photo(two.ID), owner)
	w.hide(one, noon)
	w.changeAccount(owner, func(a *access.Account) { a.Close() })
	w.erase(owner)
	assert.Empty(w, w.cases(moderation.Query{IsDecided: true}))
	open := w.cases(moderation.Query{})
	require.Len(w, open, 1)
	assert.NotEmpty(w, open[0].Versions[0].Pictures[0].Key)
	remaining, err := w.PersonalData.Remaining(w.Context(), owner, personaldata.Cases)
	require.NoError(w, err)
	assert.Zero(w, remaining)
	_, err = w.Moderation.Decide(w.Context(), open[0].ID, noon)
	require.NoError(w, err)
	assert.Empty(w, w.cases(moderation.Query{IsDecided: true}))
	assert.Contains(w, w.dueDeletions(noon.Add(time.Hour)), open[0].Versions[0].Pictures[0].Key)
}
