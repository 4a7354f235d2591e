package ports

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// Wallet is a wallet's side, with all that the suite needs to play it. A stand-in will do,
// as long as it was not written from the gateway.
type Wallet struct {
	// Side answers what gateways send. The suite stands between the two, and loses, delays, counts and changes their messages.
	Side http.Handler
	// Gateway returns a gateway whose wallet is at the address, and whose calls end by the deadline even if their context has a later one.
	// All are one merchant's, like those of several servers.
	Gateway func(address string, deadline time.Duration) payment.Gateway
	// EndTypes are those that the wallet knows; BuildRequest of any other is a fault.
	EndTypes []payment.EndType
	// Pay pays the prepayment, which is an error if it can't be paid, and notifies of it
	// as the wallet does. It returns whether the wallet takes what it is answered for a yes.
	Pay func(no payment.TradeNo, told func(payment.Notification) payment.Acknowledgement) (taken bool, err error)
	// Forgeries are the notification as written without the wallet's key: without a signature, with an empty one, with one by another key;
	// for a protocol that signs a time, too old and from the future.
	Forgeries func(payment.Notification) []payment.Notification
	// RefundOutcome lets a refund that is processing end, and notifies of it as the wallet does. Nil: the wallet does not refund.
	RefundOutcome func(no payment.RefundNo, s payment.RefundState, told func(payment.Notification) payment.Acknowledgement) error
	// Pass has so much time go by at the wallet.
	Pass func(time.Duration)
	// CloseAge is how old a prepayment must be before the wallet closes it; zero: any age.
	CloseAge time.Duration
	// Secrets are what must never show, like the merchant's key; at least one.
	Secrets []string
}

// Gateway is the suite of payment.Gateway. Open opens a wallet that has heard of nothing.
func Gateway(t *testing.T, open func(t *testing.T) Wallet) {
	for _, p := range open(t).promises() {
		t.Run(p.sentence, func(t *testing.T) { p.kept(openGateway(t, open)) })
	}
}

// promises are those that a gateway of the wallet keeps.
func (w Wallet) promises() []gatewayPromise {
	all := slices.Concat(gatewayPreparePromises, gatewayQueryPromises, gatewayReceivePromises, gatewayBillPromises, gatewayFailures)
	if w.RefundOutcome != nil {
		all = append(all, gatewayRefundPromises...)
	}
	return all
}

// gatewayPromise is a sentence of the port's comment, and what shows that it is kept.
type gatewayPromise struct {
	sentence string
	kept     func(d *gatewayFixture)
}

// gatewayFixture is where one subtest pays: a wallet, a gateway, and the line between them.
type gatewayFixture struct {
	*testing.T
	Wallet
	gateway payment.Gateway
	line    *line
	began   time.Time
	passed  time.Duration
}

// longDeadline never ends what a healthy wallet does, and is longer than patience: who waits for it has not kept to the context.
const longDeadline = time.Minute

// patience is how long a call may take to notice that its time is over.
const patience = 10 * time.Second

func openGateway(t *testing.T, open func(t *testing.T) Wallet) *gatewayFixture {
	w := open(t)
	require.NotEmpty(t, w.Secrets, "nothing can be seen to stay hidden")
	require.NotEmpty(t, w.EndTypes)
	d := &gatewayFixture{T: t, Wallet: w, line: newLine(t, w.Side), began: time.Now()}
	d.gateway = d.another()
	return d
}

// another is the gateway of another server.
func (d *gatewayFixture) another() payment.Gateway { return d.Gateway(d.line.address, longDeadline) }

// pass lets the time go by at the wallet.
func (d *gatewayFixture) pass(life time.Duration) {
	d.passed += life
	d.Pass(life)
}

const gatewayPayer = "oPayer-7_q2mXw9cT4sLk0"

