package transport

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
