package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"iter"
	"math"
	"net/http"
	"net/netip"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"plaza/adapters/httpapi/fields"
	"plaza/domain/fault"
	"plaza/domain/page"
)

// StreamedList is a possibly large list. It is encoded item by item, so the encoded list is
// never in memory as a whole.
type StreamedList struct {
	Items      iter.Seq2[any, error]
	Pagination *pagination // nil: the list has no numbered pages
	Cursor     *cursors    // nil: the list has no cursors
	Limits     *ListLimits
	request    *http.Request // that it is sent to
	part       fields.Tree   // of each item
	OnEncoded  func()        // called once after encoding, when the items are no longer needed; may be nil
}

// ListLimits bounds the memory and the files of large lists, over all requests of the process.
type ListLimits struct {
	// events admits lists of events. Each weighs as many as its page may have, because the
	// store reads a page as a whole.
	events *semaphore.Weighted
	most   int64
	// files holds one slot for each encoded list that does not fit into memory. filesOf are the
	// shares of callers among them.
	files   chan struct{}
	filesOf *shares
	trusted []netip.Prefix
}

const (
	// eventsPerCPU is how many events lists may hold at once for each processor. An event
	// with its related data has some 200 KiB at most (EVT-21).
	eventsPerCPU = 60
	// ImagesWeight is how many events the list of all images of a user weighs: it is never in
	// memory as a whole, but each one keeps a processor and a connection busy.
	ImagesWeight = 12
	// listWait is how long a list waits for other lists.
	listWait = 2 * time.Second
	// listInMemory is how much of an encoded list is held in memory, in bytes.
	listInMemory = 256 << 10
	// listFiles is how many encoded lists may be files at once.
	listFiles = 16
	// listFilesOf is how many of them may be one caller's.
	listFilesOf = 4
)

func NewListLimits(trusted []netip.Prefix) *ListLimits {
	most := int64(eventsPerCPU * max(2, runtime.GOMAXPROCS(0)))
	return &ListLimits{
		events: semaphore.NewWeighted(most), most: most,
		files: make(chan struct{}, listFiles), filesOf: newShares(listFilesOf), trusted: trusted,
	}
}

// errListsBusy is the fault of a server that holds as many large lists as it can.
var errListsBusy = fault.RetryAfter(fault.Unavailable, 2*time.Second, "The server is sending too many large lists. Try again soon.").
	AtLimit("large_lists")

// enter waits until a page of that many events fits. It returns what the caller must release.
func (r *ListLimits) enter(ctx context.Context, events int) (weight int64, err error) {
	weight = min(int64(events), r.most)
	if err := acquire(ctx, r.events, weight, listWait, errListsBusy); err != nil {
		return 0, err
	}
	return weight, nil
}

// acquire waits until the weight is free, and returns busy if that takes longer than wait.
func acquire(ctx context.Context, from *semaphore.Weighted, weight int64, wait time.Duration, busy error) error {
	if from.TryAcquire(weight) { // without a timer
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if from.Acquire(waiting, weight) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return busy
}

// fileOf takes a slot for a file of the caller. It fails at once if all are taken, or the caller's
// share of them. free frees the slot.
func (r *ListLimits) fileOf(c caller) (free func(), err error) {
	if !r.filesOf.take(c) {
		return nil, errListsBusy
	}
	select {
	case r.files <- struct{}{}:
		return func() { <-r.files; r.filesOf.free(c) }, nil
	default:
		r.filesOf.free(c)
		return nil, errListsBusy
	}
}

// ListOf returns the list of the page, with its pagination, or with its cursor (GEN-18).
func ListOf[T any](c *Call, p page.Page[T]) StreamedList {
	l := StreamedList{Items: ItemsOf(p.Items)}
	if p.Request.IsBehind() {
		l.Cursor = new(c.CursorOf(p.Next))
	} else {
		l.Pagination = new(PaginationOf(p.Request, p.Total))
	}
	return l
}

// ItemsOf returns the views as a sequence.
func ItemsOf[T any](views []T) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, view := range views {
			if !yield(view, nil) {
				return
			}
		}
	}
}

// listPiece is how much of a list is encoded before it is compressed and stored, in bytes. A smaller list is sent as other
// JSON is. The first piece must be larger than minCompressed.
const listPiece = 4 * minCompressed

