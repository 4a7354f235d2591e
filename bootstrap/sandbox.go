package bootstrap

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/bootstrap/demo"
	"plaza/bootstrap/settings"
	"plaza/domain/verification"
)

// sandboxServer serves a wallet sandbox, and the page of the messages that an SMS sandbox keeps, on an address of their own.
type sandboxServer struct {
	wallet   *sandbox.Server // nil: none
	messages http.Handler    // nil: none
	listener net.Listener
	log      *slog.Logger
}

// sandboxWriteTimeout exceeds the time by which a button of the sandbox delays a response.
const sandboxWriteTimeout = time.Minute

// sandboxRefundTime is the time after which a refund ends by itself, if no button ends it before.
const sandboxRefundTime = 30 * time.Second

// openSandboxes listens on the address of the sandboxes, if the settings name any that the server starts. The sender is the
// server's. With the demo data the wallet knows the payments of it.
func openSandboxes(
	c settings.Config, merchant sandbox.Merchant, sender verification.Sender, withDemo bool, log *slog.Logger,
) (*sandboxServer, error) {
	messages := messagesPage(sender)
	if !c.StartsSandbox() && messages == nil {
		return nil, nil
	}
	s, err := listenForSandbox(c.MerchantConfig, log)
	if err != nil {
		return nil, err
	}
	if messages != nil {
		s.messages = messages
		log.Info("serving an SMS sandbox", "url", s.MessagesURL())
	}
	if c.StartsSandbox() {
		var paid []ledger.Trade
		if withDemo {
			if paid, err = demo.WalletPayments(c.WalletAppID); err != nil {
				return nil, errors.Join(err, s.listener.Close())
			}
		}
		if err := s.openWallet(c.MerchantConfig, merchant.Cert, "", sandboxJournal(c), 1, paid...); err != nil {
			return nil, err
		}
		log.Info("serving a wallet sandbox", "url", s.URL())
	}
	return s, nil
}

func listenForSandbox(c settings.MerchantConfig, log *slog.Logger) (*sandboxServer, error) {
	ln, err := net.Listen("tcp", c.WalletSandboxAddr)
	if err != nil {
		return nil, fmt.Errorf("PLAZA_WALLET_SANDBOX_ADDR: %w; choose another address with --wallet-sandbox-addr, "+
			"or none: PLAZA_WALLET_URL names a running wallet sandbox, and PLAZA_SMS another sender", err)
	}
	return &sandboxServer{listener: ln, log: log}, nil
}

// openWallet opens the wallet sandbox and its journal. An empty journal keeps the state in memory.
// Without a certificate of the merchant, the sandbox does not serve version 3. If it fails, it closes the listener.
func (s *sandboxServer) openWallet(
	c settings.MerchantConfig, merchant *x509.Certificate, publicURL, journal string, scale int, paid ...ledger.Trade,
) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start sandbox: %w", err), s.listener.Close())
		}
	}()
	if journal != "" {
		if err := os.MkdirAll(filepath.Dir(journal), 0o700); err != nil {
			return err
		}
	}
	config := sandbox.Config{
		MerchantID: c.WalletMchID, Key: c.WalletKey, AppIDs: slices.Sorted(maps.Values(c.WalletApps())),
		MerchantCert: merchant, V3Key: c.WalletKey, PublicURL: cmp.Or(publicURL, s.URL()), Paid: paid, Log: s.log,
		Config: ledger.Config{RefundTime: sandboxRefundTime, Scale: scale, Journal: journal},
	}
	if s.messages != nil {
		config.Messages = messagesPath
	}
	s.wallet, err = sandbox.New(config)
	return err
}

// messagesPath is where the page of an SMS sandbox is.
const messagesPath = "/sms/"

// sandboxJournal returns the path of the sandbox's journal in the data directory, or "" with
// memory:.
func sandboxJournal(c settings.Config) string {
	if c.DatabaseURL == settings.InMemory {
		return ""
	}
	return filepath.Join(c.DataDir, "wallet-sandbox.jsonl")
}

// URL returns the sandbox's URL, as seen from this machine.
func (s *sandboxServer) URL() string { return localURL(s.listener) }

// MessagesURL returns the URL of the page of an SMS sandbox, as seen from this machine.
func (s *sandboxServer) MessagesURL() string { return s.URL() + messagesPath }