// allIntents are the ways to pay that there are.
func allIntents(t *testing.T) (all []payment.Intent) {
	for _, way := range []payment.Intent{
		{EndType: payment.Native, App: payment.OfficialAccount}, {EndType: payment.App, App: payment.SvcIOSApp},
		{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: gatewayPayer}, {EndType: payment.H5, App: payment.OfficialAccount},
	} {
		i, err := payment.NewIntent(payment.MobileWallet, way.EndType, way.App, way.OpenID)
		require.NoError(t, err)
		all = append(all, i)
	}
	return all
}

// intents are the ways to pay that the wallet knows.
func (d *gatewayFixture) intents() []payment.Intent {
	return slices.DeleteFunc(allIntents(d.T), func(i payment.Intent) bool { return !slices.Contains(d.EndTypes, i.EndType) })
}

// intent is any way to pay that the wallet knows.
func (d *gatewayFixture) intent() payment.Intent { return d.intents()[0] }

// prepayment is one that was drawn, and perhaps prepared.
type prepayment struct {
	order   payment.Order
	intent  payment.Intent
	no      payment.TradeNo
	request []byte
	ticket  payment.Ticket
}

// wanted is an order of the moment, which nothing ends in the meantime.
func (d *gatewayFixture) wanted(subject string, amount int64) payment.Order {
	o := payment.NewOrder(3, subject, amount, 30*24*time.Hour, d.began)
	o.ID = 7
	return o
}

// drawn is a prepayment of the order that the wallet has not heard of.
func (d *gatewayFixture) drawn(o payment.Order, i payment.Intent) prepayment {
	p := prepayment{order: o, intent: i, no: payment.TradeNo("order-7-" + rand.Text())[:32]}
	var err error
	p.request, err = d.gateway.BuildRequest(o, i, p.no, WalletPayerAddress)
	require.NoError(d, err)
	return p
}

func (d *gatewayFixture) draw() prepayment {
	return d.drawn(d.wanted("Tea", 990), d.intent())
}

func (d *gatewayFixture) send(p *prepayment) {
	var err error
	p.ticket, err = d.gateway.Prepare(d.Context(), p.request)
	require.NoError(d, err)
	d.assertGood(*p)
}

// prepared is a prepayment that the wallet has.
func (d *gatewayFixture) prepared(i payment.Intent) prepayment {
	p := d.drawn(d.wanted("Tea", 990), i)
	d.send(&p)
	return p
}

// old is a prepayment that the wallet would close and that can be paid.
func (d *gatewayFixture) old(i payment.Intent) prepayment {
	p := d.prepared(i)
	d.pass(d.CloseAge)
	d.send(&p) // a ticket may have a shorter life than that
	return p
}

// assertGood asserts that the ticket has what a payer needs.
func (d *gatewayFixture) assertGood(p prepayment) {
	switch p.intent.EndType {
	case payment.Native:
		assert.NotEmpty(d, p.ticket.CodeURL)
	case payment.H5:
		assert.NotEmpty(d, p.ticket.MWebURL)
	default:
		assert.NotEmpty(d, p.ticket.PrepayID)
	}
}

// paid pays the prepayment and returns the notification.
func (d *gatewayFixture) paid(p prepayment) payment.Notification {
	var said payment.Notification
	_, err := d.Pay(p.no, func(n payment.Notification) payment.Acknowledgement {
		said = payment.Notification{Header: maps.Clone(n.Header), Body: slices.Clone(n.Body)}
		return d.gateway.Acknowledge(true)
	})
	require.NoError(d, err)
	return said
}

// assertUnpayable asserts that the prepayment can't be paid, and that no notification is sent.
func (d *gatewayFixture) assertUnpayable(p prepayment) {
	_, err := d.Pay(p.no, func(payment.Notification) payment.Acknowledgement {
		d.Error("the wallet notifies of a payment that can't be")
		return d.gateway.Acknowledge(true)
	})
	assert.Error(d, err, "the prepayment can be paid")
}

// ask is a question that the wallet answers.
func (d *gatewayFixture) ask(p prepayment) payment.Report {
	report, err := d.gateway.Query(d.Context(), p.intent.App, p.no)
	require.NoError(d, err)
	return report
}

