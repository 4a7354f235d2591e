// Package paying holds the use cases of orders: creating and listing them, paying them with
// the mobile wallet, and recording payments.
//
// Each request to the wallet is stored before it is sent, and none is sent inside a change
// of the ledger: after a crash anywhere, PollDue resumes the order. Without a wallet,
// requests are still validated; valid ones fail with ErrNoWallet.
//
// A new prepayment uses the current gateway. All that follows uses the gateway of the prepayment's
// protocol.
//
// Its tests are those of test/usecases/money whose files begin with its name.
package paying

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"plaza/domain/payment"
	"plaza/domain/user"
)

// Limits are the timeouts and intervals of paying.
type Limits struct {
	// Call is how long the wallet may take to answer, retries included.
	Call time.Duration
	// Interval is how often the wallet is polled for a pending prepayment.
	Interval time.Duration
}

// lease is how long one server owns a prepayment. It is longer than Call. A server that
// takes longer still does no harm: requests to the wallet are idempotent.
func (l Limits) lease() time.Duration { return 2 * l.Call }

// Paying implements the use cases.
type Paying struct {
	ledger    payment.Ledger
	directory user.Directory
	gateways  payment.Gateways
	limits    Limits
	now       func() time.Time
	log       func(context.Context) *slog.Logger
	queue     queue

	forgedMu sync.Mutex
	forged   map[payment.Protocol]forgeries // one for each protocol of a gateway
}

// New returns the use cases over the ports; now returns the time, and log the logger of a
// context. Without a gateway, payments fail with ErrNoWallet.
func New(ledger payment.Ledger, directory user.Directory, gateways payment.Gateways, l Limits, now func() time.Time,
	log func(context.Context) *slog.Logger) *Paying {
	return &Paying{ledger: ledger, directory: directory, gateways: gateways, limits: l, now: now, log: log,
		forged: map[payment.Protocol]forgeries{}}
}

// change changes the order's trade, and schedules its next check.
func (p *Paying) change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	return p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		err := fn(t)
		t.ScheduleCheck(p.limits.Interval, p.now())
		return err
	})
}

// closeAll stores what fn decides, and closes the prepayments that it returns in the wallet. It returns how many they are.
func (p *Paying) closeAll(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) []payment.Step) (int, error) {
	var steps []payment.Step
	err := p.change(ctx, id, func(t *payment.Trade) error {
		steps = fn(t)
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, step := range steps {
		err = errors.Join(err, p.close(ctx, id, step.Prepayment))
	}
	return len(steps), err
}