// enter sets the addresses of the sandboxes that there are.
func (s *sandboxServer) enter(c *settings.Config) {
	if s.wallet != nil {
		c.WalletURL = s.URL()
	}
	if s.messages != nil {
		c.SMSURL = s.MessagesURL()
	}
}

func (s *sandboxServer) handler() http.Handler {
	mux := http.NewServeMux()
	if s.wallet != nil {
		mux.Handle("/", s.wallet)
	}
	if s.messages != nil {
		mux.Handle(messagesPath, s.messages)
	}
	return mux
}

// Run serves until the context ends.
func (s *sandboxServer) Run(ctx context.Context) error {
	server := &http.Server{
		Handler: s.handler(), ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: settings.HeaderTimeout, WriteTimeout: sandboxWriteTimeout, IdleTimeout: settings.IdleTimeout,
		MaxHeaderBytes: maxHeader,
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serve(server, s.listener) })
	if s.wallet != nil {
		group.Go(func() error { return s.wallet.Run(ctx) })
	}
	group.Go(func() error {
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), settings.DrainTimeout)
		defer cancel()
		return server.Shutdown(drain)
	})
	err := group.Wait()
	if s.wallet != nil {
		err = errors.Join(err, s.wallet.Close())
	}
	return err
}

// runBeside runs the sandbox in the background. stop ends it and returns its error.
func (s *sandboxServer) runBeside(ctx context.Context) (stop func() error) {
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	return func() error {
		end()
		return <-done
	}
}

// Sandbox is a wallet sandbox as the command wallet-sandbox runs it.
type Sandbox struct {
	Config    settings.SandboxConfig // unchecked
	Scale     int                    // speed of time
	Journal   string                 // file for the ledger; empty: the ledger is lost at exit
	PublicURL string                 // that payers see; empty: the listening address
	Log       io.Writer              // where the log is written
	Serving   func(url string)
}

// Run serves the sandbox until the context ends. It calls Serving first.
func (s Sandbox) Run(ctx context.Context) error {
	config, err := s.Config.Check()
	if err != nil {
		return err
	}
	if _, err := useSandboxKey(&config); err != nil {
		return err
	}
	known, err := sandbox.SharedMerchant(config.DataDir)
	if err != nil {
		return err
	}
	log, lines := newServerLogger(config, s.Log)
	defer lines.Close()
	config.WarnOfUnknown(log)
	if len(config.WalletKey.Reveal()) != sandbox.KeyLength {
		log.Warn("the sandbox serves version 2 only, because PLAZA_WALLET_KEY has not 32 characters")
		known.Cert = nil
	}
	box, err := listenForSandbox(config.MerchantConfig, log)
	if err != nil {
		return err
	}
	if err := box.openWallet(config.MerchantConfig, known.Cert, s.PublicURL, s.Journal, s.Scale); err != nil {
		return err
	}
	s.Serving(box.URL())
	return box.Run(ctx)
}

// UseSandbox sets the key of a sandbox, and the address of the one that a server on this machine runs.
func UseSandbox(c *settings.Config) error {
	if c.StartsSandbox() {
		c.WalletURL = "http://" + settings.FromHere(c.WalletSandboxAddr)
	}
	_, err := useSandboxKey(c)
	return err
}

// useSandboxKey sets the wallet's key if the wallet is a sandbox and no key is set, and for version 3
// the merchant's key pair. It returns the merchant of version 3. With memory:, a sandbox that the
// server starts gets random keys without files.
func useSandboxKey(c *settings.Config) (m sandbox.Merchant, err error) {
	if !c.UsesSandbox() {
		return sandbox.Merchant{}, nil
	}
	dir := c.DataDir
	if c.DatabaseURL == settings.InMemory && c.StartsSandbox() {
		dir = ""
	}
	if c.WalletKey.IsZero() {
		c.WalletKey, err = sandbox.SharedKey(dir)
	}
	if err != nil || c.Wallet != settings.SandboxV3Wallet {
		return sandbox.Merchant{}, err
	}
	if m, err = sandbox.SharedMerchant(dir); err != nil {
		return sandbox.Merchant{}, err
	}
	if c.WalletV2Key.IsZero() {
		c.WalletV2Key = c.WalletKey // the sandbox has one key for both versions
	}
	c.WalletPrivateKey, c.WalletCertSerial = m.Key, fmt.Sprintf("%X", m.Cert.SerialNumber)
	return m, nil
}
