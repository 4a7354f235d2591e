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
		Transport: &http.Transport{MaxConnsPerHost: maxAtOnce, MaxIdleConnsPerHost: maxAtOnce, IdleConnTimeout: time.Minute}, // without a proxy
		Timeout:   notifyTime,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// subject is what a notification is about: a trade, or a refund of it.
type subject struct{ trade, refund string }

// operation returns the operation whose misbehaviours the notification has.
func (of subject) operation() Operation {
	if of.refund != "" {
		return NotifyRefund
	}
	return Notify
}

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
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-s.kick:
		case <-timer.C:
		}
		timer.Stop()
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
	trick := s.nextMisbehaviour(of.operation(), of.trade)
	message := s.notification(of, trick)
	err := errors.New("lost on the way")
	switch trick.Do {
	case Lose:
	case Late:
		if s.awaitOther(ctx) {
			err = s.post(ctx, message, 1)
		}
	case Delay:
		if pause(ctx, trick.delay()) {
			err = s.post(ctx, message, 1)
		}
	default:
		err = s.post(ctx, message, max(trick.Copies, 1))
	}
	if ctx.Err() != nil && err != nil {
		return // the merchant did not cause this
	}
	attempt := s.delivered(of, err == nil)
	s.cfg.Log.Info("sandbox: notified", "no", of.trade, "refund", of.refund, "attempt", attempt, "trick", trick.Do, "cause", err)
}

// awaitOther waits until another notification was sent, at most for the first pause. It reports
// false if the context ended first.
func (s *Server) awaitOther(ctx context.Context) bool {
	s.mu.Lock()
	other := s.other
	s.mu.Unlock()
	select {
	case <-other:
	case <-time.After(s.scaled(pauses[0])):
	case <-ctx.Done():
		return false
	}
	return true
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
	if err != nil {
		return err
	}
	if message.protocol == V3 {
		return acknowledgedV3(response.StatusCode)
	}
	return acknowledged(response.StatusCode, body)
}

// acknowledged returns why the answer to a notification of version 2 does not acknowledge it, or
// nil.
func acknowledged(status int, body []byte) error {
	reply, err := parse(body)
	switch {
	case status != http.StatusOK:
		return fmt.Errorf("merchant answered status %d", status)
	case err != nil:
		return err
	case reply["return_code"] != "SUCCESS":
		return errors.New("merchant rejected the notification")
	}
	return nil
}

// notification returns the message to the merchant, in the protocol of the order or of the
// refund.
func (s *Server) notification(of subject, trick Misbehaviour) notification {
	s.mu.Lock()
	t, r := s.trades[of.trade], s.refunds[of.refund]
	s.mu.Unlock()
	m := notification{protocol: t.Protocol, address: t.NotifyURL, header: http.Header{}}
	if of.refund != "" {
		m.protocol, m.address = r.Protocol, r.NotifyURL
	}
	m.header.Set("Content-Type", "text/xml; charset=utf-8")
	switch {
	case m.protocol == V3 && of.refund != "":
		m.header, m.body = s.v3Notification(s.refundEvent(r, t, trick), trick)
	case m.protocol == V3:
		m.header, m.body = s.v3Notification(s.paymentEvent(t, trick), trick)
	case of.refund != "":
		m.body = s.v2RefundNotification(r, t, trick)
	default:
		m.body = s.v2Notification(t, trick)
	}
	return m
}
