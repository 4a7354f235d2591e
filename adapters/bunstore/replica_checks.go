package bunstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// logPosition is a position in the write-ahead log of Postgres (pg_lsn).
type logPosition uint64

func parseLogPosition(text string) (logPosition, error) {
	var high, low uint64
	if _, err := fmt.Sscanf(text, "%X/%X", &high, &low); err != nil {
		return 0, fmt.Errorf("position in the log %q: %w", text, err)
	}
	return logPosition(high<<32 | low), nil
}

// String returns the position as Postgres writes it.
func (p logPosition) String() string { return fmt.Sprintf("%X/%X", uint64(p)>>32, uint32(p)) }

// reached is a position that the primary's log had reached after an instant. A replica that has
// replayed it shows everything that was committed at the instant. (With synchronous_commit=off
// the log may reach a commit some hundred milliseconds after others see it.)
type reached struct {
	at       time.Time
	position logPosition
}

// progress has the positions that the primary's log reached during the last maxLag, the oldest
// first. A primary that is idle has the same position again and again, so an idle primary is not
// taken for a replica that lags.
type progress struct {
	mu  sync.Mutex
	all []reached
}

// add notes a position and forgets those from before the instant.
func (p *progress) add(now reached, oldest time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := 0
	for first < len(p.all) && p.all[first].at.Before(oldest) {
		first++
	}
	p.all = append(p.all[:0], p.all[first:]...)
	p.all = append(p.all, now)
}

// since returns the position which a replica must have replayed so that it shows everything that
// was committed at the instant. It reports false if the primary has not told one since.
func (p *progress) since(oldest time.Time) (logPosition, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.all {
		if !r.at.Before(oldest) {
			return r.position, true
		}
	}
	return 0, false
}

// shownBy returns the latest instant of which a replica that has replayed the position shows
// everything. It reports false if that is before all instants that are known.
func (p *progress) shownBy(replayed logPosition) (shown time.Time, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.all {
		if r.position <= replayed {
			shown, known = r.at, true
		}
	}
	return shown, known
}

// begin starts the checks, which close ends. A command, which reads nothing for a request,
// starts none.
func (r *replicas) begin() {
	ctx, end := context.WithCancel(context.Background())
	r.end = end
	r.checked.Go(func() {
		ticker := time.NewTicker(min(checkInterval, r.maxLag/5))
		defer ticker.Stop()
		primary := primaryCheck{replicas: r}
		for {
			primary.round(ctx)
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
}

// primaryCheck is the state of the checks.
type primaryCheck struct {
	*replicas
	system    int64 // the identifier of the primary's cluster, which its replicas share; zero: unknown
	isFailing bool
}

// round asks the primary for its position, and then each replica for its own.
func (c *primaryCheck) round(ctx context.Context) {
	at := time.Now()
	position, err := c.askPrimary(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil && !c.isFailing {
		c.log.Warn("the primary does not tell how far its log is; replicas are not used", "error", err)
	}
	if c.isFailing = err != nil; !c.isFailing {
		c.progress.add(reached{at, position}, at.Add(-c.maxLag))
	}
	if c.system == 0 {
		return
	}
	var all sync.WaitGroup
	for _, one := range c.all {
		all.Go(func() { c.check(ctx, one) })
	}
	all.Wait()
}

// askPrimary returns the position of the primary's log.
func (c *primaryCheck) askPrimary(ctx context.Context) (logPosition, error) {
	var position string
	if err := c.ask(ctx, c.monitor, c.sql.position, &position, &c.system); err != nil {
		return 0, err
	}
	return parseLogPosition(position)
}

func (r *replicas) ask(ctx context.Context, pool *pgxpool.Pool, statement string, into ...any) error {
	ctx, cancel := context.WithTimeout(ctx, replicaTimeout)
	defer cancel()
	return pool.QueryRow(ctx, statement, r.mode).Scan(into...)
}

// check asks a replica how far it is, and lets it be used or not. It does nothing while the
// replica is to be left alone.
func (c *primaryCheck) check(ctx context.Context, one *replica) {
	one.mu.Lock()
	isLeftAlone := time.Now().Before(one.retryAt)
	one.mu.Unlock()
	if isLeftAlone {
		return
	}
	var isStandby bool
	var text string
	var system int64
	err := c.ask(ctx, one.pool, c.sql.state, &isStandby, &text, &system)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		one.fail(err)
		return
	case system != c.system:
		one.use("it belongs to another database cluster")
		return
	case !isStandby:
		one.use("it is not a standby")
		return
	}
	replayed, err := parseLogPosition(text)
	if err != nil {
		one.use(err.Error())
		return
	}
	if shown, known := c.progress.shownBy(replayed); known {
		one.mu.Lock()
		one.shown = shown
		one.mu.Unlock()
	}
	if needed, known := c.progress.since(time.Now().Add(-c.maxLag)); !known || replayed < needed {
		one.use("it lags behind")
		return
	}
	one.use("")
}
