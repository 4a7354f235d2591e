// Package sandbox simulates the mobile wallet: a server that implements the wallet's side of
// its protocol, versions 2 and 3, and moves no money. Both versions have one ledger.
//
// It is for demos and tests only. Any client that reaches it can pay orders, read its ledger
// and make it misbehave, so it must listen on a loopback address.
//
// It shares no code with the gateways: signatures, XML, JSON and rules are implemented anew from
// the wallet's documentation, so that a mistake in one shows in the other. It is stricter
// than the wallet, with one exception: NotifyURLs may be http for loopback addresses.
package sandbox

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"plaza/domain/secret"
)

// Limits of the sandbox.
const (
	maxBody   = 64 << 10
	maxTrades = 100_000
)

// Lifetimes and ages of the wallet, before scaling.
const (
	prepayLife = 2 * time.Hour
	mwebLife   = 5 * time.Minute
	closeAge   = 5 * time.Minute
)

var beijing = time.FixedZone("UTC+8", 8*60*60)

// Config holds the merchant's data and the speed of time.
type Config struct {
	MerchantID string
	Key        secret.String // of version 2
	AppIDs     []string
	// MerchantCert has the key and the serial number with which the merchant signs version 3, and
	// proves who it is when it asks for refunds over TLS. Without it, version 3 is not served.
	MerchantCert *x509.Certificate
	V3Key        secret.String // of version 3, 32 bytes
	// Keys are the wallet's own keys: that with a certificate, and the public key. The wallet makes
	// those that are missing.
	Keys    []*rsa.PrivateKey
	KeyMode KeyMode // with which of its keys the wallet signs; default Certificates
	// PublicURL is where payers reach the sandbox. code_url and mweb_url lead there.
	PublicURL string
	// Scale divides lifetimes, the minimum age for closing and the pauses between
	// notifications: with 60, a minute takes a second. 0 means 1, real time. It does not
	// affect time_expire, a time chosen by the merchant.
	Scale int
	// RefundTime is the time after which a refund ends, before scaling. 0: not by itself.
	RefundTime time.Duration
	// BillsAtOnce lets the merchant have the bill of a day that is not over.
	BillsAtOnce bool
	// Journal is the path of the ledger's file, for one server at a time. If it is empty,
	// the ledger is lost with the process.
	Journal string
	// Paid are orders that were paid elsewhere: the sandbox returns their money. It adds those that its journal lacks.
	Paid []PaidTrade
	// Messages is the path of a page of messages with codes, to which the pages link. Empty: none.
	Messages string
	Log      *slog.Logger
	Clock    func() time.Time
}

// Server is the simulated wallet. It sends notifications only during Run.
type Server struct {
	cfg    Config
	mux    http.Handler
	client *http.Client
	random io.Reader
	kick   chan struct{} // signals that a notification may be due

	keys platformKeys // of version 3

	mu      sync.Mutex // guards the fields below
	trades  map[string]Trade
	numbers []string          // of the trades, in order of creation
	paid    map[string]string // transaction id → number
	pending map[subject]bool  // notifications that are still to be sent; true: an attempt is running
	other   chan struct{}     // closed and replaced when a notification was sent

	refunds       map[string]Refund
	refundNumbers []string            // in order of creation
	refundsOf     map[string][]string // number of the trade → numbers of its refunds

	nonces map[string]time.Time // of requests of version 3, and when they came
	bills  map[string][]byte    // by token

	journal *os.File // nil: the ledger is lost with the process
	tricks  []Misbehaviour
}

// New returns a sandbox with its journal's trades, or all problems of the configuration.
func New(cfg Config) (*Server, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, random: rand.Reader, client: newClient(), kick: make(chan struct{}, 1),
		trades: map[string]Trade{}, paid: map[string]string{}, pending: map[subject]bool{}, other: make(chan struct{}),
		refunds: map[string]Refund{}, refundsOf: map[string][]string{},
		nonces: map[string]time.Time{}, bills: map[string][]byte{},
	}
	if cfg.Journal != "" {
		j, kept, err := openJournal(cfg.Journal)
		if err != nil {
			return nil, fmt.Errorf("reading the sandbox's journal: %w", err)
		}
		s.journal = j
		for _, e := range kept {
			if e.Refund != nil {
				s.storeRefund(*e.Refund)
			} else {
				s.store(e.Trade)
			}
		}
	}
	for _, p := range cfg.Paid {
		if err := s.addPaid(p); err != nil {
			return nil, err
		}
	}
	if cfg.MerchantCert != nil {
		var err error
		if s.keys, err = newPlatformKeys(cfg.Keys, s.now()); err != nil {
			return nil, err
		}
	}
	s.mux = s.routes()
	return s, nil
}

