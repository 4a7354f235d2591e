package ports

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/privacy"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/block"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/domain/verification"
)

// PersonalData is the suite of personaldata.Store.
func PersonalData(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Records yields every kind with all that was stored", personalRecords},
		{"Records is in the order of the keys, however many there are", personalRecordsMany},
		{"Records ends when its reader wants no more", personalRecordsEnd},
		{"an unknown user has no records, and nothing of others is among a user's", personalRecordsOfOthers},
		{"Erase treats at most limit records, Remaining counts the others, and at the end nothing is left of what is removed, and nothing " +
			"that tells who of what is blanked", personalErase},
		{"Erase keeps counts, listings and the pictures to delete right", personalEraseDerived},
		{"Erase keeps a cover that another record shows", personalEraseSharedCover},
		{"Erase changes nothing of others", personalEraseOthers},
		{"Erase and writers at once keep counts right", personalEraseAtOnce},
		{"an open order, and a prepayment that may be paid, stay as they are", personalEraseOpenOrder},
		{"an erased account is disabled and unknown, can't be followed, and its phone number is free", personalEraseAccount},
		{"nothing stays of logins that end while the account is erased", personalEraseLogins},
		{"an import brings neither an erased user back nor what the user has written", personalEraseImport},
	})
}

// person is a user of whom something of every kind is stored.
type person struct {
	id, other user.ID // the other has commented, liked and followed
	own, seen *event.Event
	phone     user.Phone
}

// valueOf returns the value of the field.
func valueOf(r privacy.Record, name string) any {
	return r[slices.IndexFunc(r, func(f privacy.Field) bool { return f.Name == name })].Value
}

func kindsOfData() (kinds []personaldata.Kind) {
	for _, d := range personaldata.Kinds() {
		kinds = append(kinds, d.Kind)
	}
	return kinds
}

// storePerson stores a person. The number tells the persons of a test apart.
func (w *fixtures) storePerson(n int) person {
	described := func(m *user.Member) { m.Lastname, m.Expertise, m.Location = "王", "园艺", "Sevilla" }
	p := person{id: w.newUser(described), other: w.newUser()}
	p.phone = w.account(p.id).Phone
	w.category(feed.CategoryID(n))
	w.avatar(p.id, avatarOf(fmt.Sprint("avatar-", n)))
	require.NoError(w, w.Directory.ChangeProfile(w.Context(), p.id, user.ProfileChange{Bio: new("茶")}))
	p.own = w.plated(p.id, media.Key(fmt.Sprint("private/plate-", n)))
	p.seen = w.write(p.other, noon, under(feed.CategoryID(n)))
	w.say(p.seen.ID(), p.id, noon.Add(2*time.Second), "Mine, the latest")
	w.say(p.seen.ID(), p.other, noon.Add(time.Second), "Not mine")
	w.say(p.seen.ID(), p.id, noon, "Mine, the first")
	w.say(p.own.ID(), p.other, noon, "On mine")
	for _, who := range []user.ID{p.id, p.other} {
		for _, on := range []*event.Event{p.own, p.seen} {
			w.like(on.ID(), who, true)
		}
	}
	fickle := w.newUser()
	w.like(p.own.ID(), fickle, true)
	w.like(p.own.ID(), fickle, false)
	w.befriend(p.id, p.other)
	w.subscribe(subscription.ToCategory(p.id, feed.CategoryID(n), noon))
	w.block(p.id, w.newUser())
	w.block(w.newUser(), p.id)
	for i, deleted := range []bool{false, true} {
		image, err := w.Images.Add(w.Context(), userimage.New(p.id, media.Key(fmt.Sprintf("public/image-%d%d", n, i)), 6, 4, 100,
			tagged(w, "sea"), noon))
		require.NoError(w, err)
		if deleted {
			w.changeOf(image.ID, discard)
		}
	}
	w.complain(p.id, thing(p.seen.ID()), p.other)
	w.complain(p.other, thing(p.own.ID()), p.id)
	w.hide(thing(p.own.ID()), noon)
	p.own = w.entry(p.own.ID()).Event
	w.published(p, n)
	w.ordered(p, n)
	w.loggedIn(p, byte(n))
	return p
}

