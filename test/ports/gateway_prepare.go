package ports

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

var gatewayPreparePromises = []gatewayPromise{
	{"BuildRequest sends nothing and makes complete requests; a way to pay that the wallet does not know is a fault", gatewayBuildsRequests},
	{"a request is complete for every order that there may be", gatewayRequestsDiffer},
	{"a request may be sent again, at once and by another server: each gives a good ticket for the same prepayment", gatewaySendsAgain},
	{"a request stays valid as long as its order: built long before it is sent, and sent again after its ticket's life", gatewaySendsLate},
	{"what the wallet does not take is a fault, and is not sent", gatewayRejects},
	{"another request under the same number is ErrOtherThere, and changes nothing", gatewayOther},
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
		_, err := d.gateway.BuildRequest(d.wanted("Tea", 990), i, "P-unknown-0001")
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
		d.paid(p)
		d.assertReceipt(p, d.ask(p).Receipt)
	}
}

// gatewayRejects has numbers, applications and ways to pay that no wallet takes, and a request of another's.
func gatewayRejects(d *gatewayFixture) {
	p := d.draw()
	refund := payment.RefundRequest{App: p.intent.App, TransactionID: "4200000001", Amount: 1, Total: 990, Currency: "CNY"}
	for _, no := range []string{"", "12345", strings.Repeat("1", 65), "1234567\n", "12345 7", "order/7", "order?7", "茶茶茶茶"} {
		_, err := d.gateway.BuildRequest(p.order, p.intent, payment.TradeNo(no))
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
	_, err := d.gateway.BuildRequest(p.order, payment.Intent{EndType: p.intent.EndType, App: other}, p.no)
	d.assertFault(payment.ErrNoWallet, err)
	_, err = d.gateway.Query(d.Context(), other, p.no)
	d.assertFault(payment.ErrNoWallet, err)
	d.assertFault(payment.ErrNoWallet, d.gateway.Close(d.Context(), other, p.no))
	_, err = d.gateway.ClientParams(payment.Intent{EndType: payment.App, App: other}, payment.Ticket{PrepayID: "p1"}, noon)
	d.assertFault(payment.ErrNoWallet, err)
	odd := payment.Intent{EndType: 42, App: p.intent.App}
	_, err = d.gateway.BuildRequest(p.order, odd, p.no)
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
		request, err := d.gateway.BuildRequest(other.order, other.intent, first.no)
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
