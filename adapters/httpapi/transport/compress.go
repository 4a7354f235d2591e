package transport

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp/writer/gzkp"
	"github.com/klauspost/compress/gzhttp/writer/zstdkp"
)

// The handlers of gzhttp compress while they send, so that a slow client holds a compressor, and they can't send what is kept in
// compressed form; so only its writers are used.

// coding is a content coding, as Content-Encoding names it.
type coding string

const (
	identity  coding = "" // content as it is
	gzipped   coding = "gzip"
	zstandard coding = "zstd"
)

// codings are all forms that content may have.
var codings = []coding{identity, gzipped, zstandard}

// minCompressed is the size in bytes above which content is compressed. The response to a
// login is far below it: a key is never compressed together with other data, because the
// size of the result would tell something about the key.
const minCompressed = 1 << 10

// fastest is the cheapest level of both compressors.
const fastest = 1

// negotiate returns the coding for content of that type and size, and says in Vary when it
// depends on the request. Pictures are compressed already.
func negotiate(w http.ResponseWriter, req *http.Request, mediaType string, size int) coding {
	if size <= minCompressed || strings.HasPrefix(mediaType, "image/") {
		return identity
	}
	varyByCoding(w.Header())
	return accepted(req.Header)
}

// varyByCoding adds Accept-Encoding to Vary, unless Vary names it already.
func varyByCoding(h http.Header) {
	if !slices.ContainsFunc(h["Vary"], func(line string) bool { return strings.Contains(line, "Accept-Encoding") }) {
		h.Add("Vary", "Accept-Encoding")
	}
}

// accepted returns the coding that the client prefers, and zstd among equals. A coding that
// the header does not name is not used, not even for a star.
func accepted(h http.Header) coding {
	var asIs, gzip, zstd float64
	for _, line := range h["Accept-Encoding"] {
		for item := range strings.SplitSeq(line, ",") {
			name, params, _ := strings.Cut(item, ";")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "identity":
				asIs = weight(params)
			case string(gzipped):
				gzip = weight(params)
			case string(zstandard):
				zstd = weight(params)
			}
		}
	}
	switch best := max(gzip, zstd); {
	case best == 0 || best < asIs:
		return identity
	case zstd == best:
		return zstandard
	default:
		return gzipped
	}
}

// weight returns the q-value in the parameters of a coding. It is one if there are no
// parameters, and zero if they are malformed.
func weight(params string) float64 {
	if strings.TrimSpace(params) == "" {
		return 1
	}
	name, value, _ := strings.Cut(params, "=")
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !strings.EqualFold(strings.TrimSpace(name), "q") || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}

// writer returns a writer that compresses to another one until it is closed. It must not
// wait for a client, because a compressor takes about 0.8 MiB of memory.
func (c coding) writer(to io.Writer) io.WriteCloser {
	switch c {
	case gzipped:
		return gzkp.NewWriter(to, fastest)
	case zstandard:
		return zstdkp.NewWriter(to, fastest)
	default:
		return uncompressed{to}
	}
}

// uncompressed is the writer of identity.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }

// compress returns the content in the coding, in the buffer.
func (c coding) compress(buf *bytes.Buffer, raw []byte) []byte {
	w := c.writer(buf)
	_, _ = w.Write(raw) // a buffer takes all bytes
	_ = w.Close()
	return buf.Bytes()
}