// published imports what the person is the author of: an original with a text and a cover in a file, a node with a text, a demand and a
// how-to. The other translates the original.
func (w *fixtures) published(p person, n int) {
	id := int64(10 * n)
	original := publication.BundleID(id)
	picture := media.CoverOf(media.Key(fmt.Sprint("public/cover-", n)), media.CoverSM, 3, 2)
	w.imports(
		article(p.id, publication.ID(id), func(p *publication.Publication) { p.Cover, p.Category = picture, feed.CategoryID(n) }),
		article(p.other, publication.ID(id+1), translationOf(original)),
		node(content(p.id), publication.NodeID(id)), node(content(p.other), publication.NodeID(id+1)),
		fullRequest(p.id, demand.ID(id), feed.CategoryID(n)), request(p.other, demand.ID(id+1)),
		howTo(fmt.Sprint("how-to ", n), p.id, noon, original),
	)
	author := fmt.Sprint("user ", p.id)
	texted := imported.PublicationRecord{Publication: article(0, publication.ID(id)), By: author, HTML: "<p>Of a publication</p>"}
	texted.Cover, texted.Category = picture, feed.CategoryID(n)
	noded := imported.NodeRecord{Node: node(content(0), publication.NodeID(id)), By: author, HTML: "<p>Of a node</p>"}
	require.Equal(w, repeated(2, imported.Changed), w.importer("texts").importAll(texted, noded))
}

// ordered stores a paid and refunded order, a closed one and an open one, whose prepayment may be paid, and an Idempotency-Key.
func (w *fixtures) ordered(p person, n int) {
	paid, closed, open := w.charge(order(p.id, noon)), order(p.id, noon), w.charge(order(p.id, noon))
	w.pays(paid.ID, payment.TradeNo(fmt.Sprint("paid", n)), fmt.Sprint("transaction ", n), noon)
	w.refundEnds(w.refunds(w.traded(paid.ID).Payments[0].ID, 100, payment.RefundNo(fmt.Sprint("refund-", n)), noon), payment.RefundSucceeded,
		noon)
	closed.State = payment.Closed
	w.charge(closed)
	w.begins(open.ID, payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: "open-id"},
		payment.TradeNo(fmt.Sprint("open", n)), noon)
	w.reserves(keyNamed(p.id, "a key"), noon)
}

// loggedIn stores a token and its use, failed logins, a network, and a charge.
func (w *fixtures) loggedIn(p person, n byte) {
	t := w.issue(token(p.id, n))
	w.touch(t, noon.Add(time.Hour))
	attempt := try(1, int(n))
	attempt.Phone = p.phone
	w.login(noon, attempt)
	w.fail(noon, attempt)
	code, _ := verification.New(verification.Erase, verification.NumberOf(p.phone), codeKeys, noon)
	from := attempt.Source.First()
	require.NoError(w, w.Codes.Reserve(w.Context(), verification.Request{
		Code: code.State(), From: from, Expense: verification.Expense{DiallingCode: "86", Messages: 1, Now: noon},
	}))
	w.actedOn(p)
	charge := ratelimit.Limits{ratelimit.Follow: {Count: 10, Period: time.Hour}}.Charge(int64(p.id), ratelimit.Follow, noon)
	_, _, err := w.Subscriptions.Follow(w.Context(), toUser(p.id, w.newUser(), noon), charge)
	require.NoError(w, err)
}

// actedOn stores what staff did to the person, and what the person did to the other as staff, with reasons.
func (w *fixtures) actedOn(p person) {
	for _, r := range []audit.Record{audit.OnAccount(audit.AccountDisabled, p.id), audit.OnAccount(audit.AccountEnabled, p.other)} {
		r.At, r.By, r.Reason = noon, audit.Actor{Person: "maria"}, "Wang Li asked for it"
		if r.About == p.other {
			r.By = audit.Actor{Staff: p.id}
		}
		_, err := w.Stores.Audit.Append(w.Context(), r)
		require.NoError(w, err)
	}
}

