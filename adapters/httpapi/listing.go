package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"math"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sync/semaphore"

	"plaza/domain/fault"
)

// listing is a possibly large list. It is encoded item by item, so the encoded list is never
// in memory as a whole.
type listing struct {
	items      iter.Seq2[any, error]
	pagination *pagination // nil: the list is not paged
	limits     *listLimits
	encoded    func() // called once after encoding, when the items are no longer needed; may be nil
}

// listLimits bounds the memory and the files of large lists, over all requests of the process.
type listLimits struct {
	// events admits lists of events. Each weighs as many as its page may have, because the
	// store reads a page as a whole.
	events *semaphore.Weighted
	most   int64
	// files holds one slot for each encoded list that does not fit into memory.
	files chan struct{}
}

const (
	// eventsPerCPU is how many events lists may hold at once for each processor. An event
	// with its related data has some 200 KiB at most (EVT-21).
	eventsPerCPU = 60
	// imagesWeight is how many events the list of all images of a user weighs: it is never in
	// memory as a whole, but each one keeps a processor and a connection busy.
	imagesWeight = 12
	// listWait is how long a list waits for other lists.
	listWait = 2 * time.Second
	// listHeld is how much of an encoded list is held in memory, in bytes.
	listHeld = 256 << 10
	// listFiles is how many encoded lists may be files at once.
	listFiles = 16
)

func newListLimits() *listLimits {
	most := int64(eventsPerCPU * max(2, runtime.GOMAXPROCS(0)))
	return &listLimits{events: semaphore.NewWeighted(most), most: most, files: make(chan struct{}, listFiles)}
}

// errListsBusy is the fault of a server that holds as many large lists as it can.
var errListsBusy = fault.RetryAfter(fault.Unavailable, 2*time.Second, "The server is sending too many large lists. Try again soon.")

// enter waits until a page of that many events fits. leave releases it.
func (r *listLimits) enter(ctx context.Context, events int) (leave func(), err error) {
	weight := min(int64(events), r.most)
	waiting, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	if err := r.events.Acquire(waiting, weight); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errListsBusy
	}
	return func() { r.events.Release(weight) }, nil
}

// file takes a slot for a file. It fails at once if all are taken.
func (r *listLimits) file() error {
	select {
	case r.files <- struct{}{}:
		return nil
	default:
		return errListsBusy
	}
}

// itemsOf returns the views as a sequence.
func itemsOf[T any](views []T) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for _, view := range views {
			if !yield(view, nil) {
				return
			}
		}
	}
}

// encoded is an encoded listing. It can be sent once.
type encoded struct {
	*uploadBuffer
	sum    hash.Hash // nil: no entity tag
	limits *listLimits
}

// encode writes the listing as JSON. It fails before the first byte is sent.
func (l listing) encode(tagged bool) (e encoded, err error) {
	e = encoded{uploadBuffer: &uploadBuffer{inMemory: listHeld, most: math.MaxInt64, toFile: l.limits.file}, limits: l.limits}
	out := io.Writer(e.uploadBuffer)
	if tagged {
		e.sum = sha256.New()
		out = io.MultiWriter(e.uploadBuffer, e.sum)
	}
	if err := l.write(out); err != nil {
		return e, errors.Join(err, e.close())
	}
	return e, nil
}

// close closes the file and frees its slot.
func (e encoded) close() error {
	if e.file == nil {
		return nil
	}
	<-e.limits.files
	return e.uploadBuffer.close()
}

func (l listing) write(out io.Writer) error {
	enc := json.NewEncoder(trimmed{out})
	enc.SetEscapeHTML(false)
	between := `{"data":[`
	for item, err := range l.items {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, between); err != nil {
			return err
		}
		if err := enc.Encode(item); err != nil {
			return err
		}
		between = ","
	}
	if between != "," {
		if _, err := io.WriteString(out, between); err != nil {
			return err
		}
	}
	if l.pagination == nil {
		_, err := io.WriteString(out, "]}\n")
		return err
	}
	if _, err := io.WriteString(out, `],"pagination":`); err != nil {
		return err
	}
	if err := enc.Encode(l.pagination); err != nil {
		return err
	}
	_, err := io.WriteString(out, "}\n")
	return err
}

// trimmed drops the newline that an encoder writes after each value.
type trimmed struct{ out io.Writer }

func (t trimmed) Write(p []byte) (int, error) {
	if n := len(p); n > 0 && p[n-1] == '\n' {
		_, err := t.out.Write(p[:n-1])
		return n, err
	}
	return t.out.Write(p)
}

// sendListing sends the list, or 304 if the client already has it.
func (r reply) sendListing(w http.ResponseWriter, req *http.Request, l listing) {
	e, err := l.encode(r.tagged)
	if l.encoded != nil {
		l.encoded()
	}
	if err != nil {
		fail(w, req, fmt.Errorf("encoding a list: %w", err))
		return
	}
	defer e.close()
	h := w.Header()
	if r.tagged {
		vary(h)
		if isUnchanged(w, req, e.sum.Sum(nil), "no-cache") {
			return
		}
	}
	h["Content-Type"] = []string{"application/json"}
	h["Content-Length"] = []string{strconv.FormatInt(e.size, 10)}
	w.WriteHeader(r.status)
	_, _ = io.Copy(w, io.NewSectionReader(e.uploadBuffer, 0, e.size)) // fails only when the client has disconnected
}
