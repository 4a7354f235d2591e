package httpapi

import (
	"io"
	"net/http"
	"time"
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

// isUpload reports whether the body is larger than maxBody or of unknown length.
func isUpload(r *http.Request) bool { return r.ContentLength > maxBody || r.ContentLength < 0 }

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

// limit lets reads of the request's body fail once it is too slow. It ends the connection
// after a body of unknown length, so that nothing can hide behind such a body.
func (p pace) limit(w http.ResponseWriter, r *http.Request, began time.Time) {
	if r.ContentLength == 0 {
		return
	}
	if r.ContentLength < 0 {
		w.Header()["Connection"] = []string{"close"}
	}
	body := &pacedBody{ReadCloser: r.Body, conn: http.NewResponseController(w), pace: p, until: began.Add(p.whole)}
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
	n, err := b.ReadCloser.Read(p)
	b.piece -= n
	if b.piece <= 0 && b.pace.piece > 0 {
		b.extend(time.Now())
	}
	return n, err
}
