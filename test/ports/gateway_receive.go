package ports

import (
	"bytes"
	"mime"
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
	{"Receive of what the wallet has never said is ErrForged", gatewayReceivesNonsense},
	{"Acknowledge says that a notification is taken, or is to come again", gatewayAcknowledges},
}

func gatewayReceivesReceipts(d *gatewayFixture) {
	for _, i := range d.intents() {
		p, other := d.prepared(i), d.prepared(i)
		said, otherSaid := d.paid(p), d.paid(other)
		for range 2 {
			r, err := d.gateway.Receive(said)
			require.NoError(d, err)
			d.assertReceipt(p, r)
			assert.Equal(d, payment.Report{State: payment.WalletPaid, Receipt: r}, d.ask(p))

			o, err := d.another().Receive(otherSaid)
			require.NoError(d, err)
			d.assertReceipt(other, o)
			assert.NotEqual(d, r.TransactionID, o.TransactionID)
		}
	}
}

func gatewayReceivesForged(d *gatewayFixture) {
	said := d.paid(d.prepared(d.intent()))
	genuine, err := d.gateway.Receive(said)
	require.NoError(d, err)
	for _, changed := range changes(said, len(said)) {
		r, err := d.gateway.Receive(changed)
		if err != nil {
			d.assertFault(payment.ErrForged, err)
			continue
		}
		require.Equal(d, genuine, r, "%q", changed)
	}
}

// changes are what may become of a text on its way, at about so many places of it: bytes
// that are others, get lost or come twice, and an end that is missing.
func changes(text []byte, places int) (all [][]byte) {
	for n := 0; n < len(text); n += stepOf(len(text), places) {
		for kind := range kindsOfChange {
			all = append(all, changed(text, n, kind))
		}
	}
	return all
}

func stepOf(length, places int) int { return max(1, length/max(1, places)) }

const kindsOfChange = 6

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
	other[n] ^= []byte{0x01, 0x20, 0x80}[kind-3]
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
	_, err := d.gateway.Receive(request)
	d.assertFault(payment.ErrForged, err) // of ours, though well signed
	huge := []string{strings.Repeat("a", 4<<20), strings.Repeat("<a>", 1<<20), strings.Repeat("[", 4<<20)}
	for _, text := range slices.Concat(nonsense(d.Secrets[0]), huge, []string{""}) {
		_, err := d.gateway.Receive([]byte(text))
		d.assertFault(payment.ErrForged, err)
	}
	_, err = d.gateway.Receive(nil)
	d.assertFault(payment.ErrForged, err)
	genuine, err := d.gateway.Receive(said)
	require.NoError(d, err)
	for _, more := range [][]byte{said, []byte(`{"a":1}`), []byte("<a>1</a>"), bytes.Repeat([]byte(" "), 4<<20), {0}} {
		for _, text := range [][]byte{slices.Concat(said, more), slices.Concat(more, said)} {
			if r, err := d.gateway.Receive(text); err != nil {
				d.assertFault(payment.ErrForged, err)
			} else {
				assert.Equal(d, genuine, r)
			}
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
		understood, err := d.Pay(p.no, func([]byte) ([]byte, string) { return d.gateway.Acknowledge(taken) })
		require.NoError(d, err)
		assert.Equal(d, taken, understood)
	}
	yes, kind := d.gateway.Acknowledge(true)
	no, otherKind := d.gateway.Acknowledge(false)
	assert.NotEqual(d, yes, no)
	for _, k := range []string{kind, otherKind} {
		_, _, err := mime.ParseMediaType(k)
		assert.NoError(d, err, k)
	}
	clear(yes)
	again, _ := d.another().Acknowledge(true)
	assert.NotEqual(d, yes, again, "the caller may change it")
}