// assertReceipt asserts that the receipt is that of the prepayment.
func (d *gatewayFixture) assertReceipt(p prepayment, r payment.Receipt) {
	assert.NotEmpty(d, r.TransactionID)
	assert.WithinRange(d, r.Paid, d.began.Add(-time.Minute), time.Now().Add(d.passed+time.Minute))
	assert.Equal(d, time.UTC, r.Paid.Location())
	assert.Equal(d, payment.Receipt{
		TransactionID: r.TransactionID, TradeNo: p.no, App: p.intent.App,
		Amount: p.order.Amount, Currency: p.order.Currency, Paid: r.Paid,
	}, r)
}

// gatewayFaults are the errors that say what the wallet has done.
var gatewayFaults = []*fault.Error{
	payment.ErrWalletPaid, payment.ErrWalletClosed, payment.ErrWalletNotFound, payment.ErrWalletNotClosed, payment.ErrWalletOtherOrder,
	payment.ErrInsufficientFunds, payment.ErrWalletRefused, payment.ErrWalletBusy, payment.ErrNothingPaid, payment.ErrForged,
	payment.ErrRefundNotFound, payment.ErrRefundDiffers, payment.ErrRefundTooMuch, payment.ErrRefundsOff, payment.ErrMerchantFunds,
	payment.ErrBillNotReady, payment.ErrNoWallet,
}

// faultsOf are what the error says.
func faultsOf(err error) (all []*fault.Error) {
	for _, v := range gatewayFaults {
		if errors.Is(err, v) {
			all = append(all, v)
		}
	}
	return all
}

// assertFault asserts that the error says that and nothing else.
func (d *gatewayFixture) assertFault(want *fault.Error, err error) {
	if !assert.Error(d, err, want.Text) {
		return
	}
	assert.Equal(d, []*fault.Error{want}, faultsOf(err), "%v", err)
	told, _ := fault.As(err)
	assert.Same(d, want, told, "what people are told")
	d.assertDiscreet(err)
}

// assertUndecided asserts that the error leaves open what the wallet has done, and blames it.
func (d *gatewayFixture) assertUndecided(err error) {
	if assert.Error(d, err) {
		assert.Empty(d, faultsOf(err), "%v", err)
		assert.Contains(d, []fault.Kind{fault.Gateway, fault.Timeout}, fault.KindOf(err), "%v", err)
		d.assertDiscreet(err)
	}
}

// assertClosed asserts that a prepayment was closed, now or before.
func (d *gatewayFixture) assertClosed(err error) {
	if err != nil {
		d.assertFault(payment.ErrWalletClosed, err)
	}
}

// assertDiscreet asserts that nothing that is to stay among us shows, however it is printed.
func (d *gatewayFixture) assertDiscreet(shown any) {
	d.Helper()
	text := strings.ToLower(fmt.Sprintf("%v %+[1]v %#[1]v %[1]s %[1]q %[1]x %[1]d", shown))
	for _, private := range append(slices.Clone(d.Secrets), gatewayPayer) {
		numbers := strings.Trim(fmt.Sprint([]byte(private)), "[]")
		for _, form := range []string{strings.ToLower(private), fmt.Sprintf("%x", private), numbers} {
			if strings.Contains(text, form) {
				assert.Fail(d, "a secret shows", "%T", shown)
			}
		}
	}
}

var gatewayPreparePromises = []gatewayPromise{
	{"BuildRequest sends nothing and makes complete requests; a way to pay that the wallet does not know is a fault", gatewayBuildsRequests},
	{"a request is complete for every order that there may be", gatewayRequestsDiffer},
	{"a request may be sent again, at once and by another server: each gives a good ticket for the same prepayment", gatewaySendsAgain},
	{"a request stays valid as long as its order: built long before it is sent, and sent again for another ticket's life", gatewaySendsLate},
	{"what the wallet does not take is a fault, and is not sent", gatewayRejects},
	{"another request under the same number is ErrWalletOtherOrder, and changes nothing", gatewayOther},
	{"any number of payments may be made at once", gatewayAtOnce},
}

