package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"plaza/domain/page"
)

// reply is a response: a status, extra headers and content.
type reply struct {
	status  int
	header  http.Header
	content any // a value for JSON, a file, a download, a streamedList, verbatim bytes or keptJSON; nil: no content
	tagged  bool
}

// file is content in bytes, with its caching.
type file struct {
	mediaType string
	bytes     []byte
	caching   string
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

// bare returns a reply without the data wrapper (GEN-01).
func bare(v any) reply { return reply{status: http.StatusOK, content: v} }

func data(v any) reply { return bare(wrapped{v}) }

func created(v any) reply { return reply{status: http.StatusCreated, content: wrapped{v}} }

// createdAt is created for what can be read at the path.
func createdAt(path string, v any) reply {
	r := created(v)
	r.header = http.Header{"Location": {path}}
	return r
}

// tag gives the reply an entity tag, so that clients can revalidate it (GEN-12).
func tag(r reply) reply {
	r.tagged = true
	return r
}

// Request headers on which a tagged reply may depend, and any other that may be compressed.
// All responses share the slices.
var (
	varying         = []string{"Authorization, Accept-Encoding, x-language-locale"}
	varyingByCoding = []string{"Accept-Encoding"}
)

// vary adds the request headers to those on which the response may depend.
func vary(h http.Header, by []string) {
	if h["Vary"] == nil {
		h["Vary"] = by
		return
	}
	h["Vary"] = append(h["Vary"], by...)
}

func noContent() reply { return reply{status: http.StatusNoContent} }

func paged[T any](p page.Page[T]) reply {
	return bare(wrappedPage{p.Items, paginationOf(p.Request, p.Total)})
}

func paginationOf(r page.Request, total int) pagination {
	return pagination{
		PageSize: r.Size(), TotalCount: total, TotalPages: r.Pages(total), CurrentPage: r.Number(),
		Next: optional(r.Next(total)), Previous: optional(r.Previous()),
	}
}

// optional returns nil, written as null, unless there is a value.
func optional[T any](v T, there bool) *T {
	if !there {
		return nil
	}
	return &v
}

// send writes the reply. A reply that can't be encoded becomes an internal error before the
// first byte is sent.
func (r reply) send(w http.ResponseWriter, req *http.Request) {
	switch content := r.content.(type) {
	case nil:
		r.write(w, identity, "", nil)
	case file:
		r.sendFile(w, req, content)
	case download:
		content.send(w, req)
	case streamedList:
		r.sendStreamedList(w, req, content)
	case *keptJSON:
		r.sendKept(w, req, content)
	case verbatim:
		r.write(w, identity, content.mediaType, content.bytes)
	case envelope:
		requestLogOf(req.Context()).refused(content)
		r.sendJSON(w, req, content)
	default:
		r.sendJSON(w, req, content)
	}
}

// sendJSON writes the content as JSON. The newline at its end separates responses in a
// terminal.
func (r reply) sendJSON(w http.ResponseWriter, req *http.Request, content any) {
	buf := buffers.Get().(*bytes.Buffer)
	defer keep(buf)
	if err := writeJSON(buf, content); err != nil {
		fail(w, req, fmt.Errorf("encoding a response: %w", err))
		return
	}
	if r.tagged {
		vary(w.Header(), varying)
		r.sendFile(w, req, file{"application/json", buf.Bytes(), "no-cache"})
		return
	}
	r.write(w, negotiate(w, req, "application/json", buf.Len()), "application/json", buf.Bytes())
}

// buffers are reused by later responses. They are empty.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxKept = 256 << 10

// keep leaves the buffer to a later response, unless it grew too large.
func keep(buf *bytes.Buffer) {
	if buf.Cap() <= maxKept {
		buf.Reset()
		buffers.Put(buf)
	}
}

// sendFile writes the bytes, or 304 if the client already has them.
func (r reply) sendFile(w http.ResponseWriter, req *http.Request, f file) {
	c := negotiate(w, req, f.mediaType, len(f.bytes))
	sum := sha256.Sum256(f.bytes)
	if !isUnchanged(w, req, sum[:], c, f.caching) {
		r.write(w, c, f.mediaType, f.bytes)
	}
}

// isUnchanged sets the entity tag from the SHA-256 of the content and its coding. If the
// client has that content, in any coding, it answers 304 with the tag that the client has, and
// reports true.
func isUnchanged(w http.ResponseWriter, req *http.Request, sum []byte, c coding, caching string) bool {
	w.Header()["Etag"] = []string{entityTag(sum, c)}
	w.Header()["Cache-Control"] = []string{caching}
	known := req.Header.Get("If-None-Match")
	if known == "" {
		return false
	}
	for _, held := range append([]coding{c}, codings...) {
		if tag := entityTag(sum, held); names(known, tag) {
			w.Header()["Etag"] = []string{tag}
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// entityTag returns the tag of the content with the SHA-256. A strong tag, as this one is,
// differs for each coding.
func entityTag(sum []byte, c coding) string {
	tag := hex.EncodeToString(sum[:16])
	if c != identity {
		tag += "-" + string(c)
	}
	return `"` + tag + `"`
}

// names reports whether the If-None-Match header includes the entity tag.
func names(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
			return true
		}
	}
	return false
}

// write sends the bytes in the coding. The server drops them from responses to HEAD. The
// bytes are compressed before the first is sent, so that a slow client holds no compressor.
func (r reply) write(w http.ResponseWriter, c coding, mediaType string, raw []byte) {
	if c != identity {
		buf := buffers.Get().(*bytes.Buffer)
		defer keep(buf)
		raw = c.compress(buf, raw)
	}
	r.writeCoded(w, c, mediaType, raw)
}

// writeCoded sends bytes that are in the coding already.
func (r reply) writeCoded(w http.ResponseWriter, c coding, mediaType string, coded []byte) {
	h := w.Header()
	maps.Copy(h, r.header)
	if c != identity {
		h["Content-Encoding"] = []string{string(c)}
	}
	if mediaType != "" {
		h["Content-Type"] = []string{mediaType}
		h["Content-Length"] = []string{strconv.Itoa(len(coded))}
	}
	w.WriteHeader(r.status)
	if len(coded) > 0 {
		w.Write(coded) // fails only when the client has disconnected
	}
}

// writeJSON writes the value as JSON. It does not escape <, > and &, because JSON is not
// HTML.
func writeJSON(buf *bytes.Buffer, v any) error { return jsonEncoder(buf).Encode(v) }

// jsonEncoder returns an encoder that writes values as writeJSON does.
func jsonEncoder(buf *bytes.Buffer) *json.Encoder {
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	return enc
}

// encode returns the value as JSON, without a newline at its end.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	err := writeJSON(&buf, v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}
