package transport

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"plaza/adapters/httpapi/fields"
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

type wrapped struct {
	Data any `json:"data"`
}

type wrappedPage struct {
	Data       any        `json:"data"`
	Pagination pagination `json:"pagination"`
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

// Bare returns a reply without the data wrapper (GEN-01).
func Bare(v any) Reply { return Reply{Status: http.StatusOK, Content: v} }

func Data(v any) Reply { return Bare(wrapped{v}) }

func Created(v any) Reply { return Reply{Status: http.StatusCreated, Content: wrapped{v}} }

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
	return Bare(wrappedPage{p.Items, PaginationOf(p.Request, p.Total)})
}

func PaginationOf(r page.Request, total int) pagination {
	return pagination{
		PageSize: r.Size(), TotalCount: total, TotalPages: r.Pages(total), CurrentPage: r.Number(),
		Next: Optional(r.Next(total)), Previous: Optional(r.Previous()),
	}
}

// Optional returns nil, written as null, unless there is a value.
func Optional[T any](v T, there bool) *T {
	if !there {
		return nil
	}
	return &v
}

// Part returns the reply with the part of its JSON alone.
func (r Reply) Part(part fields.Tree) Reply {
	r.part = part
	return r
}

// Send writes the reply. A reply that can't be encoded becomes an internal error before the
// first byte is sent.
func (r Reply) Send(w http.ResponseWriter, req *http.Request) {
	switch content := r.Content.(type) {
	case nil:
		r.write(w, identity, "", nil)
	case File:
		r.sendFile(w, req, content)
	case http.Handler:
		content.ServeHTTP(w, req)
	case StreamedList:
		r.sendStreamedList(w, req, content)
	case *keptJSON:
		if r.part == nil {
			r.sendKept(w, req, content)
			return
		}
		r.Tagged = true
		r.sendPart(w, req, content.raw)
	case envelope:
		RequestLogOf(req.Context()).refused(content)
		r.sendJSON(w, req, content.translated(w.Header(), req))
	default:
		r.sendJSON(w, req, content)
	}
}

// sendJSON writes the content as JSON. The newline at its end separates responses in a
// terminal.
func (r Reply) sendJSON(w http.ResponseWriter, req *http.Request, content any) {
	buf := buffers.Get().(*bytes.Buffer)
	defer recycle(buf)
	if err := writeJSON(buf, content); err != nil {
		Fail(w, req, fmt.Errorf("encoding a response: %w", err))
		return
	}
	r.sendPart(w, req, buf.Bytes())
}

// sendPart writes the part of the content, which is JSON already.
func (r Reply) sendPart(w http.ResponseWriter, req *http.Request, raw []byte) {
	if r.part == nil {
		r.sendEncoded(w, req, raw)
		return
	}
	buf := buffers.Get().(*bytes.Buffer)
	defer recycle(buf)
	if err := r.part.Write(buf, raw); err != nil {
		Fail(w, req, fmt.Errorf("leaving out fields of a response: %w", err))
		return
	}
	buf.WriteByte('\n')
	r.sendEncoded(w, req, buf.Bytes())
}

// sendEncoded writes content that is JSON already.
func (r Reply) sendEncoded(w http.ResponseWriter, req *http.Request, raw []byte) {
	if r.Tagged {
		w.Header().Add("Vary", varying)
		r.sendFile(w, req, File{"application/json", raw, "no-cache"})
		return
	}
	r.write(w, negotiate(w, req, "application/json", len(raw)), "application/json", raw)
}

// sendFile writes the bytes, or 304 if the client already has them.
func (r Reply) sendFile(w http.ResponseWriter, req *http.Request, f File) {
	if f.Caching == "" {
		r.write(w, identity, f.MediaType, f.Bytes)
		return
	}
	c := negotiate(w, req, f.MediaType, len(f.Bytes))
	sum := sha256.Sum256(f.Bytes)
	if !isUnchanged(w, req, sum[:], c, f.Caching) {
		r.write(w, c, f.MediaType, f.Bytes)
	}
}

// write sends the bytes in the coding. The server drops them from responses to HEAD. The
// bytes are compressed before the first is sent, so that a slow client holds no compressor.
func (r Reply) write(w http.ResponseWriter, c coding, mediaType string, raw []byte) {
	if c != identity {
		buf := buffers.Get().(*bytes.Buffer)
		defer recycle(buf)
		raw = c.compress(buf, raw)
	}
	r.writeCoded(w, c, mediaType, raw)
}

// writeCoded sends bytes that are in the coding already.
func (r Reply) writeCoded(w http.ResponseWriter, c coding, mediaType string, coded []byte) {
	r.begin(w, c, mediaType, len(coded))
	if len(coded) > 0 {
		w.Write(coded) // fails only when the client has disconnected
	}
}

// begin sends the status and the headers of content in the coding.
func (r Reply) begin(w http.ResponseWriter, c coding, mediaType string, size int) {
	h := w.Header()
	maps.Copy(h, r.header)
	if c != identity {
		h.Set("Content-Encoding", string(c))
	}
	if mediaType != "" {
		h.Set("Content-Type", mediaType)
		h.Set("Content-Length", strconv.Itoa(size))
	}
	w.WriteHeader(r.Status)
}
