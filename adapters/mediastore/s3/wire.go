package s3

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
)

// maxList is larger than any page of a list.
const maxList = 8 << 20

// checkedTransport sends requests and validates answers that minio-go accepts unchecked. Otherwise a
// proxy's page would count as an empty list.
type checkedTransport struct{ http.RoundTripper }

func (s checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	isGood := answer.StatusCode/100 == 2
	switch {
	case isGood && r.Method == http.MethodGet && r.URL.Query().Has("list-type"):
		err = checkList(answer)
	case isGood && r.Method == http.MethodDelete && answer.StatusCode != http.StatusNoContent:
		err = errForeign
	case isGood && r.Method == http.MethodPut && answer.Header.Get("ETag") == "":
		err = errForeign
	}
	if err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

// checkList reads the whole answer and makes it readable again.
func checkList(answer *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxList))
	if err != nil {
		return err
	}
	var list struct {
		XMLName xml.Name `xml:"ListBucketResult"`
	}
	if xml.Unmarshal(text, &list) != nil { // whose error may repeat the answer
		return errForeign
	}
	answer.Body = &reread{bytes.NewReader(text), answer.Body}
	return nil
}

type reread struct {
	io.Reader
	io.Closer
}