func gatewayBuildsRequests(d *gatewayFixture) {
	d.line.breaks(says(http.StatusInternalServerError, ""))
	var all []prepayment
	for _, i := range allIntents(d.T) {
		if slices.Contains(d.EndTypes, i.EndType) {
			all = append(all, d.drawn(d.wanted("Tea", 990), i))
			continue
		}
		_, err := d.gateway.BuildRequest(d.wanted("Tea", 990), i, "P-unknown-0001", WalletPayerAddress)
		told, is := fault.As(err)
		require.True(d, is, "%v", err)
		assert.NotEqual(d, fault.Internal, told.Kind)
		d.assertDiscreet(err)
	}
	assert.Zero(d, d.line.count())
	d.line.breaks(well)
	for _, p := range all {
		for _, private := range d.Secrets {
			assert.NotContains(d, string(p.request), private, "requests are stored")
		}
		_, err := d.gateway.Query(d.Context(), p.intent.App, p.no)
		d.assertFault(payment.ErrWalletNotFound, err)
		d.send(&p)
		assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(p))
	}
}

func gatewayRequestsDiffer(d *gatewayFixture) {
	for n, subject := range []string{
		"T", strings.Repeat("茶", 42) + ".", `<b>&amp; "it's" 100% ]]> \ + = / ? #`, "a\nb\tc\rd\x01e\u2028f\ufffeg", broad(31),
		`{"a":1}`, "sign=0&key=1", " \u00a0 ",
	} {
		o := d.wanted(subject, []int64{payment.MinAmount, payment.MaxAmount}[n%2])
		o.ID, o.User = 1<<62, 1<<62
		o.Expires = o.Created.Add(payment.MaxLife)
		p := d.drawn(o, d.intents()[n%len(d.intents())])
		d.send(&p)
		d.paid(p)
		d.assertReceipt(p, d.ask(p).Receipt)
	}
}

func gatewaySendsAgain(d *gatewayFixture) {
	for _, i := range d.intents() {
		p := d.drawn(d.wanted("Tea", 990), i)
		for _, err := range atOnce(4, func(n int) error {
			g := d.gateway
			if n%2 == 0 {
				g = d.another()
			}
			again := p
			var err error
			again.ticket, err = g.Prepare(d.Context(), slices.Clone(p.request))
			if err == nil {
				d.assertGood(again)
			}
			return err
		}) {
			assert.NoError(d, err)
		}
		d.send(&p)
		assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(p))
		d.paid(p)
		d.assertUnpayable(p)
		d.assertReceipt(p, d.ask(p).Receipt)
	}
}

// gatewaySendsLate sends requests at an age at which no wallet takes a signature that has a time.
func gatewaySendsLate(d *gatewayFixture) {
	for _, i := range d.intents() {
		p := d.drawn(d.wanted("Tea", 990), i)
		for _, life := range []time.Duration{90 * time.Minute, payment.TicketLife + payment.MWebLife} {
			d.pass(life)
			d.send(&p)
		}
		d.pass(map[bool]time.Duration{true: payment.MWebLife, false: payment.TicketLife}[i.EndType == payment.H5] - time.Second)
		d.paid(p)
		d.assertReceipt(p, d.ask(p).Receipt)
	}
}

