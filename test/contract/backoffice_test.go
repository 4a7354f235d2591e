package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/audit"
)

var backOfficeRows = []row{
	{"ADM-02 AUT-14 a narrowed key has the back-office rights only if it named them", backOfficeOfNarrowedKeys, everyStore},
	{"AUT-14 taking staff away ends the rights at once", backOfficeTakenAway, everyStore},
	{"MOD-04 OFF-01 what staff do is listed, the newest first, and what fails is not", actsListed, everyStore},
	{"OFF-01 the overview has what came in by day", overviewOfDays, everyStore},
	{"OFF-03 AUT-14 the profile lists the roles, of which any is staff, and back_office", rolesInTheProfile, oneStore},
	{"OFF-03 the overview and the audit show what the roles may see", rolesSeeTheirParts, everyStore},
	{"OFF-03 the pages of a role are in the navigation, and others name the role that they need", rolesOfPages, oneStore},
}

// usesBackOffice asserts whether the key opens the back office: which areas it opens is in the matrix.
func usesBackOffice(t *testing.T, c *client, may bool) {
	t.Helper()
	assert.Equal(t, map[bool]int{true: 200, false: 403}[may], c.get(t, payments).status)
}

func backOfficeOfNarrowedKeys(t *testing.T, s *server) {
	staff := s.staff(t)
	for _, scopes := range [][]string{{"xfile_event"}, {"pay_trade_order"}, ordinary} {
		usesBackOffice(t, s.with(s.anyone().gets(t, staff, scopes...)), false)
		usesBackOffice(t, s.with(s.issue(t, staff, 0, scopes...)), false)
	}
	alone := s.with(s.anyone().gets(t, staff, "back_office"))
	usesBackOffice(t, alone, true)
	alone.get(t, events).fails(403, "PERMISSION_DENIED")
	both := s.with(s.anyone().gets(t, staff, "xfile_event", "back_office"))
	usesBackOffice(t, both, true)
	both.get(t, events).is(200)
	usesBackOffice(t, s.with(s.issue(t, staff, 0, "back_office")), true)
}

func backOfficeTakenAway(t *testing.T, s *server) {
	staff := s.staff(t)
	full, named := s.with(s.anyone().gets(t, staff)), s.with(s.anyone().gets(t, staff, "back_office"))
	for _, roles := range [][]access.Role{nil, {access.Admin}} {
		require.NoError(t, s.app.Signin.SetRoles(t.Context(), staff.id, roles...))
		usesBackOffice(t, full, roles != nil)
		usesBackOffice(t, named, roles != nil)
	}
	require.NoError(t, s.app.Signin.SetRoles(t.Context(), staff.id))
	s.anyone().logsIn(t, staff.phone, password, "back_office").invalid("scope")
}

const acts = "/api/back-office/v1/audit/"

var auditSales = []sale{
	{"MOD-04 a refund that staff order is an act about the payer, done once however often the request is repeated", refundsAudited,
		everyStore},
}

func actsListed(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	assert.Empty(t, staff.get(t, acts).is(200).list("data"))
	order := staff.post(t, newOrder, draftFor(ada)).is(201).int("data.id")
	staff.post(t, newOrder, object{"user": int(ada.id)}).invalid("subject", "amount")
	staff.post(t, newOrder, with(draftFor(ada), object{"user": 9999})).is(400)
	staff.post(t, refunds, object{"payment": 9999, "reason": "Cold"}).is(404)
	staff.get(t, payments).is(200)
	_, err := s.app.Stores.Audit.Append(t.Context(), audit.Record{
		At: time.Now(), By: audit.Actor{Person: "王丽"}, Act: audit.BackedUp, Object: audit.Object{Kind: audit.Database}, Reason: "Monday",
	})
	require.NoError(t, err)
	list := staff.get(t, acts).is(200)
	require.Len(t, list.list("data"), 2)
	shown := func(i int) []any {
		var all []any
		for _, field := range []string{"by", "act", "object", "object_id", "reason"} {
			all = append(all, list.at(fmt.Sprintf("data.%d.%s", i, field)))
		}
		return all
	}
	assert.Equal(t, []any{"王丽", "backed_up", "database", nil, "Monday"}, shown(0))
	assert.Equal(t, []any{json.Number(fmt.Sprint(staff.id)), "order_created", "order", fmt.Sprint(order), ""}, shown(1))
}

