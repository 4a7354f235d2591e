package demo_test

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/adapters/gazetteer"
	"plaza/adapters/imaging"
	"plaza/adapters/jsonlines"
	"plaza/adapters/memory"
	"plaza/adapters/sanitiser"
	"plaza/application/diary"
	"plaza/application/importing"
	"plaza/application/signin"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/place"
	"plaza/domain/secret"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// everybody is how many people the demo data has, the robot last.
const everybody = 13

// world is a store with the demo data, and the diaries in it.
type world struct {
	t     *testing.T
	ports demo.Ports
	diary *diary.Diary
}

func portsOf(s *memory.Store) demo.Ports {
	pictures, clean, studio := memory.NewMedia("http://plaza.test", []byte("key")), sanitiser.New(), imaging.NewStudio(1)
	return demo.Ports{
		Accounts: s.Accounts(), Tokens: s.Tokens(), Throttle: s.Throttle(), Hasher: argon2id.New(argon2id.Cheap, 4, 32),
		Importer: importing.NewImporter(importing.Ports{
			Intake: s.Intake(), Decoder: jsonlines.Decoder{}, Feed: s.Feed(), Sanitiser: clean, Studio: studio, Pictures: pictures,
		}),
		Categories: s.Categories(), Subscriptions: s.Subscriptions(),
		Diary: diary.Ports{
			Events: s.Events(), Reader: s.Events(), Discussion: s.Events(), Scenery: s.Events(),
			Categories: s.Categories(), Relations: s.Subscriptions(), Directory: s.Accounts(),
			Places: gazetteer.New(), Sanitiser: clean, Pictures: pictures, Bin: s.Bin(), Studio: studio,
		},
		Images: s.Images(), Ledger: s.Ledger(),
	}
}

// stock is a store with the ports to it.
type stock struct {
	*memory.Store
	ports demo.Ports
}

func stocked() (stock, error) {
	s := memory.New()
	p := portsOf(s)
	return stock{s, p}, demo.Load(context.Background(), p)
}

// stockedOnce is for all tests that only look.
var stockedOnce = sync.OnceValues(stocked)

// loaded is not to be changed.
func loaded(t *testing.T) world {
	t.Helper()
	s, err := stockedOnce()
	require.NoError(t, err)
	return worldOf(t, s.ports)
}

func worldOf(t *testing.T, p demo.Ports) world {
	t.Helper()
	return world{t: t, ports: p, diary: diary.New(p.Diary, today)}
}

// today is after everything in the demo data.
func today() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }

func actor(id user.ID) access.Actor { return access.Actor{ID: id, Zone: time.UTC} }

// whole is the only page of a list.
func whole[T any](t *testing.T, list func(page.Request) (page.Page[T], error)) []T {
	t.Helper()
	all, err := page.New(1, page.MaxSize)
	require.NoError(t, err)
	p, err := list(all)
	require.NoError(t, err)
	require.Equal(t, 1, p.Pages())
	return p.Items
}

func (w world) own(id user.ID) []diary.Shown { return w.of(id, id) }

func (w world) of(viewer, author user.ID) []diary.Shown {
	w.t.Helper()
	return whole(w.t, func(p page.Request) (page.Page[diary.Shown], error) {
		return w.diary.Of(w.t.Context(), actor(viewer), author, event.Ordering{}, p)
	})
}

func (w world) comments(id event.ID, author user.ID) []event.Comment {
	w.t.Helper()
	return whole(w.t, func(p page.Request) (page.Page[event.Comment], error) {
		return w.diary.Comments(w.t.Context(), actor(author), id, p)
	})
}

func (w world) subscriptions(id user.ID) []subscription.Subscription {
	w.t.Helper()
	return whole(w.t, func(p page.Request) (page.Page[subscription.Subscription], error) {
		return w.ports.Subscriptions.List(w.t.Context(), subscription.Query{User: id, Page: p})
	})
}

// all calls fn with every event, as its author sees it in full.
func (w world) all(fn func(diary.Shown)) {
	w.t.Helper()
	for id := user.ID(1); id <= everybody; id++ {
		for _, listed := range w.own(id) {
			shown, err := w.diary.Read(w.t.Context(), actor(id), listed.ID())
			require.NoError(w.t, err)
			fn(shown)
		}
	}
}