// gatewayRejects has numbers, applications and ways to pay that no wallet takes, and a request of another's.
func gatewayRejects(d *gatewayFixture) {
	p := d.draw()
	refund := payment.RefundRequest{App: p.intent.App, TransactionID: "4200000001", Amount: 1, Total: 990, Currency: "CNY"}
	for _, no := range []string{"", "12345", strings.Repeat("1", 65), "1234567\n", "12345 7", "order/7", "order?7", "茶茶茶茶"} {
		_, err := d.gateway.BuildRequest(p.order, p.intent, payment.TradeNo(no), WalletPayerAddress)
		assert.Error(d, err, no)
		_, err = d.gateway.Query(d.Context(), p.intent.App, payment.TradeNo(no))
		assert.Error(d, err, no)
		assert.Error(d, d.gateway.Close(d.Context(), p.intent.App, payment.TradeNo(no)), no)
		_, err = d.gateway.QueryRefund(d.Context(), p.intent.App, payment.RefundNo(no))
		assert.Error(d, err, no)
		refund.No = payment.RefundNo(no)
		_, err = d.gateway.Refund(d.Context(), refund)
		assert.Error(d, err, no)
	}
	const other payment.WalletApp = "another"
	_, err := d.gateway.BuildRequest(p.order, payment.Intent{EndType: p.intent.EndType, App: other}, p.no, WalletPayerAddress)
	d.assertFault(payment.ErrNoWallet, err)
	_, err = d.gateway.Query(d.Context(), other, p.no)
	d.assertFault(payment.ErrNoWallet, err)
	d.assertFault(payment.ErrNoWallet, d.gateway.Close(d.Context(), other, p.no))
	_, err = d.gateway.ClientParams(payment.Intent{EndType: payment.App, App: other}, payment.Ticket{PrepayID: "p1"}, noon)
	d.assertFault(payment.ErrNoWallet, err)
	odd := payment.Intent{EndType: 42, App: p.intent.App}
	_, err = d.gateway.BuildRequest(p.order, odd, p.no, WalletPayerAddress)
	assert.Error(d, err)
	_, err = d.gateway.ClientParams(odd, payment.Ticket{}, noon)
	assert.Error(d, err)
	for _, request := range []string{"", "nonsense", "{}"} {
		_, err = d.gateway.Prepare(d.Context(), []byte(request))
		assert.Error(d, err, request)
	}
	assert.Zero(d, d.line.count())
}

func gatewayOther(d *gatewayFixture) {
	first := d.prepared(d.intent())
	var others []prepayment
	for _, i := range d.intents()[1:] {
		others = append(others, prepayment{order: first.order, intent: i})
	}
	dearer := first
	dearer.order.Amount++
	for _, other := range append(others, dearer) {
		request, err := d.gateway.BuildRequest(other.order, other.intent, first.no, WalletPayerAddress)
		require.NoError(d, err)
		_, err = d.gateway.Prepare(d.Context(), request)
		d.assertFault(payment.ErrWalletOtherOrder, err)
	}
	assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(first))
	d.send(&first)
	d.paid(first)
	d.assertReceipt(first, d.ask(first).Receipt)
}

func gatewayAtOnce(d *gatewayFixture) {
	ways := d.intents()
	var all []prepayment
	for n := range many {
		all = append(all, d.drawn(d.wanted("Tea", int64(100+n)), ways[n%len(ways)]))
	}
	transactions := map[string]bool{}
	for _, r := range atOnce(many, func(n int) payment.Receipt { return d.hurry(all[n]) }) {
		transactions[r.TransactionID] = true
	}
	assert.Len(d, transactions, many, "no two payments have the same number")
}

// hurry goes the whole way of a payment, beside others who do.
func (d *gatewayFixture) hurry(p prepayment) (r payment.Receipt) {
	var err error
	p.ticket, err = d.gateway.Prepare(d.Context(), p.request)
	assert.NoError(d, err)
	d.assertGood(p)
	_, err = d.gateway.ClientParams(p.intent, p.ticket, noon)
	assert.NoError(d, err)
	_, err = d.Pay(p.no, func(n payment.Notification) payment.Acknowledgement {
		notice, err := d.gateway.Receive(n)
		if assert.NoError(d, err) && assert.NotNil(d, notice.Receipt) {
			r = *notice.Receipt
		}
		return d.gateway.Acknowledge(err == nil)
	})
	assert.NoError(d, err)
	d.assertReceipt(p, r)
	report, err := d.gateway.Query(d.Context(), p.intent.App, p.no)
	assert.NoError(d, err)
	assert.Equal(d, payment.Report{State: payment.WalletPaid, Receipt: r}, report)
	d.assertFault(payment.ErrWalletPaid, d.gateway.Close(d.Context(), p.intent.App, p.no))
	return r
}
