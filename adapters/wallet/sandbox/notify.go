package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// pauses are the wallet's pauses between attempts to send a notification.
var pauses = []time.Duration{
	15 * time.Second, 15 * time.Second, 30 * time.Second, 3 * time.Minute, 10 * time.Minute, 20 * time.Minute,
	30 * time.Minute, 30 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 3 * time.Hour, 3 * time.Hour,
	6 * time.Hour, 6 * time.Hour,
}

const (
	notifyTime = 5 * time.Second
	maxAtOnce  = 16
)

func newClient() *http.Client {
	return &http.Client{
		// It uses no proxy and follows no redirections.
		Transport:     &http.Transport{MaxConnsPerHost: maxAtOnce, MaxIdleConnsPerHost: maxAtOnce, IdleConnTimeout: time.Minute},
		Timeout:       notifyTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// subject is what a notification is about: a trade, or a refund of it.
type subject struct{ trade, refund string }

// notification is a message to the merchant.
type notification struct {
	protocol Protocol
	address  string
	header   http.Header
	body     []byte
}

// Run sends notifications and ends refunds until the context ends. It returns when the running
// attempts have ended. The next Run sends what remains.
func (s *Server) Run(ctx context.Context) error {
	defer s.client.CloseIdleConnections()
	var sending sync.WaitGroup
	defer sending.Wait()
	for {
		due, wait := s.due()
		for _, of := range due {
			sending.Go(func() { s.deliver(ctx, of) })
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.kick:
		case <-time.After(wait):
		}
	}
}

// longestWait is how long Run waits without a reason to do something.
const longestWait = time.Hour

// due takes the subjects whose notification must be sent now. wait is the time until the next
// one.
func (s *Server) due() (due []subject, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	wait = longestWait
	for of, isSending := range s.pending {
		if isSending {
			continue
		}
		if left := s.delivery(of).Next.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		s.pending[of] = true
		due = append(due, of)
	}
	return due, wait
}

// delivery returns how far the notification is. The caller must hold the lock.
func (s *Server) delivery(of subject) Delivery {
	if of.refund != "" {
		return s.refunds[of.refund].Delivery
	}
	return s.trades[of.trade].Delivery
}

// setDelivery changes how far the notification is, in memory even if it can't be recorded. The
// caller must hold the lock.
func (s *Server) setDelivery(of subject, d Delivery) error {
	if of.refund != "" {
		r := s.refunds[of.refund]
		r.Delivery = d
		s.storeRefund(r)
		return s.recordRefund(r)
	}
	t := s.trades[of.trade]
	t.Delivery = d
	s.store(t)
	return s.record(t)
}

// sent lets due return the subject again, if its notification is still to be sent.
func (s *Server) sent(of subject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, more := s.pending[of]; more {
		s.pending[of] = false
		s.wake()
	}
}

// wake makes Run check for due notifications.
func (s *Server) wake() {
	select {
	case s.kick <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// deliver sends a notification once, or as a trick demands.
func (s *Server) deliver(ctx context.Context, of subject) {
	defer s.sent(of)
	if s.endByItself(of.refund) {
		return
	}
	s.mu.Lock()
	other := s.other
	s.mu.Unlock()
	op := Notify
	if of.refund != "" {
		op = NotifyRefund
	}
	trick := s.nextMisbehaviour(op, of.trade)
	switch trick.Do {
	case Late:
		pause(ctx, s.scaled(pauses[0]), other)
	case Delay:
		pause(ctx, trick.delay(), nil)
	}
	err := errors.New("lost on the way")
	if trick.Do != Lose {
		err = s.post(ctx, s.notification(of, trick), max(trick.Copies, 1))
	}
	if ctx.Err() != nil && err != nil {
		return // the merchant did not cause this
	}
	attempt := s.delivered(of, err == nil)
	s.cfg.Log.Info("sandbox: notified", "no", of.trade, "refund", of.refund, "attempt", attempt, "trick", trick.Do, "cause", err)
}

// delivered records an attempt and wakes the notifications that follow it. It returns the number
// of attempts.
func (s *Server) delivered(of subject, taken bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	d := s.delivery(of)
	d.Attempts++
	d.Notified = taken
	d.Next = time.Time{}
	if !taken && d.Attempts <= len(pauses) {
		d.Next = now.Add(s.scaled(pauses[d.Attempts-1]))
	}
	if err := s.setDelivery(of, d); err != nil {
		// After a restart it is sent again, which merchants must accept.
		s.cfg.Log.Error("sandbox: recording a notification attempt failed", "cause", err)
	}
	close(s.other)
	s.other = make(chan struct{})
	return d.Attempts
}

// post sends copies of the message at once. It succeeds if one of them is accepted.
func (s *Server) post(ctx context.Context, message notification, copies int) error {
	var all sync.WaitGroup
	errs := make([]error, copies)
	for i := range copies {
		all.Go(func() { errs[i] = s.postOne(ctx, message) })
	}
	all.Wait()
	if slices.Contains(errs, nil) {
		return nil
	}
	return errors.Join(errs...)
}

// postOne sends the message. It returns nil if the merchant acknowledges it: in version 3 with the
// status alone.
func (s *Server) postOne(ctx context.Context, message notification) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, message.address, bytes.NewReader(message.body))
	if err != nil {
		return err
	}
	r.Header = message.header.Clone()
	response, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	isV3 := message.protocol == V3
	switch {
	case err != nil:
		return err
	case response.StatusCode != http.StatusOK && (!isV3 || response.StatusCode != http.StatusNoContent):
		return fmt.Errorf("merchant answered status %d", response.StatusCode)
	case isV3:
		return nil
	}
	reply, err := parse(body)
	if err == nil && reply["return_code"] != "SUCCESS" {
		err = errors.New("merchant rejected the notification")
	}
	return err
}

// notification returns the message to the merchant, in the version of the order or of the refund.
func (s *Server) notification(of subject, trick Misbehaviour) notification {
	s.mu.Lock()
	t, r := s.trades[of.trade], s.refunds[of.refund]
	s.mu.Unlock()
	xml := http.Header{"Content-Type": {"text/xml; charset=utf-8"}}
	switch {
	case of.refund == "" && t.Protocol == V2:
		return notification{V2, t.NotifyURL, xml, s.v2Notification(t, trick)}
	case of.refund == "":
		return s.v3Notification(t.NotifyURL, s.paymentEvent(t, trick), trick)
	case r.Protocol == V2:
		return notification{V2, r.NotifyURL, xml, s.v2RefundNotification(r, t, trick)}
	}
	return s.v3Notification(r.NotifyURL, s.refundEvent(r, t, trick), trick)
}
