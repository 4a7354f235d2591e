package bootstrap

import (
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
	"plaza/bootstrap/settings"
)

// sandboxServer serves a wallet sandbox on its own address.
type sandboxServer struct {
	wallet   *sandbox.Server
	listener net.Listener
	log      *slog.Logger
}

// sandboxWriteTimeout exceeds the time by which a button of the sandbox delays a response.
const sandboxWriteTimeout = time.Minute

// sandboxRefundTime is the time after which a refund ends by itself, if no button ends it before.
const sandboxRefundTime = 30 * time.Second

// openSandbox listens on the sandbox's address and opens its journal. An empty journal keeps
// the state in memory. Without a certificate of the merchant, the sandbox does not serve version 3.
func openSandbox(
	c settings.MerchantConfig, merchant *x509.Certificate, publicURL, journal string, scale int, log *slog.Logger,
) (*sandboxServer, error) {
	ln, err := net.Listen("tcp", c.WalletSandboxAddr)
	if err != nil {
		return nil, fmt.Errorf("PLAZA_WALLET_SANDBOX_ADDR: %w; to use a running sandbox, set PLAZA_WALLET_URL", err)
	}
	if publicURL == "" {
		publicURL = localURL(ln)
	}
	if journal != "" {
		if err := os.MkdirAll(filepath.Dir(journal), 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("start sandbox: %w", err), ln.Close())
		}
	}
	wallet, err := sandbox.New(sandbox.Config{
		MerchantID: c.WalletMchID, Key: c.WalletKey, AppIDs: slices.Sorted(maps.Values(c.WalletApps())),
		MerchantCert: merchant, V3Key: c.WalletKey, RefundTime: sandboxRefundTime,
		PublicURL: publicURL, Scale: scale, Journal: journal, Log: log,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start sandbox: %w", err), ln.Close())
	}
	return &sandboxServer{wallet, ln, log}, nil
}

// sandboxJournal returns the path of the sandbox's journal in the data directory, or "" with
// the in-memory store.
func sandboxJournal(c settings.Config) string {
	if c.DatabaseURL == settings.InMemory {
		return ""
	}
	return filepath.Join(c.DataDir, "wallet-sandbox.jsonl")
}

// URL returns the sandbox's URL, as seen from this machine.
func (s *sandboxServer) URL() string { return localURL(s.listener) }

// Run serves until the context ends.
func (s *sandboxServer) Run(ctx context.Context) error {
	server := &http.Server{
		Handler: s.wallet, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: settings.HeaderTimeout, WriteTimeout: sandboxWriteTimeout, IdleTimeout: settings.IdleTimeout, MaxHeaderBytes: maxHeader,
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serve(server, s.listener) })
	group.Go(func() error { return s.wallet.Run(ctx) })
	group.Go(func() error {
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), settings.DrainTimeout)
		defer cancel()
		return server.Shutdown(drain)
	})
	return errors.Join(group.Wait(), s.wallet.Close())
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
	known, err := sandboxMerchant(config.DataDir)
	if err != nil {
		return err
	}
	log, lines := newServerLogger(config, s.Log)
	defer lines.Close()
	config.WarnOfUnknown(log)
	if len(config.WalletKey.Reveal()) != sandboxKeyLength {
		log.Warn("the sandbox serves version 2 only, because PLAZA_WALLET_KEY has not 32 characters")
		known.cert = nil
	}
	box, err := openSandbox(config.MerchantConfig, known.cert, s.PublicURL, s.Journal, s.Scale, log)
	if err != nil {
		return err
	}
	s.Serving(box.URL())
	return box.Run(ctx)
}
