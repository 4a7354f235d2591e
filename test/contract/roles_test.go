package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/access"
)

var roleRows = []row{
	{"OFF-03 AUT-14 the profile lists the roles, of which any is staff, and back_office", rolesInTheProfile, oneStore},
	{"OFF-03 the overview and the audit show what the roles may see", rolesSeeTheirParts, everyStore},
	{"OFF-03 the pages of a role are in the navigation, and others name the role that they need", rolesOfPages, oneStore},
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
