package transport

import (
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits of responses whose clients read more slowly than the server writes (GEN-14). Responses of at
// most sentAtOnce bytes leave with the end of the request and count nowhere.
const (
	// sentAtOnce is how much of a response the server keeps until its handler has returned, in bytes. Before it sends more, it
	// reads a body that no handler has read, and waits for a client that does not read what was sent before.
	sentAtOnce = 2 << 10
	// sendPiece and sendDeadline are how much of a response a client must take in what time.
	sendPiece    = 16 << 10 // bytes
	sendDeadline = 10 * time.Second
	// maxSending is how much memory the responses on their way may hold, in bytes. A larger
	// response is a file, and counts in ListLimits.
	maxSending = 128 << 20
	// maxSendingOf is how many responses may be on their way at once to one caller: to an account,
	// or to a network of callers without one.
	maxSendingOf = 64
)

// sending bounds the responses that are on their way.
type sending struct {
	bytes   *semaphore.Weighted
	callers *shares
}

// sender writes a response. Its request gives up its slot before the first byte leaves, because from
// there on the client decides how long it takes. A client that falls behind is cut off.
type sender struct {
	http.ResponseWriter
	request *http.Request
	slot    slot
	limits  *sending

	caller  caller
	held    int64 // bytes that count while the response leaves; zero: none
	written int
	refused bool // 503 was sent in place of the response
	late    *time.Timer
}

// ofContent are the headers that describe content.
var ofContent = []string{"Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Accept-Ranges", "Last-Modified", "Etag"}

// WriteHeader begins the response, or one that refuses the request if too much is on its way already. A write that took effect is
// never refused: its client would try it again.
func (s *sender) WriteHeader(status int) {
	size, _ := strconv.ParseInt(s.Header().Get("Content-Length"), 10, 64)
	isWrite := status == http.StatusCreated || s.request.Method == http.MethodPatch
	if size > sentAtOnce && s.request.Method != http.MethodHead && !isWrite && !s.enter(size) {
		s.refused = true
		for _, name := range ofContent {
			s.Header().Del(name)
		}
		setCommonHeaders(s.Header())
		Fail(s.ResponseWriter, s.request, errSending)
		return
	}
	s.ResponseWriter.WriteHeader(status)
}

// enter counts the response as being on its way.
func (s *sender) enter(size int64) bool {
	s.caller = callerOf(s.request.Context())
	if !s.limits.callers.take(s.caller) {
		return false
	}
	size = min(size, listInMemory)
	if !s.limits.bytes.TryAcquire(size) {
		s.limits.callers.free(s.caller)
		return false
	}
	s.held = size
	return true
}

// Write writes piece by piece, each with its deadline.
func (s *sender) Write(p []byte) (written int, err error) {
	if s.refused {
		return len(p), nil
	}
	if s.written+len(p) > sentAtOnce {
		s.slot.leave()
	}
	for len(p) > 0 && err == nil {
		piece := p[:min(len(p), sendPiece)]
		var n int
		n, err = s.writePiece(piece)
		written, p = written+n, p[len(piece):]
	}
	return written, err
}

func (s *sender) writePiece(piece []byte) (int, error) {
	s.written += len(piece)
	if s.written <= sentAtOnce {
		return s.ResponseWriter.Write(piece)
	}
	if s.late == nil {
		conn := http.NewResponseController(s.ResponseWriter)
		s.late = time.AfterFunc(sendDeadline, func() { _ = conn.SetWriteDeadline(time.Unix(1, 0)) })
	} else {
		s.late.Reset(sendDeadline)
	}
	defer s.late.Stop()
	return s.ResponseWriter.Write(piece)
}

// end is called when the response has left, or will not.
func (s *sender) end() {
	s.slot.leave()
	if s.held > 0 {
		s.limits.bytes.Release(s.held)
		s.limits.callers.free(s.caller)
	}
}

// Unwrap gives http.ResponseController access to the wrapped writer.
func (s *sender) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// errSending is the fault of a caller who does not take what was sent before, or of a server whose
// clients take too little.
var errSending = errOverloaded.AtLimit("sending")
