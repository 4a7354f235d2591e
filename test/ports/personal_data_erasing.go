package ports

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/privacy"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// erase erases the kinds, all of them if none is named, and returns how many records.
func (w *fixtures) erase(id user.ID, kinds ...personaldata.Kind) (total int) {
	if len(kinds) == 0 {
		kinds = kindsOfData()
	}
	for _, k := range kinds {
		for {
			n, err := w.PersonalData.Erase(w.Context(), id, k, 2)
			require.NoError(w, err, k)
			if n == 0 {
				break
			}
			total += n
		}
	}
	return total
}

func personalErase(w *fixtures) {
	p := w.storePerson(1)
	remaining := func(k personaldata.Kind) int {
		left, err := w.PersonalData.Remaining(w.Context(), p.id, k)
		require.NoError(w, err)
		return left
	}
	assert.Positive(w, remaining(personaldata.Hidden))
	for _, d := range personaldata.Kinds() {
		all := remaining(d.Kind)
		if d.Kind == personaldata.Hidden {
			assert.Zero(w, all, "it has gone with what is hidden")
			continue
		}
		assert.True(w, all > 0 || d.Erasure == personaldata.Kept, d.Kind)
		for left := all - 1; left >= 0; left-- {
			n, err := w.PersonalData.Erase(w.Context(), p.id, d.Kind, 1)
			require.NoError(w, err)
			require.Equal(w, 1, n, d.Kind)
			require.Equal(w, left, remaining(d.Kind), d.Kind)
		}
		w.consistent()
	}
	assert.Zero(w, w.erase(p.id), "a second time")
	for _, d := range personaldata.Kinds() {
		assert.Zero(w, remaining(d.Kind), d.Kind)
		if d.Erasure == personaldata.Removed {
			assert.Empty(w, w.records(p.id, d.Kind), d.Kind)
		}
	}
	orders := w.records(p.id, personaldata.Orders)
	require.Len(w, orders, 3)
	for _, o := range orders {
		assert.Equal(w, valueOf(o, "state") == payment.Open, valueOf(o, "subject") != "")
		assert.Equal(w, int64(1250), valueOf(o, "amount"))
		assert.Equal(w, noon, valueOf(o, "created_at"))
	}
	assert.Equal(w, "transaction 1", valueOf(orders[0], "transaction_id"))
	assert.Equal(w, "transaction 1", valueOf(w.records(p.id, personaldata.Payments)[0], "transaction_id"))
	refund := w.records(p.id, personaldata.Refunds)[0]
	assert.Equal(w, []any{int64(100), "", "5030"}, []any{valueOf(refund, "amount"), valueOf(refund, "reason"),
		valueOf(refund, "wallet_refund_id")})
	assert.Equal(w, []privacy.Record{privacy.RecordOf(personaldata.Account, personaldata.Person{
		Account: access.Account{User: p.id, Phone: user.ErasedPhone(p.id), Disabled: true},
		Member:  user.Member{Timezone: "UTC", Joined: noon}, Source: fmt.Sprint("user ", p.id),
	})}, w.records(p.id, personaldata.Account))
	for _, r := range w.audited() {
		assert.Empty(w, r.Reason, "about the person, or by the person: %v", r.Act)
	}
	assert.Equal(w, audit.AccountDisabled, valueOf(w.records(p.id, personaldata.StaffActs)[0], "act"))
	trade := w.traded(valueOf(orders[0], "id").(payment.OrderID))
	assert.Empty(w, trade.Prepayments[0].Request)
	assert.Empty(w, trade.Prepayments[0].Ticket.CodeURL)
	w.consistent()
}

func personalEraseDerived(w *fixtures) {
	p := w.storePerson(1)
	_, err := w.Imports.RememberCover(w.Context(), imported.Digest{1}, media.Picture{Key: "public/cover-1"})
	require.NoError(w, err)
	w.erase(p.id, personaldata.Comments, personaldata.Likes)
	seen := w.entry(p.seen.ID())
	assert.Equal(w, event.Counts{Comments: 1, Likes: 1}, seen.Counts)
	w.erase(p.id)
	w.gone(p.own.ID())
	_, isRemembered, err := w.Imports.Cover(w.Context(), imported.Digest{1})
	require.NoError(w, err)
	assert.False(w, isRemembered, "the file of a cover goes, so imports store it anew")
	assert.ElementsMatch(w, []media.Key{
		"private/copy-plate 1", photosOf(p.own.State().Plates)[0], "public/avatar-1", "public/avatar-1-sm", "public/cover-1",
		"public/image-10", "public/image-11",
	}, w.dueDeletions(noon))
	for _, l := range w.Listings(w.T) {
		assert.False(w, l.Kind == feed.Publication && l.ID == 10 || l.Kind == feed.Node && l.ID == 10 || l.Kind == feed.Demand && l.ID == 10, l)
	}
	pages, err := w.Publications.List(w.Context(), publication.Query{OriginOnly: true, Page: pageNo(1, 10)})
	require.NoError(w, err)
	require.Len(w, pages.Items, 1, "the translation counts as an original when its original is gone")
	assert.Equal(w, publication.ID(11), pages.Items[0].ID)
	w.consistent()
}

