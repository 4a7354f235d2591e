package s3

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
)

// maxList is more than a page of a list ever takes.
const maxList = 8 << 20

// strict carries requests, and looks at answers where minio-go takes any for good: if a
// list could be something else, a page of a proxy would say that there are no pictures.
type strict struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (s strict) RoundTrip(r *http.Request) (*http.Response, error) {
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

// checkList reads the whole answer, so that it can still be read.
func checkList(answer *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxList))
	if err != nil {
		return err
	}
	var list struct {
		XMLName xml.Name `xml:"ListBucketResult"`
	}
	if xml.Unmarshal(text, &list) != nil { // whose error may repeat what came
		return errForeign
	}
	answer.Body = &reread{bytes.NewReader(text), answer.Body}
	return nil
}

type reread struct {
	io.Reader
	io.Closer
}