func TestTheKnownAccountsHaveTheirUidsAndThePassword(t *testing.T) {
	s, err := stocked() // to log in is to change something
	require.NoError(t, err)
	w := worldOf(t, s.ports)
	door := signin.New(w.ports.Accounts, w.ports.Tokens, w.ports.Throttle, w.ports.Hasher, signin.TokenTTL(time.Hour), today, slog.New(slog.DiscardHandler))
	for i, name := range []string{"+86-13800000001", "+86-13800000002", "+34-600000003", "+1-2025550104"} {
		key, err := door.Login(t.Context(), signin.Login{
			Username: name, Password: secret.New("plaza-demo"), From: netip.MustParseAddr("192.0.2.1"),
		})
		require.NoError(t, err, name)
		who, err := door.Authenticate(t.Context(), key)
		require.NoError(t, err, name)
		assert.Equal(t, user.ID(i+1), who.ID, name)
		assert.Equal(t, access.AllScopes(), who.Scopes, name)
		assert.Equal(t, i+1 == 4, who.Staff, name)
	}
}

func TestThereAreAsManyPeopleAsPromised(t *testing.T) {
	w := loaded(t)
	var ids []user.ID
	for id := user.ID(1); id <= everybody+1; id++ {
		ids = append(ids, id)
	}
	members, err := w.ports.Diary.Directory.Members(t.Context(), ids)
	require.NoError(t, err)
	assert.Len(t, members, everybody)
	names, zones, unskilled := map[string]bool{}, map[string]bool{}, 0
	for _, m := range members {
		names[m.FullName()], zones[m.Timezone] = true, true
		if m.Expertise == "" {
			unskilled++
		}
		assert.NotEmpty(t, m.Location, m.FullName())
	}
	assert.Len(t, names, everybody)
	assert.Greater(t, len(zones), 8)
	assert.Positive(t, unskilled)
}

func TestRelationsAreAsPromised(t *testing.T) {
	w := loaded(t)
	relation := func(viewer, author user.ID) subscription.Relation {
		found, err := w.ports.Subscriptions.Relations(t.Context(), viewer, []user.ID{author})
		require.NoError(t, err)
		return found[author]
	}
	follows := func(who, whom user.ID) bool {
		return slices.ContainsFunc(w.subscriptions(who), func(s subscription.Subscription) bool { return s.Followed == whom })
	}
	assert.Equal(t, subscription.Contact, relation(1, 2))
	assert.Equal(t, subscription.Contact, relation(2, 1))
	assert.True(t, follows(3, 1))
	assert.False(t, follows(1, 3))
	assert.Equal(t, subscription.Stranger, relation(3, 1))
	for id := user.ID(1); id <= everybody; id++ {
		if id != 4 {
			assert.Equal(t, subscription.Stranger, relation(4, id), "staff is nobody's contact, nor uid %d's", id)
		}
	}
}

func TestEveryWayToStandIsShown(t *testing.T) {
	w := loaded(t)
	for _, id := range []user.ID{1, 2, 3} {
		stand := map[event.Showing]int{}
		for _, shown := range w.own(id) {
			s := shown.State()
			stand[event.Showing{Status: s.Status, Permission: s.Permission}]++
		}
		for _, way := range event.Reach(subscription.Self) {
			assert.Positive(t, stand[way], "uid %d has no event with %+v", id, way)
		}
	}
}

func TestThereIsEnoughToPageThrough(t *testing.T) {
	w := loaded(t)
	assert.GreaterOrEqual(t, len(w.own(1)), 25)
	assert.Greater(t, len(w.of(3, 1)), page.DefaultSize, "strangers page, too")
	recent, err := w.diary.RecentlyCommented(t.Context(), actor(1))
	require.NoError(t, err)
	assert.Len(t, recent, 10)
	most := 0
	for _, shown := range w.own(1) {
		assert.LessOrEqual(t, len(shown.Comments), 10)
		most = max(most, shown.Counts.Comments)
	}
	assert.Greater(t, most, 12)
}