// records are what the store yields.
func (w *fixtures) records(id user.ID, k personaldata.Kind) (all []privacy.Record) {
	for r, err := range w.PersonalData.Records(w.Context(), id, k) {
		require.NoError(w, err, k)
		all = append(all, privacy.RecordOf(k, r))
	}
	return all
}

// everything is what the store yields of all kinds.
func (w *fixtures) everything(id user.ID) map[personaldata.Kind][]privacy.Record {
	all := map[personaldata.Kind][]privacy.Record{}
	for _, k := range kindsOfData() {
		all[k] = w.records(id, k)
	}
	return all
}

func personalRecords(w *fixtures) {
	p := w.storePerson(1)
	all := w.everything(p.id)
	for _, d := range personaldata.Kinds() {
		require.NotEmpty(w, all[d.Kind], d.Kind)
	}
	for stored, err := range w.PersonalData.Records(w.Context(), p.id, personaldata.Account) {
		require.NoError(w, err)
		assert.Empty(w, stored.(personaldata.Person).Account.Hash)
	}
	for stored, err := range w.PersonalData.Records(w.Context(), p.id, personaldata.Sessions) {
		require.NoError(w, err)
		assert.Zero(w, stored.(access.Token).Hash)
	}
	one := func(k personaldata.Kind) privacy.Record {
		require.Len(w, all[k], 1, k)
		return all[k][0]
	}
	for k, want := range map[personaldata.Kind]personaldata.Record{
		personaldata.Account: personaldata.Person{
			Account: w.account(p.id), Member: w.member(p.id), Bio: "茶", Source: fmt.Sprint("user ", p.id),
		},
		personaldata.StaffActs:     w.audited()[1], // not of what the person did
		personaldata.Events:        w.entry(p.own.ID()).State(),
		personaldata.Blocks:        block.Block{Whom: w.blockedBy(p.id)[0], Created: noon},
		personaldata.Nodes:         personaldata.Node{Node: node(content(p.id), 10), HTML: "<p>Of a node</p>"},
		personaldata.Demands:       fullRequest(p.id, 10, 1),
		personaldata.HowTos:        howTo("how-to 1", p.id, noon, 10),
		personaldata.RateLimits:    personaldata.RateLimit{Action: ratelimit.Follow, Until: noon.Add(6 * time.Minute)},
		personaldata.FailedLogins:  personaldata.FailedLogin{Network: "192.0.0.1/32", At: noon},
		personaldata.LoginNetworks: personaldata.LoginNetwork{Network: "192.0.0.1/32", LastLogin: noon},
		personaldata.CodeUses:      personaldata.CodeUse{Use: verification.Requested, Network: "192.0.0.1/32", At: noon},
	} {
		assert.Equal(w, privacy.RecordOf(k, want), one(k))
	}
	for _, c := range []struct {
		kind personaldata.Kind
		at   int
		name string
		want any
	}{
		{personaldata.Account, 0, "seen_at", noon.Add(time.Hour)}, {personaldata.Sessions, 0, "used_at", noon.Add(time.Hour)},
		{personaldata.Comments, 0, "content", "Mine, the latest"}, {personaldata.Comments, 1, "event", p.seen.ID()},
		{personaldata.Comments, 1, "create_time", noon}, {personaldata.Likes, 0, "event", p.own.ID()},
		{personaldata.Likes, 1, "event", p.seen.ID()}, {personaldata.Follows, 0, "followed_user", p.other},
		{personaldata.Follows, 1, "followed_category", feed.CategoryID(1)}, {personaldata.Reports, 0, "object", int64(p.seen.ID())},
		{personaldata.Hidden, 0, "reason", "Rude"}, {personaldata.Images, 0, "tags", []string{"sea"}},
		{personaldata.Images, 1, "delete_time", noon.Add(time.Hour)}, {personaldata.Publications, 0, "html_content", "<p>Of a publication</p>"},
		{personaldata.Orders, 0, "state", payment.Paid}, {personaldata.Prepayments, 1, "open_id", "open-id"},
		{personaldata.Payments, 0, "transaction_id", "transaction 1"}, {personaldata.Refunds, 0, "reason", "Cold 茶'\"%"},
		{personaldata.IdempotencyKeys, 0, "key", "a key"}, {personaldata.Codes, 0, "status", verification.Live},
	} {
		assert.EqualValues(w, c.want, valueOf(all[c.kind][c.at], c.name), "%s of %s", c.name, c.kind)
	}
	for k, n := range map[personaldata.Kind]int{
		personaldata.Comments: 2, personaldata.Likes: 2, personaldata.Follows: 3, personaldata.Notifications: 5, personaldata.Reports: 1,
		personaldata.Hidden: 1, personaldata.Images: 2, personaldata.Publications: 1, personaldata.Orders: 3, personaldata.Prepayments: 2,
	} {
		assert.Len(w, all[k], n, k)
	}
	for i, want := range map[int][]any{0: {"comment", nil}, 1: {"like", int64(p.own.ID())}, 2: {"follow", nil}} {
		n := all[personaldata.Notifications][i]
		assert.EqualValues(w, append(want, p.other, noon),
			[]any{valueOf(n, "kind"), valueOf(n, "event"), valueOf(n, "user"), valueOf(n, "created_at")})
	}
	images := all[personaldata.Images]
	assert.Empty(w, images[1].Pictures(), "a deleted image has no file")
	for key, r := range map[media.Key]privacy.Record{
		"public/avatar-1": one(personaldata.Account), photosOf(p.own.State().Plates)[0]: one(personaldata.Events), "public/image-10": images[0],
		"public/cover-1": one(personaldata.Publications),
	} {
		assert.Equal(w, []media.Key{key}, r.Pictures())
	}
}

