package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"plaza/adapters/wallet/sandbox/ledger"
)

// The longest wait is that without a reason to do something.
const maxAtOnce, notifyTime, longestWait = 16, 5 * time.Second, time.Hour

type notifier struct {
	*wallet
	versions map[ledger.Protocol]version
	client   *http.Client
	sent     chan struct{} // receives a value after a notification, if a late one waits for it
}

func newNotifier(w *wallet, versions map[ledger.Protocol]version) *notifier {
	return &notifier{w, versions, &http.Client{
		// It uses no proxy and follows no redirections.
		Transport:     &http.Transport{MaxConnsPerHost: maxAtOnce, MaxIdleConnsPerHost: maxAtOnce, IdleConnTimeout: time.Minute},
		Timeout:       notifyTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, make(chan struct{})}
}

// run is Server.Run.
func (n *notifier) run(ctx context.Context) error {
	defer n.client.CloseIdleConnections()
	var all sync.WaitGroup
	defer all.Wait()
	running, ended := map[ledger.Subject]bool{}, make(chan ledger.Subject)
	for {
		wait := longestWait
		for of, at := range n.ledger.Pending() {
			if left := at.Sub(n.ledger.Now()); left > 0 {
				wait = min(wait, left)
			} else if !running[of] {
				running[of] = true
				all.Go(func() {
					n.deliver(ctx, of)
					select {
					case ended <- of:
					case <-ctx.Done():
					}
				})
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case of := <-ended:
			delete(running, of)
		case <-n.ledger.Changed:
		case <-time.After(wait):
		}
	}
}

// deliver sends a notification once, or as a trick demands. A refund that is still being processed succeeds instead.
func (n *notifier) deliver(ctx context.Context, of ledger.Subject) {
	t, r := n.ledger.Find(of)
	if r != nil && r.State == ledger.RefundProcessing {
		n.recorded(ctx, n.ledger.EndRefund(r.No, ledger.RefundSucceeded))
		return
	}
	op, protocol, to := Notify, t.Protocol, t.NotifyURL
	if r != nil {
		op, protocol, to = NotifyRefund, r.Protocol, r.NotifyURL
	}
	trick := n.next(op, of.Trade)
	switch trick.Do {
	case Late:
		pause(ctx, n.ledger.Scaled(ledger.Pauses[0]), n.sent)
	case Delay:
		pause(ctx, trick.delay(), nil)
	}
	t, r = n.ledger.Find(of) // as it is now
	trick.overstates(&t, r)
	err := errors.New("lost on the way")
	if v, isServed := n.versions[protocol]; isServed && trick.Do != Lose {
		err = n.post(ctx, v, to, v.notification(t, r, trick), max(trick.Copies, 1))
	}
	if ctx.Err() != nil && err != nil {
		return // the merchant did not cause this
	}
	attempt, failed := n.ledger.Delivered(of, err == nil)
	n.recorded(ctx, failed)
	select {
	case n.sent <- struct{}{}:
	default:
	}
	n.Log.Info("sandbox: notified", "no", of.Trade, "refund", of.Refund, "attempt", attempt, "trick", trick.Do, "cause", err)
}

// recorded waits after an error of the ledger. What it lacks is done again, also after a restart: merchants must accept that.
func (n *notifier) recorded(ctx context.Context, err error) {
	if err != nil {
		n.Log.Error("sandbox: changing the ledger failed", "cause", err)
		pause(ctx, n.ledger.Scaled(ledger.Pauses[0]), nil)
	}
}

// post sends copies of the message at once. It returns nil if the merchant acknowledges one of them.
func (n *notifier) post(ctx context.Context, v version, to string, m message, copies int) error {
	var all sync.WaitGroup
	errs := make([]error, copies)
	for i := range copies {
		all.Go(func() { errs[i] = n.postOne(ctx, v, to, m) })
	}
	all.Wait()
	if slices.Contains(errs, nil) {
		return nil
	}
	return errors.Join(errs...)
}

func (n *notifier) postOne(ctx context.Context, v version, to string, m message) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(m.body))
	if err != nil {
		return err
	}
	r.Header = m.header.Clone()
	response, err := n.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	return cmp.Or(err, v.acknowledged(response.StatusCode, body))
}