// personalEraseSharedCover has covers that a node, a demand and a publication of others show, too.
func personalEraseSharedCover(w *fixtures) {
	cover := func(n int) media.Picture {
		return media.CoverOf(media.Key(fmt.Sprint("public/cover-", n)), media.CoverSM, 3, 2)
	}
	all := []person{w.storePerson(1), w.storePerson(2), w.storePerson(3)}
	shared := node(content(all[0].other), 99)
	shared.Cover = cover(1)
	w.imports(
		shared,
		request(all[1].other, 99, func(d *demand.Demand) { d.Cover = cover(2) }),
		article(all[2].other, 99, func(p *publication.Publication) { p.Cover = cover(3) }),
	)
	for _, p := range all {
		w.erase(p.id)
	}
	due := w.dueDeletions(noon)
	for n := range all {
		assert.NotContains(w, due, cover(n+1).Key)
	}
	w.consistent()
}

func personalEraseOthers(w *fixtures) {
	p, stranger := w.storePerson(1), w.storePerson(2)
	before, others := w.everything(stranger.id), w.everything(p.other)
	w.erase(p.id)
	assert.Equal(w, before, w.everything(stranger.id))
	after := w.everything(p.other)
	for k := range others {
		switch k {
		case personaldata.Notifications:
			require.Len(w, after[k], 1)
			assert.Equal(w, "report_decided", valueOf(after[k][0], "kind"), "staff said what became of a report")
		case personaldata.Follows, personaldata.Reports:
			assert.Empty(w, after[k], "whom the other followed is gone, and so is what that person did, and what of theirs was reported")
		case personaldata.Comments, personaldata.Likes:
			assert.Len(w, after[k], 1, "what was on the erased event is gone")
		default:
			assert.True(w, reflect.DeepEqual(others[k], after[k]), k)
		}
	}
}

// Several persons are erased while others comment on, like and write the same events.
func personalEraseAtOnce(w *fixtures) {
	host := w.newUser()
	all := []*event.Event{w.write(host, noon), w.write(host, noon), w.write(host, noon)}
	var people []user.ID
	theirs := map[user.ID][]event.ID{}
	for range 4 {
		who := w.newUser()
		people = append(people, who)
		for range 3 {
			theirs[who] = append(theirs[who], w.write(who, noon).ID())
		}
		for i := range 12 {
			w.say(all[i%3].ID(), who, noon, "A comment")
		}
		for _, on := range all {
			w.like(on.ID(), who, true)
		}
		w.plated(who, media.Key(fmt.Sprint("private/at-once-", who)))
		_, err := w.Images.Add(w.Context(), userimage.New(who, media.Key(fmt.Sprint("public/at-once-", who)), 1, 1, 10, userimage.Tags{}, noon))
		require.NoError(w, err)
	}
	w.succeed(atOnce(2*len(people), func(i int) (err error) {
		who := people[i/2]
		if i%2 == 0 {
			for j := 0; j < 12 && err == nil; j++ {
				_, _, err = w.Discussion.AddComment(w.Context(), event.Comment{Event: all[2-j%3].ID(), Author: host, Content: "Meanwhile",
					Created: noon})
				vanishing := event.Comment{Event: theirs[who][2-j%3], Author: host, Content: "Meanwhile", Created: noon}
				if _, _, err := w.Discussion.AddComment(w.Context(), vanishing); !errors.Is(err, event.ErrNotFound) {
					require.NoError(w, err)
				}
			}
			return err
		}
		for _, k := range kindsOfData() {
			for n := 1; n > 0 && err == nil; {
				n, err = w.PersonalData.Erase(w.Context(), who, k, 5)
			}
		}
		return err
	}))
	for _, on := range all {
		assert.Equal(w, event.Counts{Comments: 4 * len(people)}, w.entry(on.ID()).Counts)
	}
	w.consistent()
}

