// Package sandbox is a mobile wallet to try things with: a server that speaks the
// wallet's protocol, version 2, from the wallet's side, and moves no money.
//
// It is for demos and tests only. Whoever reaches it can pay any order, read its
// ledger and tell it to misbehave, so it belongs on a loopback address.
//
// It knows nothing of the code that asks it: signatures, XML and rules are written
// here once more, from the wallet's documentation, so that a mistake made on both
// sides is not made alike. Where it differs from the wallet it is stricter, but for
// addresses: notifications may go to plain http on a loopback address.
package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"plaza/domain/secret"
)

// Bounds of what the sandbox takes.
const (
	maxBody   = 64 << 10
	maxTrades = 100_000
)

// Lifetimes and ages of the wallet, before they are scaled.
const (
	prepayLife = 2 * time.Hour
	mwebLife   = 5 * time.Minute
	closeAge   = 5 * time.Minute
)

var beijing = time.FixedZone("UTC+8", 8*60*60)

const wireTime = "20060102150405"

// Config says which merchant the sandbox serves, and how fast its time runs.
type Config struct {
	MerchantID string
	Key        secret.String
	AppIDs     []string
	// PublicURL is where payers reach the sandbox: code_url and mweb_url lead there.
	PublicURL string
	// Scale divides lifetimes, the age for closing and the pauses between notifications:
	// with 60 a minute takes a second. 0 is 1, real time. A time_expire is a point in time
	// that others have chosen: it is taken as it is.
	Scale int
	// Journal is the file that keeps the ledger, for one server at a time. Empty: the
	// ledger ends with the process.
	Journal string
	Log     *slog.Logger
	Clock   func() time.Time
}

// Server is the wallet. Its notifications need Run.
type Server struct {
	cfg    Config
	mux    http.Handler
	client *http.Client
	random io.Reader
	kick   chan struct{} // something is due

	mu       sync.Mutex // guards all that follows
	trades   map[string]Trade
	numbers  []string            // of the trades, as they came
	paid     map[string]string   // transaction id → number
	pending  map[string]struct{} // paid, and the merchant has not taken it
	inFlight map[string]struct{}
	parked   map[string]struct{} // held back until another one has gone
	journal  *journal
	tricks   []Misbehaviour
	held     int
	changed  chan struct{} // closed and replaced whenever held changes
	release  chan struct{} // closed and replaced by Release
}

// New returns a sandbox with what its journal holds. It tells all that is wrong with
// the configuration.
func New(cfg Config) (*Server, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, random: rand.Reader, client: newClient(), kick: make(chan struct{}, 1),
		trades: map[string]Trade{}, paid: map[string]string{}, pending: map[string]struct{}{},
		inFlight: map[string]struct{}{}, parked: map[string]struct{}{},
		changed: make(chan struct{}), release: make(chan struct{}),
	}
	if cfg.Journal != "" {
		j, kept, err := openJournal(cfg.Journal)
		if err != nil {
			return nil, fmt.Errorf("reading the sandbox's journal: %w", err)
		}
		s.journal = j
		for _, t := range kept {
			s.keep(t)
		}
	}
	s.mux = s.routes()
	return s, nil
}

func (c *Config) complete() error {
	var wrong []error
	if c.MerchantID == "" || len(c.MerchantID) > 32 {
		wrong = append(wrong, errors.New("the merchant's id must have 1 to 32 characters"))
	}
	if c.Key.IsZero() {
		wrong = append(wrong, errors.New("the key is missing"))
	}
	if len(c.AppIDs) == 0 {
		wrong = append(wrong, errors.New("there is no app id"))
	}
	for _, id := range c.AppIDs {
		if id == "" || len(id) > 32 {
			wrong = append(wrong, errors.New("an app id must have 1 to 32 characters"))
		}
	}
	if u, err := url.Parse(c.PublicURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		wrong = append(wrong, errors.New("the public address must be http or https"))
	}
	if c.Scale < 0 {
		wrong = append(wrong, errors.New("the scale must not be negative"))
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	c.Scale = max(c.Scale, 1)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return errors.Join(wrong...)
}

// ServeHTTP implements http.Handler. Who serves it must give writing more time than answers
// are delayed or held, and Release what is held before waiting for it to end.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Close ends keeping the journal. Orders that come later are refused if there is one.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journal == nil {
		return nil
	}
	return s.journal.close()
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/pay/unifiedorder", s.serve(UnifiedOrder, s.unifiedOrder))
	mux.HandleFunc("/pay/orderquery", s.serve(OrderQuery, s.orderQuery))
	mux.HandleFunc("/pay/closeorder", s.serve(CloseOrder, s.closeOrder))
	mux.HandleFunc("GET /{$}", s.showAll)
	mux.HandleFunc("GET /sandbox/pay/{no}", s.showOne)
	mux.HandleFunc("POST /sandbox/pay/{no}", s.payOne)
	mux.HandleFunc("GET /sandbox/ledger", s.showLedger)
	mux.HandleFunc("POST /sandbox/misbehave", s.takeMisbehaviour)
	mux.HandleFunc("GET /sandbox/held", s.showHeld)
	mux.HandleFunc("POST /sandbox/release", s.releaseHeld)
	// A page of somebody else's must not pay through a browser that reaches us.
	return http.NewCrossOriginProtection().Handler(mux)
}

func (s *Server) now() time.Time { return s.cfg.Clock().UTC() }

func (s *Server) scaled(d time.Duration) time.Duration { return d / time.Duration(s.cfg.Scale) }

// nonce is a text that nobody guesses, of 2n hexadecimal digits.
func (s *Server) nonce(n int) string {
	b := make([]byte, n)
	_, _ = io.ReadFull(s.random, b) // crypto/rand never fails
	return fmt.Sprintf("%x", b)
}