// complete sets what is absent, and returns all problems.
func (c *Config) complete() error {
	u, err := url.Parse(c.PublicURL)
	isID := func(id string) bool { return id != "" && len(id) <= 32 }
	isKept := map[string]bool{
		"MerchantID must be 1 to 32 characters":  isID(c.MerchantID),
		"the key is missing":                     !c.Key.IsZero(),
		"AppIDs is empty":                        len(c.AppIDs) > 0,
		"AppIDs must be 1 to 32 characters each": !slices.ContainsFunc(c.AppIDs, func(id string) bool { return !isID(id) }),
		"PublicURL must be http or https":        err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"),
		"the scale must not be negative":         c.Scale >= 0,
		"RefundTime must not be negative":        c.RefundTime >= 0,
	}
	if c.MerchantCert != nil {
		key, isRSA := c.MerchantCert.PublicKey.(*rsa.PublicKey)
		isKept["MerchantCert must have an RSA key of 2048 bits or more"] = isRSA && key.Size()*8 >= keyBits
		isKept["V3Key must be 32 bytes"] = len(c.V3Key.Reveal()) == 32
		isKept["KeyMode is unknown"] = slices.Contains([]KeyMode{"", Certificates, PublicKey}, c.KeyMode)
	}
	var wrong []error
	for _, rule := range slices.Sorted(maps.Keys(isKept)) {
		if !isKept[rule] {
			wrong = append(wrong, errors.New(rule))
		}
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	c.Scale = max(c.Scale, 1)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return errors.Join(wrong...)
}

// ServeHTTP implements http.Handler. The server's write timeout must exceed the delays of
// answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Close closes the journal. If there is one, later orders are refused.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil {
		return nil
	}
	return s.journal.Close()
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/pay/unifiedorder", s.serveV2(UnifiedOrder, orderFormV2, s.unifiedOrder))
	mux.HandleFunc("/pay/orderquery", s.serveV2(OrderQuery, queryFormV2, s.orderQuery))
	mux.HandleFunc("/pay/closeorder", s.serveV2(CloseOrder, closeFormV2, s.closeOrder))
	mux.HandleFunc("/secapi/pay/refund", s.serveV2(RefundOrder, refundFormV2, s.refundOrder))
	mux.HandleFunc("/pay/refundquery", s.serveV2(RefundQuery, refundQueryFormV2, s.refundQuery))
	mux.HandleFunc("/pay/downloadbill", s.serveV2(TradeBill, billFormV2, s.downloadBill))
	if s.cfg.MerchantCert != nil {
		s.routesV3(mux)
	}
	mux.HandleFunc("GET /{$}", s.showAll)
	mux.HandleFunc("GET /sandbox/pay/{no}", s.showOne)
	mux.HandleFunc("POST /sandbox/{button}/{no}", s.press)
	mux.HandleFunc("POST /sandbox/{button}", s.press)
	mux.HandleFunc("GET /sandbox/page/{name}", s.showFile)
	// A page of another origin must not pay or press buttons through a browser that reaches the
	// sandbox: requests that change something need its own Origin or Sec-Fetch-Site, or neither.
	return http.NewCrossOriginProtection().Handler(mux)
}

func (s *Server) routesV3(mux *http.ServeMux) {
	for kind, tradeType := range prepayTypes {
		mux.HandleFunc("POST /v3/pay/transactions/"+kind, s.serveV3(Prepay, orderFormsV3[tradeType], s.prepay(tradeType)))
	}
	mux.HandleFunc("GET /v3/pay/transactions/out-trade-no/{out_trade_no}", s.serveV3(QueryTrade, aboutFormV3, s.queryTrade))
	mux.HandleFunc("GET /v3/pay/transactions/id/{transaction_id}", s.serveV3(QueryTrade, idFormV3, s.queryTrade))
	mux.HandleFunc("POST /v3/pay/transactions/out-trade-no/{out_trade_no}/close", s.serveV3(CloseTrade, aboutFormV3, s.closeTrade))
	mux.HandleFunc("POST /v3/refund/domestic/refunds", s.serveV3(RefundOrder, refundFormV3, s.refundTrade))
	mux.HandleFunc("GET /v3/refund/domestic/refunds/{out_refund_no}", s.serveV3(RefundQuery, refundQueryFormV3, s.queryRefund))
	mux.HandleFunc("GET /v3/certificates", s.serveV3(ListKeys, form{}, s.certificates))
	mux.HandleFunc("GET /v3/bill/tradebill", s.serveV3(TradeBill, billFormV3, s.tradeBill))
	mux.HandleFunc("GET /v3/billdownload/file", s.serveV3(DownloadBill, downloadForm, s.downloadV3))
}

func (s *Server) now() time.Time { return s.cfg.Clock().UTC() }

func (s *Server) scaled(d time.Duration) time.Duration { return d / time.Duration(s.cfg.Scale) }

// nonce returns a random text of 2n hexadecimal digits.
func (s *Server) nonce(n int) string {
	b := make([]byte, n)
	_, _ = io.ReadFull(s.random, b) // crypto/rand never fails
	return fmt.Sprintf("%x", b)
}
