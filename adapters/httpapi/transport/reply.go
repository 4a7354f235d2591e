package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"

	"plaza/adapters/httpapi/fields"
	"plaza/domain/instant"
	"plaza/domain/page"
)

// Reply is a response: a status, extra headers and content.
type Reply struct {
	Status  int
	header  http.Header
	Content any // a value for JSON, a file, a StreamedList, keptJSON, or an http.Handler that sends itself; nil: no content
	Tagged  bool
	part    fields.Tree // of the content in JSON that is sent; nil: all
}

// File is content in bytes, with its caching. Without caching it is sent unchanged, and has no tag.
type File struct {
	MediaType string
	Bytes     []byte
	Caching   string
}

// wrapped is content within the data wrapper (GEN-01).
type wrapped struct {
	Data       any         `json:"data"`
	Pagination *pagination `json:"pagination,omitempty"` // of a list with numbered pages
	Cursor     *cursors    `json:"cursor,omitempty"`     // of a list with cursors
}

// Bare returns a reply without the data wrapper (GEN-01).
func Bare(v any) Reply { return Reply{Status: http.StatusOK, Content: v} }

func Data(v any) Reply { return Bare(wrapped{Data: v}) }

func Created(v any) Reply { return Reply{Status: http.StatusCreated, Content: wrapped{Data: v}} }

// CreatedAt is created for what can be read at the path.
func CreatedAt(path string, v any) Reply {
	r := Created(v)
	r.header = http.Header{"Location": {path}}
	return r
}

// WithETag gives the reply an entity tag, so that clients can revalidate it (GEN-12).
func WithETag(r Reply) Reply {
	r.Tagged = true
	return r
}

func NoContent() Reply { return Reply{Status: http.StatusNoContent} }

// Paged returns the reply of a list with numbered pages, or of its part behind a cursor (GEN-18).
func Paged[T any](c *Call, p page.Page[T]) Reply {
	if p.Request.IsBehind() {
		return Continued(c, p.Items, p.Next)
	}
	return Bare(wrapped{Data: p.Items, Pagination: PaginationOf(p.Request, p.Total)})
}

// Continued returns the reply of a list with cursors: items, and where the list continues.
func Continued[T any](c *Call, items []T, next page.Cursor) Reply {
	return Bare(wrapped{Data: items, Cursor: c.CursorOf(next)})
}

// Part returns the reply with the part of its JSON alone.
func (r Reply) Part(part fields.Tree) Reply {
	r.part = part
	return r
}

// pagination is the pagination object of the interface (GEN-03).
type pagination struct {
	PageSize    int  `json:"page_size"`
	TotalCount  int  `json:"total_count"`
	TotalPages  int  `json:"total_pages"`
	CurrentPage int  `json:"current_page"`
	Next        *int `json:"next"`
	Previous    *int `json:"previous"`
}

func PaginationOf(r page.Request, total int) *pagination {
	return &pagination{
		PageSize: r.Size(), TotalCount: total, TotalPages: r.Pages(total), CurrentPage: r.Number(),
		Next: Optional(r.Next(total)), Previous: Optional(r.Previous()),
	}
}

// Timestamp is a time on the wire (GEN-02).
type Timestamp = instant.Timestamp

// writeJSON writes the value as JSON. It does not escape <, > and &, because JSON is not
// HTML.
func writeJSON(buf *bytes.Buffer, v any) error {
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Encode returns the value as JSON, without a newline at its end.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	err := writeJSON(&buf, v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// buffers are reused by later responses. They are empty.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxKept = 256 << 10

// recycle leaves the buffer to a later response, unless it grew too large.
func recycle(buf *bytes.Buffer) {
	if buf.Cap() <= maxKept {
		buf.Reset()
		buffers.Put(buf)
	}
}

// Optional returns nil, written as null, unless there is a value.
func Optional[T any](v T, there bool) *T {
	if !there {
		return nil
	}
	return &v
}
