package wechatpay_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/wechatpay"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
)

func TestPAY_the_port_of_a_wallet(t *testing.T) { ports.Gateway(t, openBox) }

const (
	boxKey      = "qazwsxedcrfvtgbyhnujmikolp111111"
	boxMerchant = "1900000109"
	boxAccount  = "wxd678efh567hg6787"
	boxService  = "wxd930ea5d5a258f4f"
)

// listener is told of a notification, and answers it.
type listener func(payment.Notification) payment.Acknowledgement

// box is a sandbox with its own clock and a merchant that receives its notifications.
type box struct {
	*testing.T
	wallet *sandbox.Server
	shop   *httptest.Server

	mu    sync.Mutex
	ahead time.Duration
	told  map[payment.TradeNo]listener
}

func openBox(t *testing.T) ports.Wallet {
	b := &box{T: t, told: map[payment.TradeNo]listener{}}
	b.shop = httptest.NewServer(http.HandlerFunc(b.hear))
	t.Cleanup(b.shop.Close)
	var err error
	b.wallet, err = sandbox.New(sandbox.Config{
		MerchantID: boxMerchant, Key: secret.New(boxKey), AppIDs: []string{boxAccount, boxService},
		PublicURL: "http://127.0.0.1:8090", Clock: b.now,
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, b.wallet.Run(ctx)) })
	t.Cleanup(running.Wait)
	t.Cleanup(stop)
	return ports.Wallet{
		Side: b.wallet, Gateway: b.gateway, Pay: b.pay, Pass: b.pass, Forgeries: forgeries, CloseAge: payment.CloseAge, Secrets: []string{boxKey},
		EndTypes: []payment.EndType{payment.Native, payment.App, payment.JSAPI, payment.H5},
	}
}

// forgeries have no signature, an empty one, or one that was made without the key.
func forgeries(n payment.Notification) []payment.Notification {
	signed := regexp.MustCompile(`<sign>.*?</sign>`)
	var all []payment.Notification
	for _, other := range []string{
		"", "<sign></sign>", "<sign><![CDATA[]]></sign>", "<sign>" + strings.Repeat("0", 64) + "</sign>", "<sign>" + strings.Repeat("0", 32) + "</sign>",
	} {
		all = append(all, payment.Notification{Body: signed.ReplaceAll(n.Body, []byte(other))})
	}
	return all
}

func (b *box) gateway(address string, deadline time.Duration) payment.Gateway {
	g, err := wechatpay.New(wechatpay.Config{
		URL: address, MerchantID: boxMerchant, Key: secret.New(boxKey), Deadline: deadline, NotifyURL: b.shop.URL + "/paid/",
		AppIDs: map[payment.WalletApp]string{payment.OfficialAccount: boxAccount, payment.SvcIOSApp: boxService},
	})
	require.NoError(b, err)
	return g
}

func (b *box) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Add(b.ahead)
}

func (b *box) pass(life time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ahead += life
}

func (b *box) pay(no payment.TradeNo, told func(payment.Notification) payment.Acknowledgement) (taken bool, err error) {
	b.mu.Lock()
	b.told[no] = told
	b.mu.Unlock()
	if _, err := b.wallet.Pay(string(no), sandbox.PaymentOptions{}); err != nil {
		return false, err
	}
	assert.Eventually(b, func() bool { return b.trade(no).Attempts > 0 }, 10*time.Second, time.Millisecond)
	return b.trade(no).Notified, nil
}

func (b *box) trade(no payment.TradeNo) sandbox.Trade {
	all := b.wallet.Ledger()
	return all[slices.IndexFunc(all, func(t sandbox.Trade) bool { return t.OutTradeNo == string(no) })]
}

// hear passes a notification to its listener and answers as that decides.
func (b *box) hear(w http.ResponseWriter, r *http.Request) {
	reply, err := io.ReadAll(r.Body)
	assert.NoError(b, err)
	told := b.listener(string(reply))
	if !assert.NotNil(b, told, "a notification of no payment") {
		return
	}
	answer := told(payment.Notification{Body: reply})
	w.Header().Set("Content-Type", answer.MediaType)
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body) // the sandbox checks that the answer arrives
}

// listener receives the notification.
func (b *box) listener(reply string) listener {
	b.mu.Lock()
	defer b.mu.Unlock()
	for no, told := range b.told {
		if strings.Contains(reply, string(no)) {
			return told
		}
	}
	return nil
}
