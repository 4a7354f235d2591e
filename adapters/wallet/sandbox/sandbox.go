// Package sandbox simulates the mobile wallet: a server that implements the wallet's side of its protocol, versions 2 and 3,
// and moves no money. Both versions have one ledger.
//
// It is for demos and tests only. Any client that reaches it can pay orders, read its ledger and make it misbehave, so it
// must listen on a loopback address.
//
// It shares no code with the gateways: signatures, XML, JSON and rules are implemented anew from the wallet's documentation,
// so that a mistake in one shows in the other. It is stricter than the wallet, with one exception: NotifyURLs may be http for
// loopback addresses.
package sandbox

import (
	"context"
	"net/http"

	"plaza/adapters/wallet/sandbox/ledger"
)

// Server is the simulated wallet. Tricks make it misbehave.
type Server struct {
	*tricks
	*ledger.Ledger
	platformKeys // of version 3
	notifier     *notifier
	handler      http.Handler
}

// New returns a sandbox with its journal's trades, or all problems of the configuration.
func New(cfg Config) (*Server, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	l, err := ledger.Open(cfg.Config)
	if err != nil {
		return nil, err
	}
	for _, p := range cfg.Paid {
		if err := l.AddPaid(p); err != nil {
			return nil, err
		}
	}
	w := &wallet{cfg, &tricks{}, l}
	mux := http.NewServeMux()
	two := v2{w}
	two.routes(mux)
	pages{w}.routes(mux)
	s := &Server{tricks: w.tricks, Ledger: l, notifier: newNotifier(w, map[ledger.Protocol]version{ledger.V2: two})}
	if cfg.MerchantCert != nil {
		if s.platformKeys, err = newPlatformKeys(cfg.Keys, l.Now()); err != nil {
			return nil, err
		}
		three := &v3{wallet: w, keys: s.platformKeys, nonces: map[string]bool{}, bills: map[string][]byte{}}
		three.routes(mux)
		s.notifier.versions[ledger.V3] = three
	}
	// A page of another origin must not pay or press buttons through a browser that reaches the sandbox: requests that change
	// something need its own Origin or Sec-Fetch-Site, or neither.
	s.handler = http.NewCrossOriginProtection().Handler(mux)
	return s, nil
}

// ServeHTTP implements http.Handler. The server's write timeout must exceed the delays of answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Run sends notifications and ends refunds until the context ends. It returns when the running attempts have ended. The next
// Run sends what remains.
func (s *Server) Run(ctx context.Context) error { return s.notifier.run(ctx) }

// Pay pays the order; the merchant is notified afterwards. An order can be paid only once.
func (s *Server) Pay(outTradeNo string) (ledger.Trade, error) {
	return s.Ledger.Pay(outTradeNo, func(*ledger.Trade) error { return nil })
}
