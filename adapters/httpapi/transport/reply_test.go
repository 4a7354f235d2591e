package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newRequest(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return r
}

func sent(t *testing.T, r Reply, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r.Send(w, newRequest(http.MethodGet, "/", headers...))
	return w
}

func TestA_reply_that_cant_be_encoded_is_a_mistake_of_ours(t *testing.T) {
	w := sent(t, Data(math.NaN()))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.True(t, json.Valid(w.Body.Bytes()))
}

const (
	traceID    = "0af7651916cd43dd8448eb211c80319c"
	callerID   = "b7ad6b7169203331"
	wellFormed = "00-" + traceID + "-" + callerID + "-01"
)

func TestGEN10_the_trace_that_the_caller_names_is_in_every_line(t *testing.T) {
	for header, isNamed := range map[string]bool{
		wellFormed:                               true,
		"":                                       false,
		"ff-" + traceID + "-" + callerID + "-01": false,
		"00-00000000000000000000000000000000-" + callerID + "-01": false,
		"00-0AF7651916CD43DD8448EB211C80319C-" + callerID + "-01": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if header != "" {
			r.Header.Set("traceparent", header)
		}
		_, log := framed(r, func(w http.ResponseWriter, r *http.Request) {
			Logger(r.Context()).Info("something of the handler's")
			w.WriteHeader(http.StatusNoContent)
		})
		assert.Equal(t, map[bool]int{true: 2}[isNamed], bytes.Count([]byte(log), []byte(" trace_id="+traceID)), "%s: %s", header, log)
		assert.Equal(t, isNamed, bytes.Contains([]byte(log), []byte("trace_id")), header)
	}
}

// plainBody returns the body of the response without its coding.
func plainBody(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	from := io.Reader(w.Body)
	switch coding(w.Header().Get("Content-Encoding")) {
	case gzipped:
		unzipped, err := gzip.NewReader(w.Body)
		require.NoError(t, err)
		from = unzipped
	case zstandard:
		unzipped, err := zstd.NewReader(w.Body)
		require.NoError(t, err)
		defer unzipped.Close()
		from = unzipped
	}
	plain, err := io.ReadAll(from)
	require.NoError(t, err)
	return string(plain)
}

func TestGEN_12_the_client_chooses_the_coding(t *testing.T) {
	for header, want := range map[string]coding{
		"": identity, ",": identity, ";;;": identity, "br, deflate": identity, "*": identity, "identity": identity,
		"gzip": gzipped, " GZip ": gzipped, "zstd": zstandard, "gzip, deflate, br, zstd": zstandard, "gzip, identity": gzipped,
		"gzip;q=0": identity, "gzip;q=0, *": identity, "gzip; q=0.001": gzipped, "gzip ; Q = 1.0 , br": gzipped,
		"gzip;q=1, zstd;q=0.9": gzipped, "gzip;q=0.5, zstd;q=0.6": zstandard, "zstd;q=0.5, gzip;q=0.5": zstandard,
		"identity;q=0": identity, "identity;q=0, gzip": gzipped, "identity, gzip;q=0.5": identity, "identity;q=0.5, gzip;q=0.5": gzipped,
		"gzip;q=x": identity, "gzip;q=NaN": identity, "gzip;q=-1": identity, "gzip;q=2": identity, "gzip;x=1": identity, "gzip;q": identity,
		"gzipped": identity, "x-gzip": identity, "gzip, gzip;q=0": identity,
	} {
		assert.Equal(t, want, accepted(http.Header{"Accept-Encoding": {header}}), header)
	}
	assert.Equal(t, zstandard, accepted(http.Header{"Accept-Encoding": {"gzip;q=0.5", "zstd"}}), "two lines are one list")
	assert.Equal(t, identity, accepted(http.Header{}))
}

func TestGEN_12_content_above_1_KiB_is_compressed(t *testing.T) {
	around := strings.Repeat("a", minCompressed-len(`{"data":[""]}`)-1) // the content has a newline too
	for list, isCompressed := range map[string]bool{
		"short": false, around: false, around + "a": true, strings.Repeat("a walk by the lake ", listInMemory/10): true,
	} {
		for _, asked := range codings {
			for name, r := range map[string]Reply{
				"whole": WithETag(Data([]string{list})), "streamed": WithETag(Bare(listed3(NewListLimits(), list))),
				"untagged": Data([]string{list}), "streamed and untagged": Bare(listed3(NewListLimits(), list)),
			} {
				about := fmt.Sprint(len(list), " bytes ", name, " ", asked)
				w, plain := sent(t, r, "Accept-Encoding", string(asked)), sent(t, r)
				assert.Equal(t, map[bool]string{true: string(asked)}[isCompressed], w.Header().Get("Content-Encoding"), about)
				assert.Equal(t, strconv.Itoa(w.Body.Len()), w.Header().Get("Content-Length"), about)
				assert.Equal(t, plain.Header().Values("Vary"), w.Header().Values("Vary"), about)
				assert.Equal(t, isCompressed || r.Tagged || strings.HasPrefix(name, "streamed"),
					strings.Contains(w.Header().Get("Vary"), "Accept-Encoding"), about)
				assert.Equal(t, r.Tagged, w.Header().Get("ETag") != "", about)
				assert.Equal(t, plain.Body.String(), plainBody(t, w), about)
			}
		}
	}
}
