package wechatpay

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

// nowhere is an address at which nothing listens: its port is below those that programs are given.
const nowhere = "http://127.0.0.1:1"

// spared is a wallet at its spare address. At the other one is the given server.
func spared(t *testing.T, main string) *walletV3 {
	t.Helper()
	w := newWalletV3(t, saysV3(200, fieldsV3(unpaidV3)))
	w.V3 = openV3(t, main)
	w.spareURL = w.server.URL
	return w
}

func TestPAY13_the_spare_address(t *testing.T) {
	assert.Equal(t, SpareURL, openV3(t, URL).spareURL)
	assert.Empty(t, openV3(t, "https://wallet.example").spareURL, "the wallet's own address alone has one")

	w := spared(t, nowhere)
	require.NoError(t, query(t, w))
	assert.Equal(t, []string{versions[1].heard("query")}, w.requests(), "signed as any other")

	w = spared(t, nowhere)
	w.server.Close()
	assertOnly(t, payment.ErrWalletTimeout, query(t, w))
}

// What was sent may have had an effect, and the wallet at the spare address may not know of it.
func TestPAY13_what_was_sent_is_not_sent_to_the_spare_address(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"broken": breaks, "failed": writesV3(503, "", nil), "unsigned": writesV3(200, "{}", nil),
	} {
		main := httptest.NewServer(answer)
		t.Cleanup(main.Close)
		w := spared(t, main.URL)
		require.Error(t, query(t, w), name)
		assert.Empty(t, w.requests(), name)
	}
}

func TestPAY08_without_a_public_key_no_answer_is_asked_to_be_signed_with_it(t *testing.T) {
	w := certified(t, firstCertificate())
	require.NoError(t, query(t, w))
	assert.NotContains(t, w.requests()[0], "Wechatpay-Serial")
}