func TestContactsSeeWhatStrangersDoNot(t *testing.T) {
	w := loaded(t)
	full := day(t, "2026-10-26")
	moment := func(viewer user.ID) (authors []user.ID, permissions []event.Permission) {
		at := slices.IndexFunc(w.own(viewer), func(s diary.Shown) bool { return s.State().Date == full })
		require.GreaterOrEqual(t, at, 0)
		shown, err := w.diary.Read(t.Context(), actor(viewer), w.own(viewer)[at].ID())
		require.NoError(t, err)
		for _, m := range shown.Moment {
			authors = append(authors, m.Author())
			permissions = append(permissions, m.State().Permission)
		}
		return authors, permissions
	}
	contacts, permissions := moment(1)
	assert.Len(t, contacts, 10, "as many as are shown, of eleven")
	assert.Contains(t, contacts, user.ID(2))
	assert.Contains(t, permissions, event.Contact)
	strangers, permissions := moment(3)
	assert.NotContains(t, strangers, user.ID(2))
	assert.NotContains(t, permissions, event.Contact)
	assert.Greater(t, len(w.of(1, 2)), len(w.of(3, 2)))
}

func TestPlacesAreFoundWhereTheyAreNamed(t *testing.T) {
	w := loaded(t)
	cities := map[string]int{}
	districts := map[string]bool{}
	w.all(func(s diary.Shown) {
		at := s.State().Place
		cities[at.City]++
		districts[at.City+at.District] = true
		if s.Author() > 2 {
			assert.Equal(t, place.Place{}, at, "%q is not about China", s.Text())
		}
	})
	for _, city := range []string{"杭州市", "北京市", "上海市", "苏州市", "西安市"} {
		assert.Positive(t, cities[city], city)
	}
	for _, district := range []string{"杭州市西湖区", "北京市东城区", "北京市海淀区", "上海市徐汇区"} {
		assert.True(t, districts[district], district)
	}
}

func TestNewsOfTheDayStandsBesideEvents(t *testing.T) {
	w := loaded(t)
	several, ownCity := map[event.Date]bool{}, 0
	w.all(func(s diary.Shown) {
		if len(s.News) > 1 {
			several[s.State().Date] = true
		}
		city := s.State().Place.City
		for _, item := range s.News {
			assert.Regexp(t, `^https?://[a-z.]*example\.(org|com)/`, item.URL)
			assert.Equal(t, item.HTML, w.ports.Diary.Sanitiser.Sanitise(string(item.HTML)))
			assert.NotEmpty(t, item.HTML)
		}
		if city != "" && len(s.News) > 0 && s.News[0].City == city {
			ownCity++
		}
	})
	assert.GreaterOrEqual(t, len(several), 3)
	assert.GreaterOrEqual(t, ownCity, 3)
}

func TestCategoriesAreATreeOfThreeLevels(t *testing.T) {
	w := loaded(t)
	used, deepest := map[feed.CategoryID]bool{}, 0
	w.all(func(s diary.Shown) {
		if c := s.State().Category; c != 0 {
			used[c] = true
			assert.NotEmpty(t, s.Category, "the category of %q is there", s.Text().Title)
		}
	})
	for id := user.ID(1); id <= everybody; id++ {
		for _, s := range w.subscriptions(id) {
			used[s.Category] = true
		}
	}
	delete(used, 0)
	for id := range used {
		deepest = max(deepest, w.level(id))
	}
	assert.GreaterOrEqual(t, len(used), 12)
	assert.Equal(t, 3, deepest)
}

// level is how deep the category stands; a root is at 1.
func (w world) level(id feed.CategoryID) int {
	w.t.Helper()
	if id == 0 {
		return 0
	}
	found, err := w.ports.Categories.ByIDs(w.t.Context(), []feed.CategoryID{id})
	require.NoError(w.t, err)
	require.Contains(w.t, found, id)
	assert.NotEmpty(w.t, found[id].Slug)
	return w.level(found[id].Parent) + 1
}

func TestEverythingHappenedInItsTime(t *testing.T) {
	w := loaded(t)
	first, last := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC), today()
	w.all(func(s diary.Shown) {
		state := s.State()
		assert.True(t, state.Created.After(first) && state.Modified.Before(last), "%q", state.Title)
		tomorrow := event.DateOf(state.Created.AddDate(0, 0, 1))
		assert.LessOrEqual(t, state.Date.Compare(tomorrow), 0, "%q", state.Title)
		for _, c := range w.comments(s.ID(), s.Author()) {
			assert.True(t, c.Created.After(state.Modified) && c.Created.Before(last), "%q", c.Content)
		}
	})
}

func day(t *testing.T, s string) event.Date {
	t.Helper()
	d, err := event.ParseDate(s)
	require.NoError(t, err)
	return d
}
