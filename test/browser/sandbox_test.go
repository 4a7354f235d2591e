//go:build soak

package browser

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/application/paying"
	"plaza/application/signin"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/test/chromium"
)

// till is a Plaza with a wallet sandbox, in which a minute takes a second.
type till struct {
	box *sandbox.Server
	url string // of the sandbox
	end func() // ends the sandbox
	app *bootstrap.App
	api string // URL of Plaza

	payer user.ID
}

const tillKey = "0123456789abcdef0123456789abcdef"

func startTill(t *testing.T) *till {
	t.Helper()
	s, key := &till{}, secret.New(tillKey)
	front := httptest.NewUnstartedServer(nil)
	s.url = "http://" + front.Listener.Addr().String()
	var err error
	s.box, err = sandbox.New(sandbox.Config{
		MerchantID: "1900000109", Key: key, AppIDs: []string{"wxbrowser"}, PublicURL: s.url, Config: ledger.Config{Scale: 60},
	})
	require.NoError(t, err)
	front.Config.Handler = s.box
	front.Start()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.box.Run(ctx) }()
	s.end = func() {
		cancel()
		s.box.Behave()
		front.Close()
	}
	t.Cleanup(func() {
		s.end()
		assert.NoError(t, <-ended)
	})
	s.api = serveConfig(t, settings.Config{
		BackOffice: settings.BackOfficePublic, Wallet: "sandbox", WalletURL: s.url, WalletPoll: 100 * time.Millisecond,
		MerchantConfig: settings.MerchantConfig{WalletMchID: "1900000109", WalletKey: key, WalletAppID: "wxbrowser"},
	}, func(app *bootstrap.App) { s.app = app })
	s.payer, err = s.app.Signin.Register(t.Context(), signin.Registration{
		Username: "+86-13900000001", Password: secret.New("a-walk-around-the-lake"), Member: user.Member{Firstname: "Ada"},
	})
	require.NoError(t, err)
	return s
}

// order creates an order in Plaza and begins its payment with a QR code.
func (s *till) order(t *testing.T, subject string) (payment.OrderID, payment.ClientParams) {
	t.Helper()
	o, err := s.app.Stores.Ledger.AddOrder(t.Context(), payment.NewOrder(s.payer, subject, 990, time.Hour, time.Now()), nil)
	require.NoError(t, err)
	intent := payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}
	_, params, err := s.app.Paying.Pay(t.Context(), access.Actor{ID: s.payer}, paying.PayRequest{Intent: intent, Order: o.ID})
	require.NoError(t, err)
	return o.ID, params
}

func (s *till) open(t *testing.T, browser context.Context, address string) *chromium.Tab {
	t.Helper()
	page := chromium.Open(t, browser, address)
	t.Cleanup(func() {
		assert.Empty(t, page.ConsoleErrors())
		for _, asked := range page.Requested() {
			assert.True(t, strings.HasPrefix(asked, s.url+"/"), asked)
		}
	})
	return page
}

func shows(t *testing.T, page *chromium.Tab, text string) {
	t.Helper()
	chromium.Get(t, page, chromedp.Poll[bool](call("document.querySelector('main').innerText.includes", text)))
}

func press(t *testing.T, page *chromium.Tab, selector string) {
	t.Helper()
	chromium.Evaluate[chromedp.Void](t, page, `document.body.id = 'former'`)
	page.Do(t, chromedp.Click(chromedp.CSS(selector)), chromedp.WaitNotPresent(chromedp.CSS("#former")),
		chromedp.WaitVisible(chromedp.CSS("main")))
}

// showSandbox uses the page of the wallet sandbox as a person does.
func showSandbox(t *testing.T, browser context.Context) {
	s := startTill(t)
	page := s.open(t, browser, s.url+"/")
	t.Run("pay", func(t *testing.T) { paysInSandbox(t, s, page) })
	t.Run("readable", func(t *testing.T) { isReadableEverywhere(t, s, browser) })
	t.Run("sandbox_ends", func(t *testing.T) {
		page.Do(t, chromedp.Navigate(s.url+"/"))
		s.end()
		page.Do(t, chromedp.WaitVisible(chromedp.CSS("#offline")))
		page.Forgive(func(entry string) bool {
			return strings.Contains(entry, "ERR_CONNECTION") || strings.Contains(entry, "ERR_EMPTY_RESPONSE")
		})
	})
}

// paysInSandbox pays an order that appears while the page is open, and reads its QR code.
func paysInSandbox(t *testing.T, s *till, page *chromium.Tab) {
	shows(t, page, "No orders so far")
	chromium.Evaluate[chromedp.Void](t, page, `window.isSame = true`)
	id, params := s.order(t, "Green tea")
	shows(t, page, "Green tea")
	shows(t, page, fmt.Sprintf("order-%d-", id))
	assert.Equal(t, "(1) Wallet sandbox", chromium.Evaluate[string](t, page, `document.title`))
	assert.True(t, chromium.Evaluate[bool](t, page, `window.isSame`), "without a reload")

	press(t, page, "article a")
	assert.Equal(t, params.CodeURL, chromium.Get(t, page, chromedp.Location()))
	assert.Equal(t, params.CodeURL, readQR(t, chromium.Get(t, page, chromedp.ScreenshotScale(chromedp.CSS(".qr"), 4))))
	press(t, page, ".pay")
	chromium.Evaluate[chromedp.Void](t, page, `window.isSame = true`)
	shows(t, page, "acknowledged by the merchant")
	assert.True(t, chromium.Evaluate[bool](t, page, `window.isSame`))
	assert.Zero(t, chromium.Evaluate[int](t, page, `document.querySelectorAll('.qr, .pay, #payments').length`))
	s.isPaid(t, id)
}

// isPaid asserts that the order is paid.
func (s *till) isPaid(t *testing.T, id payment.OrderID) {
	t.Helper()
	require.Eventually(t, func() bool {
		o, err := s.app.Stores.Ledger.Order(t.Context(), id)
		return err == nil && o.State == payment.Paid
	}, 30*time.Second, 10*time.Millisecond)
}

// readQR returns the text of the QR code in a picture. The decoder is not of the library that draws the code. It is told that nothing else
// is in the picture: in one of a hundred pictures it finds the code in the wrong place otherwise.
func readQR(t *testing.T, picture []byte) string {
	t.Helper()
	pixels, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	bits, err := gozxing.NewBinaryBitmapFromImage(pixels)
	require.NoError(t, err)
	result, err := qrcode.NewQRCodeReader().Decode(bits, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true})
	require.NoError(t, err)
	return result.GetText()
}

// isReadableEverywhere shows that nothing is faint, in both modes, or wider than a narrow screen.
func isReadableEverywhere(t *testing.T, s *till, browser context.Context) {
	_, params := s.order(t, strings.Repeat("Lapsangsouchong", 8))
	for _, address := range []string{s.url + "/", params.CodeURL} {
		page := s.open(t, browser, address)
		page.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		chromium.Evaluate[chromedp.Void](t, page, `document.querySelectorAll('details').forEach(details => { details.open = true })`)
		assert.Equal(t, 390, chromium.Evaluate[int](t, page, `document.documentElement.scrollWidth`))
		isReadable(t, page)
	}
}
