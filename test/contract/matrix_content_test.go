package contract

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// contentTrials are the trials of content outside diaries: feeds, publications, images, plates, the import and payment.
var contentTrials = map[string]trial{
	"GET /api/feed/items/{category_id}/": {"optionalAuth", func(*testing.T, *cast) []aim {
		return []aim{
			{name: "uncategorised items", path: itemsOf("uncategory"), want: everybody(200)},
			{name: "no category", path: itemsOf(4711), want: everybody(404)},
		}
	}},
	"GET /api/feed/item/{entity_type}/{entity_id}/": {"optionalAuth", func(t *testing.T, c *cast) []aim {
		c.storesItem(t, c.owner, 4711, 0)
		return []aim{
			{name: "a publication", path: cardOf("publication", 4711), want: everybody(200)},
			{name: "a demand", path: cardOf("demand", 4711), want: everybody(200)},
			{name: "no node", path: cardOf("node", 4712), want: everybody(404)},
		}
	}},
	"GET /api/pay/order/{id}/": {"scope pay_trade_order", func(t *testing.T, c *cast) []aim {
		id := c.staff.post(t, newOrder, draftFor(c.owner)).is(201).int("data.id")
		want := everybody(404)
		want["owner"] = 200
		return []aim{
			{name: "an order", path: fmt.Sprintf("%s%d/", ownOrders, id), want: want},
			{name: "no order", path: ownOrders + "99999/", want: everybody(404)},
		}
	}},
	"POST /api/pay/notify/{wallet}/": {"noAuth", plainly("/api/pay/notify/acme/", "{}", 404)},
	"POST /api/pay-admin/v1/order/": {"office ordering", func(_ *testing.T, c *cast) []aim {
		return []aim{{path: newOrder, body: draftFor(c.owner), want: everybody(201)}}
	}},

	"GET /api/back-office/v1/people/{uid}/":          {"office people", aboutPeople("", nil)},
	"POST /api/back-office/v1/people/{uid}/disable/": {"office people", aboutPeople("disable/", object{"reason": "x"})},
	"POST /api/back-office/v1/people/{uid}/enable/":  {"office people", aboutPeople("enable/", object{"reason": "x"})},
	"POST /api/back-office/v1/people/{uid}/scopes/": {"office rights", aboutPeople("scopes/",
		object{"scopes": ordinary, "roles": []any{}, "reason": "x"})},
	"POST /api/back-office/v1/people/{uid}/end-sessions/": {"office people", aboutPeople("end-sessions/", object{"reason": "x"})},
	"GET /api/back-office/v1/import/{id}/rejects/": {"office imports", func(t *testing.T, c *cast) []aim {
		c.brings(t, "x")
		return []aim{{name: "a run", path: rejectsOf(1), want: everybody(200)}, {name: "no run", path: rejectsOf(99), want: everybody(404)}}
	}},

	"PATCH /api/user/user-image/{id}/": {"authenticated", func(t *testing.T, c *cast) []aim {
		return aboutImages(t, c, 200, object{"tags": []any{"mine"}})
	}},
	"DELETE /api/user/user-image/{id}/": {"authenticated", func(t *testing.T, c *cast) []aim {
		return aboutImages(t, c, 204, nil)
	}},

	"POST /api/xfile/plate/":        {scoped, aboutEvents(201, 403, 400, ask{path: plates, body: `{"event": ID, "photo": "` + dot + `"}`})},
	"DELETE /api/xfile/plate/{id}/": {scoped, platesToDelete},
	"GET /media/public/{key...}": {"noAuth", func(t *testing.T, c *cast) []aim {
		address := c.owner.post(t, "/api/user/user-image/", object{"img": dot}).is(201).text("data.img")
		return []aim{
			{name: "a picture", path: strings.TrimPrefix(address, c.url), want: everybody(200)},
			{name: "no picture", path: "/media/public/ab/cd", want: everybody(404)},
		}
	}},
	"GET /media/private/{key...}": {"noAuth", func(t *testing.T, c *cast) []aim {
		id := c.happens(t, showings[3].body)
		address := c.owner.attaches(t, id).text("data.photo")
		path := strings.TrimPrefix(address, c.url)
		unsigned, _, _ := strings.Cut(path, "?")
		return []aim{
			{name: "an address that the owner was given", path: path, want: everybody(200)},
			{name: "unsigned", path: unsigned, want: everybody(404)},
			{name: "at the public address", path: strings.Replace(unsigned, "private", "public", 1), want: everybody(404)},
		}
	}},
}

func imagesOf(p person) string { return fmt.Sprintf("/api/user/user-image/?uid=%d", p.id) }

func aboutImages(t *testing.T, c *cast, owner int, body any) []aim {
	t.Helper()
	id := c.owner.post(t, "/api/user/user-image/", object{"img": dot}).is(201).int("data.id")
	want := everybody(403)
	want["owner"] = owner
	return []aim{
		{"an image", fmt.Sprintf("/api/user/user-image/%d/", id), body, want, imagesOf(c.owner)},
		{"no image", "/api/user/user-image/99999/", body, everybody(404), ""},
	}
}

func platesToDelete(t *testing.T, c *cast) []aim {
	all := aboutEvents(204, 403, 404, ask{path: "ID"})(t, c)
	for i := range all {
		event, err := strconv.Atoi(all[i].path)
		require.NoError(t, err)
		all[i].path = platePath(c.owner.attaches(t, event).int("data.id"))
	}
	return append(all, aim{"no plate", "/api/xfile/plate/99999/", nil, everybody(404), ""})
}

func commentsToEdit(t *testing.T, c *cast) []aim {
	all := commentsToDelete(t, c)
	for i := range all[:3] {
		all[i].want["owner"] = 403
	}
	all[0].want["contact"], all[1].want["owner"], all[2].want["contact"], all[3].want["owner"] = 200, 200, 200, 403
	for i := range all {
		all[i].body = object{"content": "Oh!"}
	}
	return all
}

// commentsToDelete are a contact's comments on events of the owner's, and the owner's own.
func commentsToDelete(t *testing.T, c *cast) []aim {
	public, hidden := c.happens(t, showings[1].body), c.happens(t, showings[1].body)
	forContacts := c.happens(t, showings[2].body)
	onHidden := commentPath(c.contact.comments(t, hidden, "Oh"))
	c.owner.patch(t, eventPath(hidden), object{"view_permission": 200}).is(200)
	return []aim{
		{"a contact's comment on a public event", commentPath(c.contact.comments(t, public, "Oh")), nil,
			map[string]int{"owner": 204, "contact": 204, "stranger": 403, "staff": 403, "blocked": 404}, eventPath(public)},
		{"the owner's comment", commentPath(c.owner.comments(t, public, "Ah")), nil,
			map[string]int{"owner": 204, "contact": 403, "stranger": 403, "staff": 403, "blocked": 404}, eventPath(public)},
		{"a contact's comment on an event for contacts", commentPath(c.contact.comments(t, forContacts, "Oh")), nil,
			map[string]int{"owner": 204, "contact": 204, "stranger": 404, "staff": 404}, eventPath(forContacts)},
		{"a contact's comment on what is hidden now", onHidden, nil,
			map[string]int{"owner": 204, "contact": 404, "stranger": 404, "staff": 404}, eventPath(hidden)},
		{"no comment", commentPath(99999), nil, everybody(404), ""},
	}
}
