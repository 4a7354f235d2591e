package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
)

// backOfficeRows show which keys of a staff account open the back office.
var backOfficeRows = []row{
	{"AUT-14 a key that was not narrowed has the back-office rights", backOfficeOfFullKeys, everyStore},
	{"AUT-14 a narrowed key has the back-office rights only if it named them", backOfficeOfNarrowedKeys, everyStore},
	{"AUT-14 only staff accounts may ask for back_office", backOfficeIsForStaff, oneStore},
	{"AUT-14 the profile of staff lists back_office", backOfficeInTheProfile, oneStore},
	{"AUT-14 taking staff away ends the rights at once", backOfficeTakenAway, everyStore},
}

// usesBackOffice calls every route of the back office and asserts the status of each; the
// user pays the order.
func usesBackOffice(t *testing.T, c *client, payer person, may bool) {
	t.Helper()
	answers := []answer{c.get(t, importedHowTos), c.get(t, payments), c.post(t, newOrder, draftFor(payer)), c.get(t, refunds),
		c.get(t, findings), c.get(t, acts)}
	for i, status := range []int{200, 200, 201, 200, 200, 200} {
		if !may {
			answers[i].fails(403, "PERMISSION_DENIED")
			continue
		}
		answers[i].is(status)
	}
}

func backOfficeOfFullKeys(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	usesBackOffice(t, s.with(s.anyone().gets(t, staff)), ada, true)
	usesBackOffice(t, s.with(s.issue(t, staff, 0)), ada, true)
	usesBackOffice(t, s.with(s.anyone().gets(t, ada)), ada, false)
}

func backOfficeOfNarrowedKeys(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	for _, scopes := range [][]string{{"xfile_event"}, {"pay_trade_order"}, ordinary} {
		usesBackOffice(t, s.with(s.anyone().gets(t, staff, scopes...)), ada, false)
		usesBackOffice(t, s.with(s.issue(t, staff, 0, scopes...)), ada, false)
	}
	alone := s.with(s.anyone().gets(t, staff, "back_office"))
	usesBackOffice(t, alone, ada, true)
	alone.get(t, events).fails(403, "PERMISSION_DENIED")
	both := s.with(s.anyone().gets(t, staff, "xfile_event", "back_office"))
	usesBackOffice(t, both, ada, true)
	both.get(t, events).is(200)
	usesBackOffice(t, s.with(s.issue(t, staff, 0, "back_office")), ada, true)
}

func backOfficeIsForStaff(t *testing.T, s *server) {
	ada := s.member(t)
	s.anyone().logsIn(t, ada.phone, password, "back_office").invalid("scope")
	s.anyone().logsIn(t, ada.phone, password, "xfile_event", "back_office").invalid("scope")
	s.anyone().logsIn(t, ada.phone, "not-this-one", "back_office").invalid("non_field_errors")
	_, err := s.app.Signin.Issue(t.Context(), ada.id, []string{"back_office"}, 0)
	assert.ErrorContains(t, err, "back_office")
}

func backOfficeInTheProfile(t *testing.T, s *server) {
	staff := s.staff(t)
	want := []any{"xfile_event", "writing_bundle", "pay_trade_order", "back_office"}
	assert.ElementsMatch(t, want, staff.get(t, profile).is(200).list("data.scopes"))
	narrowed := s.with(s.anyone().gets(t, staff, "xfile_event"))
	assert.ElementsMatch(t, want, narrowed.get(t, profile).is(200).list("data.scopes"), "the account's, whatever the key")
	assert.NotContains(t, s.member(t).get(t, profile).is(200).list("data.scopes"), "back_office")
	named := s.member(t, func(r *signin.Registration) { r.Scopes = []string{"back_office", "xfile_event"} })
	named.get(t, profile).is(200).shows(object{"is_staff": true, "scopes": []string{"xfile_event", "back_office"}})
}

func backOfficeTakenAway(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	full, named := s.with(s.anyone().gets(t, staff)), s.with(s.anyone().gets(t, staff, "back_office"))
	for _, isStaff := range []bool{false, true} {
		require.NoError(t, s.app.Signin.SetStaff(t.Context(), staff.id, isStaff))
		usesBackOffice(t, full, ada, isStaff)
		usesBackOffice(t, named, ada, isStaff)
	}
	require.NoError(t, s.app.Signin.SetStaff(t.Context(), staff.id, false))
	s.anyone().logsIn(t, staff.phone, password, "back_office").invalid("scope")
}