func refundsAudited(t *testing.T, s *till) {
	ada, _, paid := s.bought(t)
	staff := s.staff(t)
	var id int
	for range 2 {
		id = staff.saying(keyHeader, "one").post(t, refunds, object{"payment": paid, "reason": "Cold"}).is(201).int("data.id")
	}
	list := staff.get(t, acts).is(200)
	assert.Equal(t, []string{"refund_ordered"}, list.column("data", "act"))
	assert.Equal(t, fmt.Sprint(id), list.text("data.0.object_id"))
	assert.Equal(t, "Cold", list.text("data.0.reason"))
	assert.Equal(t, json.Number(fmt.Sprint(staff.id)), list.at("data.0.by"))
	records, err := s.app.Stores.Audit.List(t.Context(), audit.Query{})
	require.NoError(t, err)
	assert.Equal(t, ada.id, records.Items[0].About)
}

const overview = "/api/back-office/v1/overview/"

func overviewOfDays(t *testing.T, s *server) {
	in := func(zone string) person {
		return s.member(t, func(r *signin.Registration) { r.Roles, r.Member.Timezone = []access.Role{access.Admin}, zone })
	}
	staff, west, east, bob := in("UTC"), in("America/New_York"), in("Pacific/Kiritimati"), s.member(t)
	event := bob.publishes(t, "a walk")
	s.clock.advance(12*time.Hour - time.Second) // the last second of the day
	staff.comments(t, event, "Oh")
	s.clock.advance(time.Second)
	ada := s.member(t)
	ada.writes(t, object{"title": "a draft counts"})
	ada.comments(t, ada.publishes(t, "x"), "mine")
	s.orders(t, ada)
	staff.post(t, reportPath, object{"event": event, "reason": "other"}).is(201)
	b, kiribati := s.browser(t), time.FixedZone("", 14*60*60)
	b.logsIn(east)
	b.opens("reports/").shows(200, s.clock.Now().In(kiribati).Format(">2006-01-02 15:04<"))
	s.clock.advance(48 * time.Hour)
	a := staff.get(t, overview).is(200)
	a.shows(object{"money.open_orders": 1, "open_reports": 1})
	days := a.list("data.days")
	assert.Len(t, days, 14)
	sameJSON(t, object{"day": "2026-11-10", "joined": 0, "events": 0, "comments": 0}, days[0])
	sameJSON(t, object{"day": "2026-11-20", "joined": 4, "events": 1, "comments": 1}, days[10])
	sameJSON(t, object{"day": "2026-11-21", "joined": 1, "events": 2, "comments": 1}, days[11])
	sameJSON(t, object{"day": "2026-11-23", "joined": 0, "events": 0, "comments": 0}, days[13])
	for who, all := range map[person]string{west: "2026-11-20", east: "2026-11-21"} { // where all of it was on one day
		days := who.get(t, overview).is(200).list("data.days")
		sameJSON(t, object{"day": all, "joined": 5, "events": 3, "comments": 2}, days[11])
		s.browser(t).logsIn(who).opens("").shows(200, all+": 5</title>", all+": 3</title>", all+": 2</title>")
	}
}

func rolesInTheProfile(t *testing.T, s *server) {
	both := s.staff(t, access.Cashier, access.Support)
	both.get(t, profile).is(200).shows(object{
		"roles": []any{"cashier", "support"}, "is_staff": true, "scopes": append(slices.Clone(ordinary), "back_office"),
	})
	narrowed := s.with(s.anyone().gets(t, both, "xfile_event"))
	assert.Contains(t, narrowed.get(t, profile).is(200).list("data.scopes"), "back_office", "the account's, whatever the key")
	s.member(t).get(t, profile).is(200).shows(object{"roles": []any{}, "is_staff": false, "scopes": ordinary})
	both.get(t, payments).is(200)
	assert.Equal(t, "This needs the role moderator.", both.get(t, staffReports).fails(403, "PERMISSION_DENIED").text("data.detail"))
	assert.Equal(t, "此操作需要角色 moderator。",
		both.saying("Accept-Language", "zh-CN").get(t, staffReports).fails(403, "PERMISSION_DENIED").text("data.detail"))
}

