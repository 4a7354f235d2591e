package contract

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

// TestDemo shows that with the demo data every list has something worth looking at, in the document's form, and that no link in it is dead.
// Loading it ignores the quotas of accounts (GEN-14).
func TestDemo(t *testing.T) {
	t.Parallel()
	onEach(t, oneStore, showDemo)
}

// pictureAddress is an address of a server's picture in a response.
var pictureAddress = regexp.MustCompile(`http://127[^"]+/media/[^"]+`)

func showDemo(t *testing.T, on store) {
	s := on.startWith(t, func(s *settings.Config) {
		s.Translator, s.QuotaDrafts, s.QuotaComments, s.QuotaFollows, s.QuotaPictures = "pseudo", 1, 1, 1, 1
	})
	require.NoError(t, s.app.LoadDemo(t.Context(), true))
	entering := func(phone string) *client {
		return s.with(s.anyone().post(t, login, object{"username": phone, "password": "plaza-demo"}).is(200).text("data.key"))
	}
	an, nora := entering("+86-13800000001"), entering("+1-2025550104")
	for path, who := range map[string]*client{
		events: an, eventsOf(person{id: 2}): an, commented: an, comments + "?event=28": an, subscriptions: an, timeline: an, notifications: an,
		followers: an, likesOf(1, 28): an, search + "?name=顾": an, categories: s.anyone(), categories + "?type=xfile": s.anyone(),
		itemsOf("uncategory"): s.anyone(), itemsOf("uncategory") + "?type=node": s.anyone(),
		categories + "?type=demand&lat=30.2741&lng=120.1551": s.anyone(), publications: an.saying("x-language-locale", "es"),
		"/api/user/user-image/?uid=1": s.anyone(), "/api/writing-admin/v1/imported-howto/": nora,
	} {
		a := who.get(t, path).is(200)
		assert.NotEmpty(t, a.list("data"), path)
		for _, address := range pictureAddress.FindAllString(string(a.body), -1) {
			assert.Equal(t, 200, s.anyone().get(t, strings.TrimPrefix(address, s.url)).status, address)
		}
	}
	an.post(t, events, object{"title": "One draft more"}).fails(409, "CONFLICT")
	pay := object{"pay_method": 200, "end_type": 0}
	an.post(t, "/api/pay/order/pay/", pay).fails(503, "SERVICE_UNAVAILABLE")
	entering("+86-13800000002").post(t, "/api/pay/order/pay/", pay).fails(409, "CONFLICT")
	entering("+34-600000003").post(t, "/api/pay/order/pay/", pay).fails(404, "RESOURCE_NOT_FOUND")
}
