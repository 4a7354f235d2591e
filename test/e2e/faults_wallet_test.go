package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/test/faultproxy"
)

// faultyShop is a shop whose wallet, or whose database, is behind the line.
type faultyShop struct {
	*shop
	all         []*purchase
	begun, paid *purchase // in this round
}

// faultyWallet is a shop whose wallet is behind the line.
type faultyWallet struct {
	*faultyShop
	line *faultproxy.Proxy
}

func behindWallet(t *testing.T) behindLine {
	dir := t.TempDir()
	s := &shop{dead: func() {}, poll: "200ms", front: newFront(), store: []string{"--data-dir=" + dir}, file: filepath.Join(dir, "plaza.db")}
	s.openAccounts(t)
	s.openWallet(t)
	var line *faultproxy.Proxy
	for i, setting := range s.settings {
		if address, is := strings.CutPrefix(setting, "--wallet-url=http://"); is {
			line = faultproxy.Start(t, "tcp", address)
			s.settings[i] = "--wallet-url=http://" + line.Address()
		}
	}
	s.settings = append(s.settings, unlimited)
	s.opens(t)
	return behindLine{line, s.now, &faultyWallet{&faultyShop{shop: s}, line}}
}

// nextOrder makes an order for this round.
func (s *faultyShop) nextOrder(t *testing.T) {
	t.Helper()
	p := s.wants(len(s.all) + 1)
	s.isMade(t, p)
	s.all = append(s.all, p)
	s.paid, s.begun = s.begun, p
}

// pays pays the order of the round before at the wallet.
func (s *faultyShop) pays(t *testing.T) {
	t.Helper()
	if s.paid != nil {
		s.isPaid(t, s.paid)
	}
}

// begins begins to pay the order of this round, with its key, and reports whether that
// succeeded.
func (s *faultyShop) begins(t *testing.T) bool {
	a := s.begun.pay(s.now, byCode, s.begun.key)
	return a.status != http.StatusConflict && succeeds(t, "paying", a, http.StatusOK) // 409: another call is at it
}

// verify begins to pay the order for sure.
func (s *faultyShop) verify(t *testing.T) {
	t.Helper()
	s.isBegun(t, s.begun, byCode, s.begun.key)
}

// finish compares the ledgers: each order is paid once.
func (s *faultyShop) finish(t *testing.T) {
	t.Helper()
	s.isPaid(t, s.begun)
	s.settles(t, s.all...)
}

func (w *faultyWallet) breaks(t *testing.T, f faultproxy.Fault) {
	t.Helper()
	w.nextOrder(t)
	w.line.Break(f)
}

func (w *faultyWallet) suffer(t *testing.T, _ faultproxy.Fault) (succeeded int64) {
	t.Helper()
	var others sync.WaitGroup
	defer others.Wait()
	reader := w.payers[0].key
	others.Go(func() {
		assert.Equal(t, http.StatusOK, ask(w.now, reader, http.MethodGet, "/api/pay/order/", nil, nil).status)
		assert.Equal(t, http.StatusCreated, ask(w.now, reader, http.MethodPost, eventsPath, nil, diaryEntry{Title: "An event"}).status)
	})
	w.pays(t)
	return atOnce(2, func(int) bool { return w.begins(t) })
}

func (w *faultyWallet) works(t *testing.T) bool { return w.begins(t) }

func (w *faultyWallet) sessions(*testing.T) int { return 0 } // the wallet is in this process
