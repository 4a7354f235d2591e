package contract

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
)

// assignedRows show that a caller sets only what the interface lets them set.
var assignedRows = []row{
	{"GEN-08 fields that are not the client's change no picture", picturesAreNotReassigned, oneStore},
	{"GEN-08 fields that are not the client's change no order", ordersAreNotReassigned, oneStore},
	{"GEN-08 fields and parameters name nobody else", nobodyElseIsNamed, oneStore},
}

func picturesAreNotReassigned(t *testing.T, s *server) {
	ada, eve := s.member(t), s.member(t)
	before := ada.get(t, profile).is(200)
	theirs := ada.keeps(t, "ada's")
	reach := object{
		"id": theirs, "user": ada.id, "uid": ada.id, "owner": ada.id, "user_name": "Eve", "img_width": 9, "img_height": 9, "width": 9,
		"key": "public/x.png", "photo_url": "https://evil.example/x.png",
		"create_time": "2001-01-01T00:00:00Z", "delete_time": "2001-01-01T00:00:00Z",
	}
	with := func(more object) object {
		body := maps.Clone(reach)
		maps.Copy(body, more)
		return body
	}
	kept := object{"user": eve.id, "img_width": 30, "img_height": 20, "create_time": "2026-11-20T12:00:00.000000Z", "delete_time": nil}
	image := eve.post(t, images, with(object{"img": aPNG(t), "tags": []any{"mine"}})).is(201).shows(kept)
	assert.NotEqual(t, theirs, image.int("data.id"))
	assert.Contains(t, image.text("data.img"), s.url+"/media/public/")
	retagged := eve.patch(t, imagePath(image.int("data.id")), with(object{"tags": []any{"still"}, "img": dot})).is(200)
	assert.Equal(t, image.text("data.img"), retagged.text("img"))
	assert.Equal(t, image.int("data.id"), retagged.int("id"))
	inForm := form{[][2]string{{"user", fmt.Sprint(ada.id)}, {"id", fmt.Sprint(theirs)}, {"delete_time", "2001-01-01T00:00:00Z"},
		{"img_width", "9"}}, "img", aPNG(t)}
	eve.sends(t, images, inForm).is(201).shows(kept)

	event := eve.publishes(t, "x")
	plate := eve.post(t, plates, with(object{"event": event, "photo": aPNG(t)})).is(201)
	plate.shows(object{"user": eve.id, "user_name": "Ada Berg", "create_time": "2026-11-20T12:00:00.000000Z"})
	assert.Contains(t, plate.text("data.photo"), s.url+"/media/private/")

	eve.send(t, "PUT", avatars, with(object{"avatar": aPNG(t)})).is(200).shows(object{"uid": eve.id})
	after := ada.get(t, profile).is(200)
	assert.Equal(t, before.text("data.avatar"), after.text("data.avatar"))
	assert.Equal(t, []string{"[ada's]"}, s.anyone().get(t, imagesOf(ada)).is(200).column("data", "tags"))
}

func ordersAreNotReassigned(t *testing.T, s *server) {
	ada, eve, staff := s.member(t), s.member(t), s.staff(t)
	reach := object{
		"id": 4711, "state": "paid", "paid_at": "2026-11-20T12:00:00.000000Z", "transaction_id": "t", "created_at": "2001-01-01T00:00:00Z",
		"expires_at": "2099-01-01T00:00:00Z", "refunded": true,
	}
	made := draftFor(ada)
	maps.Copy(made, reach)
	order := staff.post(t, newOrder, made).is(201).shows(object{
		"state": "open", "paid_at": nil, "transaction_id": nil, "created_at": "2026-11-20T12:00:00.000000Z",
		"expires_at": "2026-11-20T14:00:00.000000Z", "amount": 990,
	}).int("data.id")
	assert.NotEqual(t, 4711, order)
	paying := object{"order_id": order, "amount": 1, "total_fee": 1, "currency": "XXX", "user": ada.id, "uid": ada.id}
	maps.Copy(paying, reach)
	ada.post(t, pay, paymentWith(paying)).fails(503, "SERVICE_UNAVAILABLE") // there is no wallet
	eve.post(t, pay, paymentWith(paying)).fails(404, "RESOURCE_NOT_FOUND")
	ada.get(t, fmt.Sprintf("%s%d/", ownOrders, order)).is(200).shows(object{"state": "open", "amount": 990, "currency": "CNY", "paid_at": nil})
}

func nobodyElseIsNamed(t *testing.T, s *server) {
	ada, eve := s.member(t), s.member(t)
	ada.writes(t, object{"title": "ada's draft"})
	ada.follows(t, eve)
	order := s.orders(t, ada)
	for _, path := range []string{events, subscriptions, sessions, ownOrders, recent, profile} {
		plain := eve.get(t, path).is(200)
		for _, name := range []string{"uid", "user", "user_id", "author", "owner", "id", "account"} {
			sameAnswer(t, plain, eve.get(t, fmt.Sprintf("%s?%s=%d", path, name, ada.id)), path, name)
		}
	}
	eve.send(t, "PUT", passwordPath, object{"old_password": password, "new_password": newPassword, "uid": ada.id, "user": ada.id,
		"username": ada.phone}).is(204)
	s.anyone().gets(t, ada)
	s.anyone().logsIn(t, eve.phone, newPassword).is(200)
	eve.post(t, logout, object{"uid": ada.id, "key": ada.key}).is(204)
	ada.get(t, profile).is(200)
	ada.get(t, fmt.Sprintf("%s%d/", ownOrders, order)).is(200)
}
