package contract

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/audit"
)

const acts = "/api/back-office/v1/audit/"

var auditRows = []row{
	{"MOD-04 OFF-01 what staff do is listed, the newest first, and what fails is not", actsListed, everyStore},
	{"OFF-01 pages of acts neither repeat nor skip what is done meanwhile", actsPaged, oneStore},
}

var auditSales = []sale{
	{"MOD-04 a refund that staff order is an act about the payer, done once however often the request is repeated", refundsAudited,
		everyStore},
}

func actsListed(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	assert.Empty(t, staff.get(t, acts).is(200).list("data"))
	order := staff.post(t, newOrder, draftFor(ada)).is(201).int("data.id")
	staff.post(t, newOrder, object{"user": int(ada.id)}).invalid("subject", "amount")
	unknown := draftFor(ada)
	unknown["user"] = 9999
	staff.post(t, newOrder, unknown).is(400)
	staff.post(t, refunds, object{"payment": 9999, "reason": "Cold"}).is(404)
	staff.get(t, payments).is(200)
	_, err := s.app.Stores.Audit.Append(t.Context(), audit.Record{
		At: s.clock.Now(), By: audit.Actor{Person: "王丽"}, Act: audit.BackedUp, Object: audit.Object{Kind: audit.Database}, Reason: "Monday",
	})
	require.NoError(t, err)
	list := staff.get(t, acts).is(200)
	require.Len(t, list.list("data"), 2)
	list.hasFields("data.0", []string{"id", "at", "by", "act", "object", "object_id", "reason"})
	shown := func(i int) []any {
		var all []any
		for _, field := range []string{"by", "act", "object", "object_id", "reason"} {
			all = append(all, list.at(fmt.Sprintf("data.%d.%s", i, field)))
		}
		return all
	}
	assert.Equal(t, []any{"王丽", "backed_up", "database", nil, "Monday"}, shown(0))
	assert.Equal(t, []any{json.Number(fmt.Sprint(staff.id)), "order_created", "order", fmt.Sprint(order), ""}, shown(1))
	ada.get(t, acts).fails(403, "PERMISSION_DENIED")
	s.anyone().get(t, acts).is(401)
	s.with(s.anyone().gets(t, staff, "pay_trade_order")).get(t, acts).fails(403, "PERMISSION_DENIED")
}

func actsPaged(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	for range 3 {
		staff.post(t, newOrder, draftFor(ada)).is(201)
	}
	first := staff.get(t, acts+"?page_size=2").is(200)
	staff.post(t, newOrder, draftFor(ada)).is(201)
	rest := staff.get(t, acts+"?page_size=2&cursor="+url.QueryEscape(first.text("cursor.next"))).is(200)
	assert.Equal(t, []string{"3", "2", "1"}, append(first.column("data", "object_id"), rest.column("data", "object_id")...))
	assert.Nil(t, rest.at("cursor.next"))
	staff.get(t, acts+"?cursor=x").invalid("cursor")
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
