package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"
)

// Trick is a way to misbehave.
type Trick string

// How a request can be answered. Those that come before do nothing of what is asked.
const (
	Slow        Trick = "slow"         // wait, then do it, whether or not somebody still waits
	ErrorBefore Trick = "error-before" // SYSTEMERROR
	Crowded     Trick = "crowded"      // FREQUENCY_LIMITED
	SayPaid     Trick = "say-paid"     // ORDERPAID

	Delay      Trick = "delay"       // done, and answered late
	Hold       Trick = "hold"        // done, and answered once Release says so
	ErrorAfter Trick = "error-after" // done, and SYSTEMERROR
	Reset      Trick = "reset"       // done, and the connection ends
	Garbage    Trick = "garbage"     // done, and something else is answered
	Forge      Trick = "forge"       // done, and the signature is wrong; also of a notification
)

// What can become of a notification.
const (
	Lose   Trick = "lose"   // it counts as tried
	Repeat Trick = "repeat" // Copies of it come at once
	Late   Trick = "late"   // it comes behind one that was paid for later, or after Delay
	Amount Trick = "amount" // it names a wrong amount, well signed
)

// Misbehaviour is what goes wrong with the next Times requests of an operation.
type Misbehaviour struct {
	On     Operation `json:"on"`
	Do     Trick     `json:"do"`
	No     string    `json:"out_trade_no,omitempty"` // only with this order; empty: any
	Times  int       `json:"times,omitempty"`        // 0 is 1
	Copies int       `json:"copies,omitempty"`
	// DelayMS is in milliseconds, and not scaled.
	DelayMS int64 `json:"delay_ms,omitempty"`
}

var tricks = map[Operation][]Trick{
	UnifiedOrder: answers, OrderQuery: answers, CloseOrder: answers,
	Notify: {Lose, Repeat, Late, Forge, Amount, Delay},
}

var answers = []Trick{Slow, ErrorBefore, Crowded, SayPaid, Delay, Hold, ErrorAfter, Reset, Garbage, Forge}

const (
	maxTricks = 1000
	maxCopies = 100
	maxDelay  = 10 * time.Minute
	maxHold   = 10 * time.Minute
)

// Misbehave has it go wrong. What was told first happens first.
func (s *Server) Misbehave(m Misbehaviour) error {
	m.Times = max(m.Times, 1)
	if m.Do == Repeat {
		m.Copies = max(m.Copies, 2)
	}
	if !slices.Contains(tricks[m.On], m.Do) {
		return fmt.Errorf("%q can't misbehave by %q", m.On, m.Do)
	}
	if m.DelayMS < 0 || m.Copies < 0 || m.DelayMS > maxDelay.Milliseconds() || m.Copies > maxCopies {
		return fmt.Errorf("at most %d copies and a delay of %v", maxCopies, maxDelay)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tricks) >= maxTricks {
		return errors.New("there is too much misbehaviour ahead already")
	}
	s.tricks = append(s.tricks, m)
	return nil
}

// take is what goes wrong this time; nothing does if it has no Do.
func (s *Server) take(op Operation, no string) Misbehaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range s.tricks {
		if m.On != op || m.No != "" && m.No != no {
			continue
		}
		if s.tricks[i].Times--; s.tricks[i].Times == 0 {
			s.tricks = slices.Delete(s.tricks, i, i+1)
		}
		return m
	}
	return Misbehaviour{}
}

func (m Misbehaviour) delay() time.Duration { return time.Duration(m.DelayMS) * time.Millisecond }

// instead is what is said and nothing done.
func (m Misbehaviour) instead(ctx context.Context) error {
	switch m.Do {
	case Slow:
		pause(ctx, m.delay())
	case ErrorBefore:
		return errSystem
	case Crowded:
		return errCrowded
	case SayPaid:
		return refusePaid
	}
	return nil
}

// afterwards is what is said although it was done.
func (m Misbehaviour) afterwards() error {
	if m.Do == ErrorAfter {
		return errSystem
	}
	return nil
}

// detain keeps an answer back, and says whether anybody is still there to hear it.
func (s *Server) detain(ctx context.Context, m Misbehaviour) bool {
	switch m.Do {
	case Delay:
		return pause(ctx, m.delay())
	case Hold:
		return s.hold(ctx)
	}
	return true
}

func (s *Server) hold(ctx context.Context) bool {
	release := s.count(+1)
	defer s.count(-1)
	ctx, cancel := context.WithTimeout(ctx, maxHold)
	defer cancel()
	select {
	case <-release:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *Server) count(more int) (release <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += more
	close(s.changed)
	s.changed = make(chan struct{})
	return s.release
}

// Held is how many answers are held.
func (s *Server) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// AwaitHeld returns once at least n answers are held.
func (s *Server) AwaitHeld(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		held, changed := s.held, s.changed
		s.mu.Unlock()
		if held >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d held answers: %w", n, ctx.Err())
		}
	}
}

// Release lets go of all answers that are held.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.release)
	s.release = make(chan struct{})
}

// send answers, or does what an answer should not be.
func (m Misbehaviour) send(w http.ResponseWriter, answer fields) {
	switch m.Do {
	case Reset:
		reset(w)
		return
	case Garbage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><body>Bad Gateway</body>")) // nor is it meant to arrive well
		return
	case Forge:
		answer = forged(answer)
	}
	write(w, answer)
}

// reset ends the connection without an answer.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http then does the like
	}
	if tcp, is := conn.(*net.TCPConn); is {
		_ = tcp.SetLinger(0) // a reset, not an end
	}
	_ = conn.Close()
}

// forged has a signature of the right form that is of something else.
func forged(f fields) fields {
	first := byte('0')
	if f["sign"][0] == first {
		first = '1'
	}
	f["sign"] = string(first) + f["sign"][1:]
	return f
}
