package ports

import (
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var gatewayReceivePromises = []gatewayPromise{
	{"Receive reads a notification: its receipt is the one that Query gives", gatewayReceivesReceipts},
	{"Receive takes a notification that was changed in any way for ErrForged, or for what it was", gatewayReceivesForged},
	{"Receive of a notification without the wallet's key is ErrForged", gatewayReceivesForgeries},
	{"Acknowledge says that a notification is taken, or is to come again", gatewayAcknowledges},
}

// receives is the receipt of a notification that is genuine.
func receives(d *gatewayFixture, g payment.Gateway, n payment.Notification) payment.Receipt {
	d.Helper()
	notice, err := g.Receive(n)
	require.NoError(d, err)
	require.NotNil(d, notice.Receipt)
	return *notice.Receipt
}

// assertForgedOr asserts that the notification is ErrForged, or has that receipt.
func (d *gatewayFixture) assertForgedOr(genuine payment.Receipt, n payment.Notification) {
	d.Helper()
	notice, err := d.gateway.Receive(n)
	if err != nil {
		d.assertFault(payment.ErrForged, err)
		return
	}
	require.Equal(d, payment.Notice{Receipt: &genuine}, notice, "%q", n)
}

func gatewayReceivesReceipts(d *gatewayFixture) {
	for _, i := range d.intents() {
		p, other := d.prepared(i), d.prepared(i)
		said, otherSaid := d.paid(p), d.paid(other)
		for range 2 {
			r := receives(d, d.gateway, said)
			d.assertReceipt(p, r)
			assert.Equal(d, payment.Report{State: payment.WalletPaid, Receipt: r}, d.ask(p))

			o := receives(d, d.another(), otherSaid)
			d.assertReceipt(other, o)
			assert.NotEqual(d, r.TransactionID, o.TransactionID)
		}
	}
}

// gatewayReceivesForged loses, doubles and changes bytes at about a hundred places, and cuts the body off there.
func gatewayReceivesForged(d *gatewayFixture) {
	p := d.prepared(d.intent())
	said := d.paid(p)
	genuine := receives(d, d.gateway, said)
	for n := 0; n < len(said.Body); n += max(1, len(said.Body)/100) {
		other := slices.Clone(said.Body)
		other[n] ^= 0x20
		for _, changed := range [][]byte{
			slices.Concat(said.Body[:n], said.Body[n+1:]), slices.Concat(said.Body[:n+1], said.Body[n:]), said.Body[:n], other,
		} {
			d.assertForgedOr(genuine, payment.Notification{Header: said.Header, Body: changed})
		}
	}
	_, err := d.gateway.Receive(payment.Notification{Header: said.Header, Body: p.request})
	d.assertFault(payment.ErrForged, err) // of ours, though well signed
}

func gatewayReceivesForgeries(d *gatewayFixture) {
	said := d.paid(d.prepared(d.intent()))
	all := d.Forgeries(said)
	assert.NotEmpty(d, all)
	for _, forged := range all {
		_, err := d.gateway.Receive(forged)
		d.assertFault(payment.ErrForged, err)
	}
}

func gatewayAcknowledges(d *gatewayFixture) {
	for _, taken := range []bool{true, false} {
		p := d.prepared(d.intent())
		understood, err := d.Pay(p.no, func(payment.Notification) payment.Acknowledgement { return d.gateway.Acknowledge(taken) })
		require.NoError(d, err)
		assert.Equal(d, taken, understood)
	}
}
