// Package ledger has the orders of the simulated wallet: their payments, their refunds, and how far the merchant is notified
// of them. It knows neither HTTP nor the messages of a protocol. A method that returns no error has recorded its change in
// the journal, so that a kill does not undo it. Methods may be called concurrently.
package ledger

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"os"
	"slices"
	"sync"
	"time"
)

// Beijing is the time zone of the wallet's days and messages.
var Beijing = time.FixedZone("UTC+8", 8*60*60)

// maxTrades is how many trades, and how many refunds, the ledger takes.
const maxTrades = 100_000

// Config says how fast time goes by, and where the ledger is kept.
type Config struct {
	Journal string // a file, for one ledger at a time; empty: the ledger is lost with the process
	// Scale divides lifetimes, the minimum age for closing and the pauses between notifications: with 60, a minute takes a
	// second. 0 means 1, real time. It does not affect time_expire, a time chosen by the merchant.
	Scale       int
	RefundTime  time.Duration // after which a refund ends, before scaling; 0: not by itself
	BillsAtOnce bool          // the bill of a day can be had before the day is over
	Clock       func() time.Time
}

// Ledger is the wallet's ledger.
type Ledger struct {
	Config
	Changed chan struct{} // receives a value after a change, unless one is waiting

	mu      sync.Mutex // guards the fields below
	trades  []Trade
	index   map[string]int    // number of the trade → its place
	paid    map[string]string // transaction ID → number of the trade
	refunds map[string]string // number of the refund → number of the trade
	pending map[Subject]time.Time
	journal *os.File // nil without a journal
}

// Subject is what a notification is about: a trade, or a refund of it.
type Subject struct{ Trade, Refund string }

// ErrJournal is the error of a change that could not be recorded.
var ErrJournal = errors.New("the sandbox can't write its ledger")

// Open returns the ledger with the trades of its journal.
func Open(c Config) (*Ledger, error) {
	l := &Ledger{
		Config: c, Changed: make(chan struct{}, 1),
		index: map[string]int{}, paid: map[string]string{}, refunds: map[string]string{}, pending: map[Subject]time.Time{},
	}
	if c.Journal == "" {
		return l, nil
	}
	if err := l.openJournal(); err != nil {
		return nil, fmt.Errorf("reading the sandbox's journal: %w", err)
	}
	return l, nil
}

// openJournal opens the file and stores its trades, of which each line is a state. A kill can truncate the last line, which
// was never acknowledged: openJournal removes it.
func (l *Ledger) openJournal() error {
	content, err := os.ReadFile(l.Journal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	number := 0
	for line := range bytes.Lines(content) {
		var t Trade
		number++
		if err := json.Unmarshal(line, &t); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		l.store(t)
	}
	if l.journal, err = os.OpenFile(l.Journal, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
		return err
	}
	return l.journal.Truncate(int64(len(content)))
}

// record adds the trade to the journal, if there is one. After an error nothing can be recorded, because part of the line may
// be in the file. The caller must hold the lock.
func (l *Ledger) record(t Trade) error {
	if l.journal == nil {
		return nil
	}
	line, err := json.Marshal(t)
	if err == nil {
		_, err = l.journal.Write(append(line, '\n'))
	}
	if err == nil {
		err = l.journal.Sync()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, errors.Join(err, l.journal.Close()))
	}
	return nil
}

// Close closes the journal. If there is one, later changes are refused.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal == nil {
		return nil
	}
	return l.journal.Close()
}

func (l *Ledger) Now() time.Time { return l.Clock().UTC() }

// Scaled returns what a time of the wallet takes.
func (l *Ledger) Scaled(d time.Duration) time.Duration { return d / time.Duration(l.Scale) }

// newID returns a random ID of 28 digits with the prefix and the day.
func newID(prefix string, now time.Time) string {
	n, _ := rand.Int(rand.Reader, big.NewInt(1e16)) // it never fails
	return fmt.Sprintf("%s%s%016d", prefix, now.In(Beijing).Format("20060102"), n)
}

// Number returns the number of the trade that is named: by the wallet's ID, or else by its number, or else by that of a
// refund. There may be no trade with a number that was given.
func (l *Ledger) Number(transactionID, no, refund string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if transactionID != "" {
		return l.paid[transactionID]
	}
	return cmp.Or(no, l.refunds[refund])
}

// Trade returns the trade with the merchant's number.
func (l *Ledger) Trade(no string) (Trade, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, there := l.index[no]; there {
		return l.trades[i], nil
	}
	return Trade{}, ErrUnknown
}

// Trades returns all trades in order of creation.
func (l *Ledger) Trades() []Trade {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.trades)
}

// Refunds returns all refunds in order of creation.
func (l *Ledger) Refunds() (all []Refund) {
	for _, t := range l.Trades() {
		all = append(all, t.Refunds...)
	}
	slices.SortStableFunc(all, func(a, b Refund) int { return a.Created.Compare(b.Created) })
	return all
}

// Find returns the subject. The refund is a copy, or nil if the subject is the trade itself.
func (l *Ledger) Find(of Subject) (Trade, *Refund) {
	t, _ := l.Trade(of.Trade)
	r := t.Refund(of.Refund)
	if r != nil {
		r = new(*r)
	}
	return t, r
}

// Pending returns what is still to be done by itself, and when.
func (l *Ledger) Pending() map[Subject]time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.pending)
}

// change changes the trade with the number, unless the function returns an error, and returns it. The function gets an empty
// trade if the number is unknown.
func (l *Ledger) change(no string, change func(t *Trade, now time.Time) error) (Trade, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var former Trade
	if i, there := l.index[no]; there {
		former = l.trades[i]
	}
	t := former
	t.Refunds = slices.Clone(t.Refunds)
	err := change(&t, l.Now())
	if err == nil {
		err = l.record(t)
	}
	if err != nil {
		return former, err
	}
	l.store(t)
	return t, nil
}

// store stores the trade in memory. The caller must hold the lock.
func (l *Ledger) store(t Trade) {
	if i, there := l.index[t.OutTradeNo]; there {
		l.trades[i] = t
	} else {
		l.index[t.OutTradeNo] = len(l.trades)
		l.trades = append(l.trades, t)
	}
	if t.State == Success {
		l.paid[t.TransactionID] = t.OutTradeNo
	}
	l.expect(Subject{Trade: t.OutTradeNo}, t.Next)
	for _, r := range t.Refunds {
		l.refunds[r.No] = t.OutTradeNo
		l.expect(Subject{t.OutTradeNo, r.No}, r.Next)
	}
	select {
	case l.Changed <- struct{}{}:
	default:
	}
}

// expect keeps the subject among the pending ones, or removes it. The caller must hold the lock.
func (l *Ledger) expect(of Subject, next time.Time) {
	if l.pending[of] = next; next.IsZero() {
		delete(l.pending, of)
	}
}
