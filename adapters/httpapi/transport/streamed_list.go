package transport

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"iter"
	"math"

	"plaza/adapters/httpapi/fields"
	"plaza/domain/page"
)

// StreamedList is a possibly large list. It is encoded item by item, so the encoded list is
// never in memory as a whole.
type StreamedList struct {
	Items      iter.Seq2[any, error]
	Pagination *pagination // nil: the list has no numbered pages
	Cursor     *cursors    // nil: the list has no cursors
	Limits     *ListLimits
	ctx        context.Context // of the request
	part       fields.Tree     // of each item
	OnEncoded  func()          // called once after encoding, when the items are no longer needed; may be nil
}

// ListOf returns the list of the page, with its pagination, or with its cursor (GEN-18).
func ListOf[T any](c *Call, p page.Page[T]) StreamedList {
	l := StreamedList{Items: ItemsOf(p.Items)}
	if p.Request.IsBehind() {
		l.Cursor = c.CursorOf(p.Next)
	} else {
		l.Pagination = PaginationOf(p.Request, p.Total)
	}
	return l
}

func (c *Call) Stream(l StreamedList) Reply {
	l.Limits, l.OnEncoded = c.lists, c.leave
	return Bare(l)
}

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
// JSON is. So what is stored is larger than minCompressed.
const listPiece = 4 * minCompressed

// encodedList is a list as JSON. What was encoded last is in buf, and flush empties that into the SpillBuffer.
type encodedList struct {
	StreamedList
	*SpillBuffer                // nil: the whole list is in buf
	coding       coding         // of what is in the SpillBuffer
	out          io.WriteCloser // into the SpillBuffer
	sum          hash.Hash      // of the JSON in the SpillBuffer, if the reply is tagged
	isTagged     bool
	buf          *bytes.Buffer
	json         *json.Encoder // into buf
	before       string        // what stands before the next item
	err          error         // of an item
}

// encode writes the list as JSON into the buffer, and a larger one from there into a SpillBuffer, in the coding. It fails
// before the first byte is sent.
func (l StreamedList) encode(buf *bytes.Buffer, c coding, isTagged bool) (*encodedList, error) {
	e := &encodedList{StreamedList: l, coding: c, isTagged: isTagged, buf: buf, json: json.NewEncoder(buf)}
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
		slot := func() (free func(), err error) { return e.Limits.fileOf(callerOf(e.ctx)) }
		e.SpillBuffer = &SpillBuffer{inMemory: listInMemory, capacity: math.MaxInt64, toFile: slot}
		e.out = e.coding.writer(e.SpillBuffer)
		if e.isTagged {
			e.sum = sha256.New()
		}
	}
	if e.isTagged {
		e.sum.Write(e.buf.Bytes())
	}
	_, err := e.buf.WriteTo(e.out)
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