// encodedList is a list as JSON. What was encoded last is in buf, and flush empties that into the SpillBuffer.
type encodedList struct {
	StreamedList
	*SpillBuffer            // nil: the whole list is in buf
	out          compressor // into the SpillBuffer
	sum          hash.Hash  // of the JSON in the SpillBuffer, if the reply is tagged
	isTagged     bool
	buf          *bytes.Buffer
	json         *json.Encoder // into buf
	before       string        // what stands before the next item
	err          error         // of an item
}

// encode writes the list as JSON into the buffer, and a larger one from there into a SpillBuffer, in the coding. It fails
// before the first byte is sent.
func (l StreamedList) encode(buf *bytes.Buffer, c coding, isTagged bool) (*encodedList, error) {
	e := &encodedList{StreamedList: l, out: compressor{coding: c}, isTagged: isTagged, buf: buf, json: json.NewEncoder(buf)}
	e.json.SetEscapeHTML(false)
	err := e.write()
	if e.SpillBuffer == nil {
		return e, err
	}
	if err == nil {
		err = e.flush()
	}
	if err = errors.Join(err, e.out.Close()); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *encodedList) flush() error {
	if e.SpillBuffer == nil {
		slot := func() (free func(), err error) { return e.Limits.fileOf(callerOf(e.request, e.Limits.trusted)) }
		e.SpillBuffer = &SpillBuffer{inMemory: listInMemory, capacity: math.MaxInt64, toFile: slot}
		e.out.to = e.SpillBuffer
		if e.isTagged {
			e.sum = sha256.New()
		}
	}
	if e.isTagged {
		e.sum.Write(e.buf.Bytes())
	}
	_, err := e.buf.WriteTo(&e.out)
	return err
}

func (e *encodedList) write() error {
	e.buf.WriteString(`{"data":[`)
	if e.Items(e.item); e.err != nil {
		return e.err
	}
	e.buf.WriteString("]")
	if e.Pagination != nil {
		if err := e.put(`,"pagination":`, e.Pagination, nil); err != nil {
			return err
		}
	}
	if e.Cursor != nil {
		if err := e.put(`,"cursor":`, e.Cursor, nil); err != nil {
			return err
		}
	}
	e.buf.WriteString("}\n")
	return nil
}

// item writes an item. It reports false after an error.
func (e *encodedList) item(v any, err error) bool {
	if err == nil {
		err = e.put(e.before, v, e.part)
	}
	e.before, e.err = ",", err
	return err == nil
}

// put writes the part of the value after the text.
func (e *encodedList) put(before string, v any, part fields.Tree) error {
	e.buf.WriteString(before)
	start := e.buf.Len()
	if err := e.json.Encode(v); err != nil {
		return err
	}
	e.buf.Truncate(e.buf.Len() - len("\n"))
	if part != nil {
		whole := bytes.Clone(e.buf.Bytes()[start:])
		e.buf.Truncate(start)
		if err := part.Write(e.buf, whole); err != nil {
			return err
		}
	}
	if e.buf.Len() <= listPiece {
		return nil
	}
	return e.flush()
}

// sendStreamedList sends the list, or 304 if the client already has it.
func (r Reply) sendStreamedList(w http.ResponseWriter, req *http.Request, l StreamedList) {
	buf := buffers.Get().(*bytes.Buffer)
	defer recycle(buf)
	l.request, l.part = req, r.part.Item()
	e, err := l.encode(buf, accepted(req.Header), r.Tagged)
	if l.OnEncoded != nil {
		l.OnEncoded()
	}
	if err != nil {
		Fail(w, req, fmt.Errorf("encoding a list: %w", err))
		return
	}
	if e.SpillBuffer == nil {
		if !r.Tagged {
			varyByCoding(w.Header())
		}
		r.sendEncoded(w, req, buf.Bytes())
		return
	}
	defer e.Close()
	h := w.Header()
	if r.Tagged {
		h.Add("Vary", varying)
		if isUnchanged(w, req, e.sum.Sum(nil), e.out.coding, "no-cache") {
			return
		}
	}
	varyByCoding(h)
	r.begin(w, e.out.coding, "application/json", int(e.size))
	_, _ = e.WriteTo(w) // fails only when the client has disconnected
}
