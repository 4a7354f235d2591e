package ports

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var gatewayQueryPromises = []gatewayPromise{
	{"Query returns the state of a prepayment, and the receipt if it is paid", gatewayQueries},
	{"after Close the prepayment can't be paid, Prepare is ErrWalletClosed, and Close again is nil or ErrWalletClosed", gatewayCloses},
	{"Close of what is too young is ErrNotClosed, and it can still be paid", gatewayClosesTooEarly},
	{"Close of an unknown prepayment is ErrWalletNotFound, or it can't be paid from then on", gatewayClosesUnknown},
	{"of those who close and who pay at once one wins", gatewayRaces},
}

func gatewayQueries(d *gatewayFixture) {
	for _, i := range d.intents() {
		p, bystander := d.prepared(i), d.prepared(i)
		for range 2 {
			assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(p))
		}
		d.paid(p)
		report := d.ask(p)
		assert.Equal(d, payment.WalletPaid, report.State)
		d.assertReceipt(p, report.Receipt)
		for _, life := range []time.Duration{0, payment.TicketLife} {
			d.pass(life)
			other, err := d.another().Query(d.Context(), i.App, p.no)
			require.NoError(d, err)
			assert.Equal(d, report, other, "of another gateway, at another time")
		}
		assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(bystander))

		d.pass(d.CloseAge)
		d.assertClosed(d.gateway.Close(d.Context(), i.App, bystander.no))
		assert.Equal(d, payment.Report{State: payment.WalletClosed}, d.ask(bystander))
		assert.Equal(d, report, d.ask(p))
	}
}

func gatewayCloses(d *gatewayFixture) {
	for _, i := range d.intents() {
		bystander, p := d.prepared(i), d.old(i)
		require.NoError(d, d.gateway.Close(d.Context(), i.App, p.no))
		d.assertUnpayable(p)
		d.assertClosed(d.gateway.Close(d.Context(), i.App, p.no))
		d.assertClosed(d.another().Close(d.Context(), i.App, p.no))
		_, err := d.gateway.Prepare(d.Context(), p.request)
		d.assertFault(payment.ErrWalletClosed, err)
		d.assertUnpayable(p)
		assert.Equal(d, payment.Report{State: payment.WalletClosed}, d.ask(p))
		assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(bystander))
	}
}

func gatewayClosesTooEarly(d *gatewayFixture) {
	for _, i := range d.intents() {
		p := d.prepared(i)
		err := d.gateway.Close(d.Context(), i.App, p.no)
		if d.CloseAge == 0 {
			require.NoError(d, err)
			continue
		}
		d.assertFault(payment.ErrWalletNotClosed, err)
		assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(p))
		d.send(&p)
		d.paid(p)
		d.assertReceipt(p, d.ask(p).Receipt)
	}
}

func gatewayClosesUnknown(d *gatewayFixture) {
	for _, i := range d.intents() {
		p := d.drawn(d.wanted("Tea", 990), i)
		err := d.gateway.Close(d.Context(), i.App, p.no)
		if len(faultsOf(err)) > 0 && faultsOf(err)[0] == payment.ErrWalletNotFound {
			d.assertFault(payment.ErrWalletNotFound, err)
			continue
		}
		d.assertClosed(err)
		_, err = d.gateway.Prepare(d.Context(), p.request)
		d.assertFault(payment.ErrWalletClosed, err)
		d.assertUnpayable(p)
	}
}

func gatewayRaces(d *gatewayFixture) {
	for range 4 {
		p := d.old(d.intent())
		var closed, paid error
		atOnce(2, func(n int) bool {
			if n == 0 {
				closed = d.gateway.Close(d.Context(), p.intent.App, p.no)
				return true
			}
			_, paid = d.Pay(p.no, func(payment.Notification) payment.Acknowledgement { return d.gateway.Acknowledge(true) })
			return true
		})
		if paid == nil {
			d.assertFault(payment.ErrWalletPaid, closed)
			d.assertReceipt(p, d.ask(p).Receipt)
			continue
		}
		require.NoError(d, closed, "neither has won: %v", paid)
		assert.Equal(d, payment.WalletClosed, d.ask(p).State)
	}
}