func rolesSeeTheirParts(t *testing.T, s *server) {
	admin, ada := s.staff(t), s.member(t)
	id := ada.writes(t, object{"title": "Tea", "publish": true}).int("data.id")
	admin.post(t, hidePath, object{"event": id, "reason": "x"}).is(201)
	admin.post(t, newOrder, draftFor(ada)).is(201)
	admin.does(t, "end-sessions/", ada).is(200)
	admin.does(t, "scopes/", ada, object{"scopes": ordinary, "roles": []any{}}).is(200)
	for role, sees := range map[access.Role]struct {
		orders, money, reports bool
		acts                   []string
	}{
		access.Moderator: {false, false, true, []string{"hidden"}},
		access.Cashier:   {true, true, false, []string{"order_created"}},
		access.Support:   {true, false, false, []string{"sessions_ended", "order_created"}},
		access.Admin:     {true, true, true, []string{"scopes_set", "sessions_ended", "order_created", "hidden"}},
	} {
		one := s.staff(t, role)
		o := one.get(t, overview).is(200).shows(object{"rejecting_imports": 0})
		if assert.Equal(t, sees.orders, o.at("data.money") != nil, role); sees.orders {
			o.shows(object{"money.open_orders": 1, "money.in_doubt": 0})
			assert.Equal(t, sees.money, o.at("data.money.refund_due") != nil && o.at("data.money.open_findings") != nil, role)
		}
		page := s.browser(t).logsIn(one).leads("").body
		for text, sees := range map[string]bool{"Open orders": sees.orders, "Payments to be refunded": sees.money, "Open reports": sees.reports} {
			assert.Equal(t, sees, strings.Contains(page, text), "%s: %s", role, text)
		}
		assert.Equal(t, sees.reports, o.at("data.open_reports") != nil, role)
		assert.NotEmpty(t, o.list("data.days"), role)
		assert.Equal(t, sees.acts, one.get(t, acts).is(200).column("data", "act"), role)
	}
}

func rolesOfPages(t *testing.T, s *server) {
	admin, ada := s.staff(t), s.member(t)
	admin.post(t, newOrder, draftFor(ada)).is(201)
	// Each with the role that alone opens it, besides an admin.
	pages := map[string]string{"reports/": "moderator", "money/payment/1/": "cashier", "people/": "support"}
	for _, role := range []access.Role{access.Moderator, access.Cashier, access.Support} {
		b := s.atWork(t, s.staff(t, role)).shows(200, `href="/back-office/audit/"`)
		first := b.body
		for page, needed := range pages {
			b.opens(page)
			isOpen := string(role) == needed
			assert.Equal(t, !isOpen, b.status == 403, "%s: %s", role, page)
			if !isOpen {
				b.shows(403, "This needs the role "+needed+".")
			}
			if strings.Count(page, "/") == 1 {
				assert.Equal(t, isOpen, strings.Contains(first, staffRoot+page), "%s: %s", role, page)
			}
		}
		seesOrders := role != access.Moderator
		b.opens("money/")
		assert.Equal(t, seesOrders, b.status == 200, role)
		assert.Equal(t, role == access.Cashier, strings.Contains(b.body, "list=due"), role)
		b.opens("audit/").shows(200)
		assert.Equal(t, seesOrders, strings.Contains(b.body, staffRoot+"money/order/1/"), "%s: a link that the role may open", role)
	}
	b := s.atWork(t, s.staff(t, access.Support))
	b.opens(fmt.Sprintf("people/%d/", ada.id)).shows(200, "End sessions…")
	assert.NotContains(t, b.body, "Change rights…")
	b.sends(fmt.Sprintf("people/%d/rights/", ada.id), "reason", "x", "roles", "admin").shows(403, "This needs the role admin.")
	ada.get(t, profile).is(200).shows(object{"is_staff": false})
}
