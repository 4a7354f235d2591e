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
	// EndTypes are those that the wallet knows; Draw of any other is a fault.
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
	t.Helper()
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
	t.Helper()
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
	d.Helper()
	p := prepayment{order: o, intent: i, no: payment.TradeNo("P" + rand.Text())}
	var err error
	p.request, err = d.gateway.BuildRequest(o, i, p.no)
	require.NoError(d, err)
	return p
}

func (d *gatewayFixture) draw() prepayment {
	d.Helper()
	return d.drawn(d.wanted("Tea", 990), d.intent())
}

func (d *gatewayFixture) send(p *prepayment) {
	d.Helper()
	var err error
	p.ticket, err = d.gateway.Prepare(d.Context(), p.request)
	require.NoError(d, err)
	d.assertGood(*p)
}

// prepared is a prepayment that the wallet has.
func (d *gatewayFixture) prepared(i payment.Intent) prepayment {
	d.Helper()
	p := d.drawn(d.wanted("Tea", 990), i)
	d.send(&p)
	return p
}

// old is a prepayment that the wallet would close and that can be paid.
func (d *gatewayFixture) old(i payment.Intent) prepayment {
	d.Helper()
	p := d.prepared(i)
	d.pass(d.CloseAge)
	d.send(&p) // a ticket may have a shorter life than that
	return p
}

// assertGood asserts that the ticket has what a payer needs.
func (d *gatewayFixture) assertGood(p prepayment) {
	d.Helper()
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
	d.Helper()
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
	d.Helper()
	_, err := d.Pay(p.no, func(payment.Notification) payment.Acknowledgement {
		d.Error("the wallet notifies of a payment that can't be")
		return d.gateway.Acknowledge(true)
	})
	assert.Error(d, err, "the prepayment can be paid")
}

// ask is a question that the wallet answers.
func (d *gatewayFixture) ask(p prepayment) payment.Report {
	d.Helper()
	report, err := d.gateway.Query(d.Context(), p.intent.App, p.no)
	require.NoError(d, err)
	return report
}

// assertReceipt asserts that the receipt is that of the prepayment.
func (d *gatewayFixture) assertReceipt(p prepayment, r payment.Receipt) {
	d.Helper()
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
	d.Helper()
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
	d.Helper()
	if assert.Error(d, err) {
		assert.Empty(d, faultsOf(err), "%v", err)
		assert.Contains(d, []fault.Kind{fault.Gateway, fault.Timeout}, fault.KindOf(err), "%v", err)
		d.assertDiscreet(err)
	}
}

// assertClosed asserts that a prepayment was closed, now or before.
func (d *gatewayFixture) assertClosed(err error) {
	d.Helper()
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