// personalEraseOpenOrder has a refund without an outcome as well.
func personalEraseOpenOrder(w *fixtures) {
	p := w.storePerson(1)
	open, err := w.Ledger.OpenOrders(w.Context(), p.id)
	require.NoError(w, err)
	require.Len(w, open, 1)
	paid := w.traded(w.records(p.id, personaldata.Orders)[0][0].Value.(payment.OrderID))
	w.refunds(paid.Payments[0].ID, 100, "refund-without-outcome", noon)
	before := w.traded(open[0].ID)
	w.erase(p.id)
	assert.NotEmpty(w, valueOf(w.records(p.id, personaldata.Refunds)[1], "reason"))
	assert.Equal(w, before, w.traded(open[0].ID))
	w.trade(open[0].ID, func(t *payment.Trade) {
		t.Settle(receiptOf(t.Order, "late", t.Prepayments[0].TradeNo, noon), noon)
	})
	assert.Equal(w, 3, w.erase(p.id), "the order and its prepayment, once they are final, and the notification of that")
	assert.Empty(w, w.traded(open[0].ID).Prepayments[0].Intent.OpenID)
}

func personalEraseAccount(w *fixtures) {
	p := w.storePerson(1)
	generation := w.account(p.id).Generation
	w.erase(p.id)
	a := w.account(p.id)
	assert.True(w, a.IsErased())
	assert.True(w, a.Disabled)
	assert.Empty(w, a.Hash)
	assert.Empty(w, a.Scopes)
	assert.Greater(w, a.Generation, generation)
	members, err := w.Directory.Members(w.Context(), []user.ID{p.id, p.other})
	require.NoError(w, err)
	require.Len(w, members, 1)
	assert.Equal(w, p.other, members[0].ID)
	_, _, err = w.Subscriptions.Follow(w.Context(), toUser(p.other, p.id, noon))
	require.ErrorIs(w, err, subscription.ErrNotFound)
	require.ErrorIs(w, w.Directory.SetAvatar(w.Context(), p.id, avatarOf("late"), 1), user.ErrNotFound)
	_, err = w.Accounts.ByPhone(w.Context(), p.phone)
	require.ErrorIs(w, err, access.ErrNoAccount)
	again, err := w.Accounts.Open(w.Context(), access.Account{Phone: p.phone}, user.Member{Timezone: "UTC", Joined: noon})
	require.NoError(w, err)
	assert.NotEqual(w, p.id, again)
	w.fail(noon, access.Attempt{Phone: p.phone, Source: try(1, 1).Source})
	assert.Zero(w, w.erase(p.id), "what the new account has is not the old one's")
	w.changeAccount(p.id, func(*access.Account) {})
	assert.True(w, w.account(p.id).IsErased())
}

func personalEraseLogins(w *fixtures) {
	p := w.storePerson(1)
	before, after := access.Attempt{Phone: p.phone, Source: try(1, 1).Source}, access.Attempt{Phone: p.phone, Source: try(1, 2).Source}
	w.erase(p.id, slices.DeleteFunc(kindsOfData(), func(k personaldata.Kind) bool { return k == personaldata.Account })...)
	w.login(noon, before)
	w.fail(noon, after)
	w.fail(noon, access.Attempt{Phone: p.phone, Source: try(1, 3).Source})
	w.erase(p.id, personaldata.Account)
	require.NoError(w, w.Throttle.Succeed(w.Context(), after, noon))
	again, err := w.Accounts.Open(w.Context(), access.Account{Phone: p.phone}, user.Member{Timezone: "UTC", Joined: noon})
	require.NoError(w, err)
	assert.Empty(w, w.records(again, personaldata.LoginNetworks))
	assert.Empty(w, w.records(again, personaldata.FailedLogins))
}

func personalEraseImport(w *fixtures) {
	in := w.importer("a.jsonl")
	someone := userRecord(writer, 900)
	require.Equal(w, repeated(3, imported.New), in.importAll(someone, bundleRecord(1, 0, 0), publicationRecord(1)))
	id := w.uid(someone.Phone)
	w.erase(id)
	assert.Equal(w, []imported.Status{imported.Refused, imported.Waits}, in.importAll(someone, publicationRecord(1)))
	assert.Equal(w, []imported.Status{imported.Waits}, in.importAll(publicationRecord(2)))
	assert.Empty(w, w.knows(imported.Ref{Kind: imported.User, ID: writer}))
	_, err := w.Accounts.ByPhone(w.Context(), someone.Phone)
	require.ErrorIs(w, err, access.ErrNoAccount)
	assert.Empty(w, w.records(id, personaldata.Publications))
	w.consistent()
}
