package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
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
		Transport: &http.Transport{MaxIdleConnsPerHost: maxAtOnce, IdleConnTimeout: time.Minute}, // without a proxy
		Timeout:   notifyTime,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// Run sends notifications until the context ends. It returns when the running attempts have
// ended. The next Run sends what remains.
func (s *Server) Run(ctx context.Context) error {
	defer s.client.CloseIdleConnections()
	var sending sync.WaitGroup
	defer sending.Wait()
	slots := make(chan struct{}, maxAtOnce)
	for {
		due, wait := s.due()
		for _, t := range due {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				s.unmarkInFlight(due)
				return nil
			}
			sending.Go(func() {
				defer func() { <-slots }()
				s.deliver(ctx, t)
			})
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

// due takes the trades whose notification must be sent now. wait is the time until the next
// one.
func (s *Server) due() (due []Trade, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	wait = time.Hour
	for no := range s.pending {
		t := s.trades[no]
		if _, taken := s.inFlight[no]; taken {
			continue
		}
		if left := t.Next.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		s.inFlight[no] = struct{}{}
		due = append(due, t)
	}
	return due, wait
}

// unmarkInFlight lets due return the trades again.
func (s *Server) unmarkInFlight(taken []Trade) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range taken {
		delete(s.inFlight, t.OutTradeNo)
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
func (s *Server) deliver(ctx context.Context, t Trade) {
	defer s.wake()
	defer s.unmarkInFlight([]Trade{t})
	trick := s.nextMisbehaviour(Notify, t.OutTradeNo)
	message := s.notification(t, trick)
	err := errors.New("lost on the way")
	switch trick.Do {
	case Late:
		s.delay(t.OutTradeNo, trick)
		return
	case Lose:
	case Delay:
		if pause(ctx, trick.delay()) {
			err = s.post(ctx, t.NotifyURL, message, 1)
		}
	default:
		err = s.post(ctx, t.NotifyURL, message, max(trick.Copies, 1))
	}
	if ctx.Err() != nil && err != nil {
		return // the merchant did not cause this
	}
	s.cfg.Log.Info("sandbox: notified", "no", t.OutTradeNo, "attempt", t.Attempts+1, "trick", trick.Do, "cause", err)
	s.delivered(t.OutTradeNo, err == nil)
}

// delay holds a notification back until another one was sent or its time is over.
func (s *Server) delay(no string, trick Misbehaviour) {
	s.mu.Lock()
	defer s.mu.Unlock()
	longest := s.scaled(pauses[0])
	if trick.DelayMS > 0 {
		longest = trick.delay()
	}
	t := s.trades[no]
	t.Next = s.now().Add(longest)
	s.store(t)
	s.delayed[no] = struct{}{}
}

// delivered records an attempt and releases the notifications that were to follow it.
func (s *Server) delivered(no string, taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	t := s.trades[no]
	t.Attempts++
	t.Notified = taken
	t.Next = time.Time{}
	if !taken && t.Attempts <= len(pauses) {
		t.Next = now.Add(s.scaled(pauses[t.Attempts-1]))
	}
	if err := s.commit(t); err != nil {
		s.cfg.Log.Error("sandbox: recording a notification attempt failed", "cause", err)
		s.store(t) // after a restart it is sent again, which merchants must accept
	}
	delete(s.delayed, no)
	for other := range s.delayed {
		o := s.trades[other]
		o.Next = now
		s.store(o)
	}
	clear(s.delayed)
}

// post sends copies of the message at once. It succeeds if one of them is accepted.
func (s *Server) post(ctx context.Context, address string, message []byte, copies int) error {
	var all sync.WaitGroup
	var taken atomic.Bool
	errs := make([]error, copies)
	for i := range copies {
		all.Go(func() {
			if errs[i] = s.postOne(ctx, address, message); errs[i] == nil {
				taken.Store(true)
			}
		})
	}
	all.Wait()
	if taken.Load() {
		return nil
	}
	return errors.Join(errs...)
}

func (s *Server) postOne(ctx context.Context, address string, message []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(message))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "text/xml; charset=utf-8")
	response, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return err
	}
	reply, err := parse(body)
	switch {
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("merchant answered status %d", response.StatusCode)
	case err != nil:
		return err
	case reply["return_code"] != "SUCCESS":
		return errors.New("merchant rejected the notification")
	}
	return nil
}

// notification returns the message to the merchant. Like the wallet's, it often has no
// sign_type, which is then the order's.
func (s *Server) notification(t Trade, trick Misbehaviour) []byte {
	message := fields{
		"return_code": "SUCCESS", "result_code": "SUCCESS", "appid": t.AppID, "mch_id": s.cfg.MerchantID,
	}
	maps.Copy(message, receipt(t))
	if trick.Do == Amount {
		message["total_fee"] = strconv.FormatInt(t.Amount+1, 10)
	}
	// A message without sign_type is still signed with the order's type.
	s.signed(message, t.SignType)
	if trick.Do == Forge {
		forged(message)
	}
	return render(message)
}

// receipt returns the fields of a payment in answers and notifications.
func receipt(t Trade) fields {
	reply := fields{
		"out_trade_no": t.OutTradeNo, "transaction_id": t.TransactionID, "openid": t.OpenID, "is_subscribe": "N",
		"trade_type": t.TradeType, "bank_type": "OTHERS", "total_fee": strconv.FormatInt(t.Amount, 10),
		"fee_type": t.Currency, "cash_fee": strconv.FormatInt(t.Amount-t.Coupon, 10), "cash_fee_type": t.Currency,
		"time_end": t.Paid.In(beijing).Format(wireTime),
	}
	if t.Attach != "" {
		reply["attach"] = t.Attach
	}
	if t.Coupon > 0 {
		fee := strconv.FormatInt(t.Coupon, 10)
		maps.Copy(reply, fields{"coupon_fee": fee, "coupon_count": "1", "coupon_id_0": "sandbox", "coupon_fee_0": fee})
	}
	return reply
}
