package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// liveStreams is how many streams are open (NTF-04), half of them on each of two servers.
const liveStreams = 2000

// Goals of streams.
const (
	lagGoal  = 2 * time.Second
	slowdown = 1.2 // of the mix's p99
)

// streamRow is how the mix fares beside open streams, on two servers over one database.
type streamRow struct {
	rate          float64         // requests of the mix a second
	without, with []time.Duration // p99 of the mix, by round
	lags          []time.Duration // from when a notification was made until its client has it
	memory        int64           // bytes that a stream takes of a server
	statements    float64         // transactions a second that all streams take when nothing happens
}

// benchStreams measures the mix on two servers, half of it on each, in turns without streams and with them.
func (all *results) benchStreams(ctx context.Context, b *testing.B, binary string, d *dataset) {
	fmt.Fprintf(os.Stderr, "%s, streams\n", all.name)
	var servers [2]running
	for i := range servers {
		servers[i] = launchPlaza(b, binary, all.full)
	}
	m, err := newMixer(servers[0].at, d)
	if err != nil {
		b.Fatal(err)
	}
	rate, err := m.fast(ctx, servers[0].at, 3*time.Second)
	if err != nil {
		b.Fatal(err)
	}
	row := streamRow{rate: rate / 2}
	for range mixRounds {
		if err := row.round(ctx, all, m, servers); err != nil {
			b.Fatalf("streams: %v", err)
		}
	}
	all.streams = &row
}

func (r *streamRow) round(ctx context.Context, store *results, m *mixer, servers [2]running) error {
	if err := store.tidy(); err != nil {
		return err
	}
	p99, err := r.mix(ctx, m, servers)
	if err != nil {
		return err
	}
	r.without = append(r.without, p99)
	idle, err := store.transactions(ctx)
	before, memErr := resident(servers)
	if err := errors.Join(err, memErr); err != nil {
		return err
	}
	open := clients{found: make(chan time.Duration, 1<<16)}
	err = open.connect(servers)
	defer open.close()
	if err != nil {
		return err
	}
	busy, err := store.transactions(ctx)
	after, memErr := resident(servers)
	if err := errors.Join(err, memErr); err != nil {
		return err
	}
	r.statements, r.memory = busy-idle, (after-before)/liveStreams
	if p99, err = r.mix(ctx, m, servers); err != nil {
		return err
	}
	r.with = append(r.with, p99)
	for {
		select {
		case lag := <-open.found:
			r.lags = append(r.lags, lag)
		case err := <-open.failed:
			return err
		default:
			fmt.Fprintf(os.Stderr, "  at %.0f/s p99 %v without and %v with %d streams, %d notifications\n",
				r.rate, r.without[len(r.without)-1], p99, liveStreams, len(r.lags))
			return nil
		}
	}
}

// mix sends the mix at the rate, every second request to each server, and returns its p99.
func (r *streamRow) mix(ctx context.Context, m *mixer, servers [2]running) (time.Duration, error) {
	ctx, stop := context.WithTimeout(ctx, time.Duration(*mixFlag*float64(time.Second)))
	defer stop()
	var took [2][]timed
	var failed [2]error
	var wait sync.WaitGroup
	for n, server := range servers {
		wait.Go(func() {
			took[n], failed[n] = paced(ctx, server.at, r.rate/2, func(i int) request { return m.request(2*i + n) })
		})
	}
	wait.Wait()
	return tail(slices.Concat(took[:]...)), errors.Join(failed[:]...)
}

// transactions returns how many Postgres commits a second while no request is sent. A session tells of them at most once a second.
func (s benchedStore) transactions(ctx context.Context) (float64, error) {
	conn, err := pgx.Connect(ctx, s.full)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var first, last int64
	for _, committed := range []*int64{&first, &last} {
		const seconds = 10
		if _, err := conn.Exec(ctx, fmt.Sprintf("SELECT pg_sleep(%d), pg_stat_clear_snapshot()", seconds)); err != nil {
			return 0, err
		}
		if err := conn.QueryRow(ctx, "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()").Scan(committed); err != nil {
			return 0, err
		}
	}
	return float64(last-first) / 10, nil
}

// resident is how many bytes of both servers are resident.
func resident(servers [2]running) (sum int64, err error) {
	for _, server := range servers {
		now, _, readErr := residentMemory(server.pid)
		sum, err = sum+now, errors.Join(err, readErr)
	}
	return sum, err
}

// clients are those of open streams.
type clients struct {
	conns  []net.Conn
	found  chan time.Duration // how late each notification came
	failed chan error
	wait   sync.WaitGroup
}

func (c *clients) connect(servers [2]running) error {
	c.failed = make(chan error, liveStreams)
	for user := range liveStreams {
		// One address may have a tenth of a server's connections.
		dialer := net.Dialer{Timeout: patience, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+user%100))}}
		conn, err := dialer.Dial("tcp", servers[user%2].at)
		if err != nil {
			return err
		}
		c.conns = append(c.conns, conn)
		if _, err := conn.Write(getAs(user, "/api/user/stream/").raw); err != nil {
			return err
		}
		answer, err := http.ReadResponse(bufio.NewReaderSize(conn, 1<<10), nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			return fmt.Errorf("a stream is not answered with 200: %+v, %w", answer, err)
		}
		c.wait.Go(func() { c.read(bufio.NewReaderSize(answer.Body, 1<<10)) })
	}
	return nil
}

// read reads the stream until its connection is closed.
func (c *clients) read(in *bufio.Reader) {
	for isNotification := false; ; {
		line, err := in.ReadBytes('\n')
		data, isData := bytes.CutPrefix(line, []byte("data: "))
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			c.failed <- err
			return
		case !isData:
			isNotification = isNotification || bytes.HasPrefix(line, []byte("event: notification"))
			continue
		case isNotification:
			var item struct {
				Created time.Time `json:"created_at"`
			}
			if err := json.Unmarshal(data, &item); err != nil {
				c.failed <- err
				return
			}
			c.found <- time.Since(item.Created)
		}
		isNotification = false
	}
}

func (c *clients) close() {
	for _, conn := range c.conns {
		conn.Close()
	}
	c.wait.Wait()
}

// write writes what streams cost.
func (r streamRow) write(add func(isMet bool, what, measured, goal string)) {
	slices.Sort(r.lags)
	late, ratio := quantile(r.lags, 990), float64(median(r.with))/float64(median(r.without))
	add(late <= lagGoal, fmt.Sprintf("%s streams on two servers, beside the mix at %.0f/s: p99 of the time from when one of %s "+
		"notifications was made until its client had it (p50 %s)", thousands(liveStreams), r.rate, thousands(len(r.lags)),
		inMilliseconds(quantile(r.lags, 500))), inMilliseconds(late), lagGoal.String())
	add(ratio <= slowdown, fmt.Sprintf("p99 of the mix with them (%s), of that without (%s). A stream takes %d KiB; all streams take "+
		"%.1f transactions a second when nothing happens", inMilliseconds(median(r.with)), inMilliseconds(median(r.without)), r.memory>>10,
		r.statements), fmt.Sprintf("× %.2f", ratio), fmt.Sprintf("× %.1f", slowdown))
}
