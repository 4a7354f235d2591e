package ports

import (
	"bytes"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var gatewayReceivePromises = []gatewayPromise{
	{"Receive reads a notification: its receipt is the one that Query gives", gatewayReceivesReceipts},
	{"Receive takes a notification that was changed in any way for ErrForged, or for what it was", gatewayReceivesForged},
	{"Receive of a notification without the wallet's key is ErrForged", gatewayReceivesForgeries},
	{"Receive takes a notification for genuine only with its own headers", gatewayReceivesHeaders},
	{"Receive of what the wallet has never said is ErrForged", gatewayReceivesNonsense},
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

func gatewayReceivesForged(d *gatewayFixture) {
	said := d.paid(d.prepared(d.intent()))
	genuine := receives(d, d.gateway, said)
	for _, changed := range changes(said.Body, 100) {
		d.assertForgedOr(genuine, payment.Notification{Header: said.Header, Body: changed})
	}
}

func gatewayReceivesHeaders(d *gatewayFixture) {
	said, other := d.paid(d.prepared(d.intent())), d.paid(d.prepared(d.intent()))
	genuine := receives(d, d.gateway, said)
	if len(said.Header) > 0 { // else the body alone is signed
		_, err := d.gateway.Receive(payment.Notification{Body: said.Body})
		d.assertFault(payment.ErrForged, err)
		_, err = d.gateway.Receive(payment.Notification{Header: other.Header, Body: said.Body})
		d.assertFault(payment.ErrForged, err)
	}
	for name, value := range said.Header {
		values := []string{"", other.Header[name], value + value, strings.Repeat("a", 1024), "\x00", d.Secrets[0]}
		for _, changed := range changes([]byte(value), 5) {
			values = append(values, string(changed))
		}
		for _, v := range values {
			changed := maps.Clone(said.Header)
			changed[name] = v
			d.assertForgedOr(genuine, payment.Notification{Header: changed, Body: said.Body})
		}
		fewer := maps.Clone(said.Header)
		delete(fewer, name)
		d.assertForgedOr(genuine, payment.Notification{Header: fewer, Body: said.Body})
	}
	more := maps.Clone(said.Header)
	if more == nil {
		more = map[string]string{}
	}
	more["another"] = "1"
	assert.Equal(d, genuine, receives(d, d.gateway, payment.Notification{Header: more, Body: said.Body}))
}

// changes are what may become of a text on its way, at about so many places of it: bytes
// that get lost, come twice or are others, and an end that is missing.
func changes(text []byte, places int) (all [][]byte) {
	for n := 0; n < len(text); n += stepOf(len(text), places) {
		for kind := range kindsOfChange {
			all = append(all, changed(text, n, kind))
		}
	}
	return all
}

func stepOf(length, places int) int { return max(1, length/max(1, places)) }

const kindsOfChange = 4

// changed is the text with one change at the place.
func changed(text []byte, n, kind int) []byte {
	switch kind {
	case 0:
		return slices.Concat(text[:n], text[n+1:])
	case 1:
		return slices.Concat(text[:n], text[n:n+1], text[n:])
	case 2:
		return slices.Clone(text[:n])
	}
	other := slices.Clone(text)
	other[n] ^= 0x20
	return other
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

func gatewayReceivesNonsense(d *gatewayFixture) {
	p := d.prepared(d.intent())
	said, request := d.paid(p), p.request
	_, err := d.gateway.Receive(payment.Notification{Header: said.Header, Body: request})
	d.assertFault(payment.ErrForged, err) // of ours, though well signed
	huge := []string{strings.Repeat("a", 4<<20), strings.Repeat("<a>", 1<<20), strings.Repeat("[", 4<<20)}
	for _, text := range slices.Concat(nonsense(d.Secrets[0]), huge, []string{""}) {
		_, err := d.gateway.Receive(payment.Notification{Header: said.Header, Body: []byte(text)})
		d.assertFault(payment.ErrForged, err)
	}
	_, err = d.gateway.Receive(payment.Notification{})
	d.assertFault(payment.ErrForged, err)
	genuine := receives(d, d.gateway, said)
	for _, more := range [][]byte{said.Body, []byte(`{"a":1}`), []byte("<a>1</a>"), bytes.Repeat([]byte(" "), 4<<20), {0}} {
		for _, text := range [][]byte{slices.Concat(said.Body, more), slices.Concat(more, said.Body)} {
			d.assertForgedOr(genuine, payment.Notification{Header: said.Header, Body: text})
		}
	}
}

// nonsense returns texts that are no answer in any format of a wallet.
func nonsense(private string) []string {
	return []string{
		"\x00\xff\xfe", "nonsense " + private, "null", "0", `""`, "[]", "{}", `{"error":"` + private + `"}`, "<xml/>", "<xml></xml>",
		"<html><body>" + private + "</body></html>", "a=1&b=" + private,
	}
}

func gatewayAcknowledges(d *gatewayFixture) {
	for _, taken := range []bool{true, false} {
		p := d.prepared(d.intent())
		understood, err := d.Pay(p.no, func(payment.Notification) payment.Acknowledgement { return d.gateway.Acknowledge(taken) })
		require.NoError(d, err)
		assert.Equal(d, taken, understood)
	}
	yes, no := d.gateway.Acknowledge(true), d.gateway.Acknowledge(false)
	assert.NotEqual(d, yes, no)
	assert.Contains(d, []int{http.StatusOK, http.StatusNoContent}, yes.Status)
	for _, a := range []payment.Acknowledgement{yes, no} {
		assert.True(d, a.Status == yes.Status || a.Status >= 400 && a.Status < 600, "%d", a.Status)
		assert.Equal(d, len(a.Body) == 0, a.MediaType == "")
		if a.MediaType != "" {
			_, _, err := mime.ParseMediaType(a.MediaType)
			assert.NoError(d, err, a.MediaType)
		}
	}
	said := slices.Clone(yes.Body)
	clear(yes.Body)
	assert.Equal(d, said, d.gateway.Acknowledge(true).Body, "the caller may change it")
}
