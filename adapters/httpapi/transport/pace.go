package transport

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"plaza/domain/fault"
)

// Deadlines of a whole request, and how fast an upload must arrive. A picture of 10 MiB
// over a line of 1 Mbit/s fits.
const (
	deadline       = 20 * time.Second
	uploadDeadline = 2 * time.Minute
	uploadPiece    = 16 << 10 // bytes
	pieceDeadline  = 10 * time.Second
	// answerTime is how long the answer to an upload may take after its deadline.
	answerTime = time.Minute
)

// MinWriteTimeout is the least time that a server may give a request from the end of its head to
// the end of its response: the response to a request that took its whole deadline still gets
// through. Uploads have more time than the server gives, because their bodies take longer.
const MinWriteTimeout = deadline + 10*time.Second

// isUpload reports whether the body is larger than maxBody or of unknown length.
func isUpload(r *http.Request) bool { return r.ContentLength > MaxBody || r.ContentLength < 0 }

// pace limits how slowly a body may arrive.
type pace struct {
	whole time.Duration // for all of the body
	piece time.Duration // for each uploadPiece; zero: no limit
}

// paceOf returns the pace of the request's body. whole also limits the work on the request.
func paceOf(r *http.Request) pace {
	if isUpload(r) {
		return pace{uploadDeadline, pieceDeadline}
	}
	return pace{whole: deadline}
}

// LimitRequests lets at most that many requests be worked on at once, or any number if that
// is zero, and limits how slowly their bodies may arrive and their responses may leave (GEN-14).
func LimitRequests(next http.Handler, most int) http.Handler {
	slots := semaphore.NewWeighted(int64(cmp.Or(most, math.MaxInt32)))
	responses := &sending{semaphore.NewWeighted(maxSending), newShares(math.MaxInt, maxSendingOf)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slots.TryAcquire(1) {
			Fail(w, r, errOverloaded)
			return
		}
		out := &RequestLogOf(r.Context()).sending
		*out = sender{ResponseWriter: w, request: r, slot: slot{r.Context(), slots, true}, limits: responses}
		defer out.end()
		// Requests that have arrived take their slots before the work on this one begins.
		// Otherwise busy processors would let them wait uncounted, before they are read.
		runtime.Gosched()
		paceOf(r).limit(w, r, time.Now(), &out.slot)
		next.ServeHTTP(out, r)
	})
}

// LeaveSlot gives up the slot of a request that is about to wait for something other than the
// processors and the database: its turn to process a picture, or the wallet. While many
// requests wait for one of them, others go on.
func LeaveSlot(ctx context.Context) {
	RequestLogOf(ctx).sending.slot.leave()
}

// limit lets reads of the request's body fail once it is too slow. It ends the connection
// after a body of unknown length, so that nothing can hide behind such a body. While the
// body arrives, the request gives up its slot.
func (p pace) limit(w http.ResponseWriter, r *http.Request, began time.Time, s *slot) {
	if r.ContentLength == 0 {
		return
	}
	if r.ContentLength < 0 {
		w.Header().Set("Connection", "close")
	}
	body := &pacedBody{ReadCloser: r.Body, conn: http.NewResponseController(w), pace: p, until: began.Add(p.whole), slot: s}
	if p.piece > 0 {
		body.conn.SetWriteDeadline(body.until.Add(answerTime))
	}
	body.extend(began)
	r.Body = body
}

// pacedBody is a body with a deadline for each piece of it.
type pacedBody struct {
	io.ReadCloser
	conn *http.ResponseController
	pace
	until time.Time
	piece int // bytes until the next piece begins
	slot  *slot
}

// extend sets the deadline of the next piece. A writer without a connection, as in tests,
// has no deadlines.
func (b *pacedBody) extend(now time.Time) {
	end := b.until
	if b.pace.piece > 0 && now.Add(b.pace.piece).Before(end) {
		end = now.Add(b.pace.piece)
	}
	b.piece = uploadPiece
	_ = b.conn.SetReadDeadline(end)
}

// Read extends the deadline with each piece. The server clears it at the end of the body.
func (b *pacedBody) Read(p []byte) (int, error) {
	b.slot.leave()
	n, err := b.ReadCloser.Read(p)
	if ended := b.slot.enter(); ended != nil && (err == nil || err == io.EOF) {
		err = ended
	}
	b.piece -= n
	if err == nil && b.piece <= 0 && b.pace.piece > 0 {
		b.extend(time.Now())
	}
	return n, err
}

// MaxBody is the largest JSON body, in bytes (GEN-11).
const MaxBody = 1 << 20

// errOverloaded is the fault of a server that works on as many requests as it may.
var errOverloaded = fault.RetryAfter(fault.Unavailable, time.Second, "The server is overloaded. Try again soon.").AtLimit("requests")

// slot is the place of a request among those that are worked on.
type slot struct {
	ctx  context.Context
	all  *semaphore.Weighted
	held bool
}

// enter takes the slot again. It waits, before requests that have not begun, for as long as the request may take.
func (s *slot) enter() error {
	if s.held {
		return nil
	}
	err := s.ctx.Err()
	if err == nil && !s.all.TryAcquire(1) { // without a timer
		if err = s.all.Acquire(s.ctx, 1); errors.Is(err, context.DeadlineExceeded) {
			err = errOverloaded
		}
	}
	s.held = err == nil
	return err
}

// leave gives the slot up.
func (s *slot) leave() {
	if s.held {
		s.all.Release(1)
	}
	s.held = false
}