func personalRecordsMany(w *fixtures) {
	const each = 210 // more than a store reads at once
	who := w.newUser()
	first, second := w.write(who, noon), w.write(who, noon)
	for i := range each {
		w.say([]*event.Event{first, second}[i%2].ID(), who, noon, fmt.Sprint(i))
	}
	var got []string
	for _, r := range w.records(who, personaldata.Comments) {
		got = append(got, valueOf(r, "content").(string))
	}
	var want []string
	for from := range 2 {
		for i := from; i < each; i += 2 {
			want = append(want, fmt.Sprint(i))
		}
	}
	assert.Equal(w, want, got)
	for i := range each {
		w.reserves(keyNamed(who, fmt.Sprintf("key %03d", i)), noon)
	}
	keys := w.records(who, personaldata.IdempotencyKeys)
	require.Len(w, keys, each)
	assert.True(w, slices.IsSortedFunc(keys, func(a, b privacy.Record) int {
		return strings.Compare(valueOf(a, "key").(string), valueOf(b, "key").(string))
	}))
}

func personalRecordsEnd(w *fixtures) {
	p := w.storePerson(1)
	for range w.PersonalData.Records(w.Context(), p.id, personaldata.Likes) {
		break
	}
	w.promptly(func() { w.say(p.own.ID(), p.id, noon, "the store goes on") })
	for _, err := range w.PersonalData.Records(w.Context(), p.id, "nonsense") {
		assert.Error(w, err)
	}
}

func personalRecordsOfOthers(w *fixtures) {
	p := w.storePerson(1)
	stranger := w.newUser()
	for _, k := range kindsOfData() {
		assert.Empty(w, w.records(stranger+1, k), k)
		if k != personaldata.Account {
			assert.Empty(w, w.records(stranger, k), k)
		}
		n, err := w.PersonalData.Erase(w.Context(), stranger+1, k, 10)
		require.NoError(w, err)
		assert.Zero(w, n, k)
	}
	assert.NotEmpty(w, w.records(p.id, personaldata.Events))
}
