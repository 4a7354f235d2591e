package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

// walletKeyV3 is the key of version 3.
const walletKeyV3 = "cups0and0a0silver0tea0and0kettle"

// merchantKey is the shop's key of version 3. Made once, because that takes long.
var merchantKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// merchantPair returns the shop's private key as PEM, and the certificate that the wallet knows it by.
func merchantPair(t *testing.T) (private string, certificate *x509.Certificate) {
	t.Helper()
	key, err := merchantKey()
	require.NoError(t, err)
	template := x509.Certificate{
		SerialNumber: big.NewInt(0x5157F09EFDC096), Subject: pkix.Name{CommonName: "Shop of the tests"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	require.NoError(t, err)
	certificate, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})), certificate
}

// isToldOrNot pays the last trade of the order. A lost notification leaves it to the server to ask.
func (s *shop) isToldOrNot(t *testing.T, p *purchase, isTold bool) {
	t.Helper()
	if !isTold {
		trades := s.trades(p)
		require.NoError(t, s.wallet.Misbehave(sandbox.Misbehaviour{On: sandbox.Notify, Do: sandbox.Lose, No: trades[len(trades)-1].OutTradeNo, Times: 100}))
	}
	s.isPaid(t, p)
	until(t, func() bool {
		var order struct{ Data orderShown }
		c := newCaller(s.now.url)
		defer c.client.CloseIdleConnections()
		read(t, c, p.payer.key, fmt.Sprintf("/api/pay/order/%d/", p.id), &order)
		return order.Data.State == "paid"
	})
}

// A merchant moves to version 3 of the wallet's API. Orders are open that version 2 has opened.
func TestPAY10_a_merchant_moves_to_version_3_while_orders_are_open(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	onStores(t, func(t *testing.T, store string) {
		s := openShop(t, store)
		s.opens(t)
		var orders []*purchase
		for n := range 6 {
			p := s.wants(n)
			require.Equal(t, http.StatusCreated, p.make(s.now, s.staff).status)
			orders = append(orders, p)
		}
		told, lost, changed := orders[0], orders[1], orders[2]
		begun := map[*purchase]string{}
		for _, p := range []*purchase{told, lost, changed} {
			begun[p] = s.isBegun(t, p, byCode, "").body
		}
		s.isKilled(t)

		s.settings = append(s.settingsV3, "--wallet-v2-key="+walletKey)
		s.opens(t)
		assert.Equal(t, begun[told], s.isBegun(t, told, byCode, "").body, "the same prepayment")
		s.isToldOrNot(t, told, true)
		s.isToldOrNot(t, lost, false)
		s.growsOld()
		s.isBegun(t, changed, inWallet, "")
		s.isToldOrNot(t, changed, true)
		for n, w := range []way{byCode, inBrowser, inApp} {
			p := orders[3+n]
			s.isBegun(t, p, w, "")
			s.isToldOrNot(t, p, n > 0)
		}
		var protocols []sandbox.Protocol
		for _, p := range orders {
			for _, trade := range s.trades(p) {
				protocols = append(protocols, trade.Protocol)
			}
		}
		assert.Equal(t, []sandbox.Protocol{sandbox.V2, sandbox.V2, sandbox.V2, sandbox.V3, sandbox.V3, sandbox.V3, sandbox.V3}, protocols)
		s.isDeaf = true // what was lost stays untold
		s.settles(t, orders...)
	})
}
