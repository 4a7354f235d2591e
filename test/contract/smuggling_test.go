package contract

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// framings are heads whose body a proxy and a server may end at different places, each with the body as this server reads it at most.
func framings() map[string][2]string {
	const chunked = "2\r\n{}\r\n0\r\n\r\n"
	both := func(length, transfer string) [2]string {
		return [2]string{"Content-Length: " + length + "\r\nTransfer-Encoding: " + transfer, chunked}
	}
	all := map[string][2]string{
		"a length and chunks": both("12", "chunked"), "a shorter length and chunks": both("2", "chunked"),
		"no length and chunks": both("0", "chunked"), "a length beyond and chunks": both("200", "chunked"),
		"chunks and a length":        {"Transfer-Encoding: chunked\r\nContent-Length: 5", chunked},
		"two lengths":                {"Content-Length: 2\r\nContent-Length: 12", "{}"},
		"chunks alone":               {"Transfer-Encoding: chunked", chunked},
		"chunks, kept alive":         {"Transfer-Encoding: chunked\r\nConnection: keep-alive", chunked},
		"a trailer that is a length": {"Transfer-Encoding: chunked\r\nTrailer: Content-Length", "2\r\n{}\r\n0\r\nContent-Length: 500\r\n\r\n"},
		"chunks twice":               {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", chunked},
		"chunks, then nothing":       {"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", chunked},
		"a space before the colon":   {"Transfer-Encoding : chunked", chunked},
	}
	for name, transfer := range map[string]string{
		"xchunked": "xchunked", "chunked and more": "chunked, identity", "more and chunked": "identity, chunked", "gzip and chunked": "gzip, chunked", "a quality": "chunked;q=1", "quotes": `"chunked"`,
		"a vertical tab": "\vchunked", "a null": "chunked\x00", "two words": "chunked chunked", "a comma": "chunked,", "a tab": "\tchunked",
		"spaces": "   chunked  ", "folded": "\r\n chunked", "capitals": "CHUNKED", "nothing": "",
	} {
		all["chunks by "+name] = [2]string{"Transfer-Encoding: " + transfer, chunked}
		all["a length and chunks by "+name] = both("2", transfer)
	}
	for name, length := range map[string]string{
		"a sign": "+2", "a minus": "-2", "hexadecimal": "0x2", "a list": "2, 12", "words": "2 2", "nothing": "", "a fraction": "2.0",
		"full width": "\uff12", "too many digits": strings.Repeat("9", 30), "a null": "2\x00",
	} {
		all["a length with "+name] = [2]string{"Content-Length: " + length, "{}"}
	}
	for name, body := range map[string]string{
		"hexadecimal": "0x2\r\n{}\r\n0\r\n\r\n", "a sign": "+2\r\n{}\r\n0\r\n\r\n", "a space": "2 \r\n{}\r\n0\r\n\r\n",
		"an extension": "2;a=\"\r\n\"\r\n{}\r\n0\r\n\r\n", "bare line feeds": "2\n{}\n0\n\n", "bare returns": "2\r{}\r0\r\r",
		"too many digits": "00000000000000002\r\n{}\r\n0\r\n\r\n", "more than it says": "1\r\n{}\r\n0\r\n\r\n",
		"no length": "\r\n{}\r\n0\r\n\r\n", "an underscore": "0_2\r\n{}\r\n0\r\n\r\n", "a negative end": "2\r\n{}\r\n-0\r\n\r\n",
	} {
		all["a chunk with "+name] = [2]string{"Transfer-Encoding: chunked", body}
	}
	return all
}

// TestGEN14_nothing_is_read_behind_a_body_whose_end_is_in_doubt: a request that hides there
// would be another caller's for a proxy that ends the body elsewhere. No store is tested.
func TestGEN14_nothing_is_read_behind_a_body_whose_end_is_in_doubt(t *testing.T) {
	t.Parallel()
	on := stores[0]
	on.fresh = on.open(t)
	s := on.start(t)
	ada := s.member(t)
	authorized := "Authorization: Token " + ada.key
	hidden := request("POST", events, []string{authorized, jsonType}, `{"title": "smuggled"}`)
	for name, framing := range framings() {
		for _, method := range []string{"POST", "GET"} {
			path := map[string]string{"POST": events, "GET": profile}[method]
			first := method + " " + path + " HTTP/1.1\r\nHost: plaza.example\r\n" + authorized + "\r\n" + jsonType + "\r\n" + framing[0] +
				"\r\n\r\n" + framing[1]
			t.Run(method+" "+name, func(t *testing.T) {
				w := s.dial(t).say(first + hidden)
				a := w.answer(method)
				assert.True(t, a.closes, "%d", a.status)
				rest, err := io.ReadAll(w.in)
				require.True(t, err == nil || !isTimeout(err), "the connection stays open: %v", err)
				assert.Empty(t, string(rest), "a second answer")
			})
		}
	}
	ada.writes(t, object{"title": "sent openly"})
	assert.NotContains(t, ada.get(t, events+"?page_size=100").is(200).titles(), "smuggled")

	// A body whose length is certain ends where it says: the next request is read.
	w := s.dial(t).say(request("POST", events, []string{authorized, jsonType}, "{}") + request("GET", profile, []string{authorized}, ""))
	assert.Equal(t, []int{http.StatusCreated, http.StatusOK}, []int{w.answer("POST").status, w.answer("GET").status})
}

func isTimeout(err error) bool {
	timeout, is := errors.AsType[net.Error](err)
	return is && timeout.Timeout()
}
