package httpapi

import (
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/fault"
	"plaza/domain/media"
)

// FuzzForm compares a form with the one that mime/multipart reads.
func FuzzForm(f *testing.F) {
	const head = "--b\r\nContent-Disposition: form-data; name="
	for _, body := range []string{
		"", "--b--", "--b--\r\n", "--b\r\n\r\n\r\n--b--", head + "\"tags\"\r\n\r\nlake\r\n--b--\r\n", head +
			"img; filename=x.png\r\n\r\npixels\r\n--b--\r\n",
		head + "img; filename=\"../../etc/passwd\"\r\n\r\na\r\n" + head + "img; filename=y\r\n\r\nb\r\n--b--\r\n", head +
			"img; filename=\"\"\r\n\r\npixels\r\n--b--\r\n",
		head + "\"tags\"; name=\"img\"\r\n\r\nx\r\n--b--", head + "tags; filename*=UTF-8''x\r\n\r\nx\r\n--b--", head +
			"tags\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=41\r\n--b--",
		head + "tags\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--c--\r\n--b--", head + "tags\r\n\r\n--bx\r\n--b --\r\n",
		head + "tags\r\n\r\n\xff\r\n--b--", head + "tags\n\nx\n--b--\n",
		strings.Repeat(head+"t\r\n\r\nx\r\n", 101) + "--b--", head + "tags\r\n" + strings.Repeat("X: y\r\n", 200) + "\r\nx\r\n--b--", head +
			"tags\r\n\r\nx", "preamble\r\n" + head + "tags\r\n\r\nx\r\n--b--epilogue",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var got struct {
			Img transport.Upload `json:"img"`
		}
		texts, err := transport.ReadForm(multipart.NewReader(strings.NewReader(body), "b"), transport.NamesOf(&got), transport.PicturesOf(&got),
			fault.Fields{})
		defer got.Img.Close()
		want, wrong := multipart.NewReader(strings.NewReader(body), "b").ReadForm(transport.MaxBody)
		if err != nil {
			require.True(t, wrong != nil || err == transport.ErrNotUTF8 || strings.Count(body, "--b") > transport.MaxParts, "%v", err)
			return
		}
		require.NoError(t, wrong)
		defer want.RemoveAll()
		for name, values := range texts {
			for _, value := range values {
				require.True(t, utf8.ValidString(value))
			}
			if name != "" { // which mime/multipart leaves out
				require.Equal(t, want.Value[name], values)
			}
		}
		var pictures []string // which may be sent with a file name or without
		for _, header := range want.File["img"] {
			file, err := header.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(file)
			require.NoError(t, err)
			pictures = append(pictures, string(content))
		}
		pictures = slices.DeleteFunc(append(pictures, want.Value["img"]...), func(content string) bool { return content == "" })
		require.Equal(t, len(pictures) > 0, got.Img.SpillBuffer != nil)
		require.Equal(t, len(pictures) > 1, got.Img.Problem != "")
		if got.Img.SpillBuffer != nil {
			read, err := io.ReadAll(got.Img.Reader())
			require.NoError(t, err)
			require.Contains(t, pictures, string(read))
		}
	})
}

// FuzzSignedURL asks for a private picture with any name and query. Only the name that was
// signed with the query that was issued leads to it.
func FuzzSignedURL(f *testing.F) {
	pictures := map[media.Key]string{"private/plate": "hidden", "private/other": "hidden", "public/plate": "pixels"}
	source := newShown(pictures)
	issued, err := url.Parse(source.URL("private/plate", media.Viewers, noon))
	require.NoError(f, err)
	expires, signature := issued.Query().Get("expires"), issued.Query().Get("signature")
	for _, query := range []string{
		"", issued.RawQuery, issued.RawQuery + "0", issued.RawQuery + "&expires=9", "expires=9&" + issued.RawQuery, "expires=%2B" + expires +
			"&signature=" + signature, "expires=0" + expires + "&signature=" + signature,
		"expires=" + expires + "&signature=" + strings.ToUpper(signature), "expires=" + expires + "&signature=" + signature[:63], "expires=" +
			expires + "%00&signature=" + signature, "signature=" + signature + "&expires=" + expires,
		"expires=" + expires + ";signature=" + signature, "Expires=" + expires + "&Signature=" + signature, "expires=1e10&signature=" + signature,
		"expires[]=" + expires + "&signature[]=" + signature, "%=&" + issued.RawQuery,
	} {
		for _, name := range []string{"plate", "other", "../public/plate", "plate/", "PLATE", "plate\x00"} {
			f.Add(name, query)
		}
	}
	router, err := newRouter(&api{UseCases: UseCases{Pictures: source.served(noon)}}, table)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, name, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path, r.URL.RawQuery = "/media/private/"+name, query
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		values, _ := url.ParseQuery(query)
		isIssued := name == "plate" && !values.Has("size") && values.Get("expires") == expires && values.Get("signature") == signature
		require.Equal(t, isIssued, w.Code == http.StatusOK, "%d", w.Code)
		require.Equal(t, isIssued, strings.Contains(w.Body.String(), "hidden"))
	})
}
