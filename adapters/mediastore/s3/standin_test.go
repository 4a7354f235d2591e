package s3_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"

	"plaza/test/versitygw"
)

// standIn implements the needed part of S3, for machines without a real store. It shares no
// code with the signer: it verifies requests strictly, by Amazon's description of Signature
// Version 4.
type standIn struct {
	most int // maximum number of objects on a page of a list

	lock    sync.Mutex
	objects map[string]standInObject
}

type standInObject struct {
	content  []byte
	headers  http.Header
	modified time.Time
}

func newStandIn() *standIn { return &standIn{most: 1000, objects: map[string]standInObject{}} }

// refusal is an error of the store.
type refusal struct {
	XMLName xml.Name `xml:"Error"`
	Status  int      `xml:"-"`
	Code    string
	Message string
}

func refuse(status int, code, message string) *refusal {
	return &refusal{Status: status, Code: code, Message: message}
}

func (r *refusal) ServeHTTP(w http.ResponseWriter, _ *http.Request) { answer(w, r.Status, r) }

func answer(w http.ResponseWriter, status int, content any) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, xml.Header)
	_ = xml.NewEncoder(w).Encode(content)
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(http.StatusBadRequest, "IncompleteBody", "").ServeHTTP(w, r)
		return
	}
	if wrong := verify(r, body, time.Now()); wrong != nil {
		wrong.ServeHTTP(w, r)
		return
	}
	object, inBucket := strings.CutPrefix(r.URL.Path, "/"+bucket+"/")
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case !inBucket:
		refuse(http.StatusNotFound, "NoSuchBucket", "").ServeHTTP(w, r)
	case object == "" && r.Method == http.MethodGet && r.URL.Query().Get("list-type") == "2":
		s.list(w, r)
	case r.Method == http.MethodPut:
		s.put(w, r, object, body)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		s.get(w, r, object)
	case r.Method == http.MethodDelete:
		delete(s.objects, object)
		w.WriteHeader(http.StatusNoContent)
	default:
		refuse(http.StatusNotImplemented, "NotImplemented", "").ServeHTTP(w, r)
	}
}

func (s *standIn) put(w http.ResponseWriter, r *http.Request, name string, body []byte) {
	if r.Header.Get("X-Amz-Content-Sha256") != hash(body) || r.ContentLength != int64(len(body)) {
		refuse(http.StatusBadRequest, "XAmzContentSHA256Mismatch", "").ServeHTTP(w, r)
		return
	}
	if _, exists := s.objects[name]; exists && r.Header.Get("If-None-Match") == "*" {
		refuse(http.StatusPreconditionFailed, "PreconditionFailed", "").ServeHTTP(w, r)
		return
	}
	s.objects[name] = standInObject{content: body, modified: time.Now(), headers: http.Header{
		"Content-Type": r.Header["Content-Type"], "Cache-Control": r.Header["Cache-Control"], "Etag": {`"` + hash(body)[:32] + `"`},
	}}
	w.Header().Set("ETag", `"`+hash(body)[:32]+`"`)
}

func (s *standIn) get(w http.ResponseWriter, r *http.Request, name string) {
	o, exists := s.objects[name]
	if !exists {
		refuse(http.StatusNotFound, "NoSuchKey", "").ServeHTTP(w, r)
		return
	}
	maps.Copy(w.Header(), o.headers)
	for parameter, values := range r.URL.Query() {
		if header, is := strings.CutPrefix(parameter, "response-"); is {
			w.Header().Set(header, values[0])
		}
	}
	http.ServeContent(w, r, "", o.modified, bytes.NewReader(o.content))
}

type listed struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	IsTruncated           bool
	NextContinuationToken string `xml:",omitempty"`
	Contents              []listedObject
}

type listedObject struct {
	Key          string
	LastModified string
	Size         int
}

func (s *standIn) list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	most := s.most
	if n, err := strconv.Atoi(query.Get("max-keys")); err == nil {
		most = min(most, n)
	}
	after := max(query.Get("start-after"), query.Get("continuation-token"))
	var result listed
	for _, name := range slices.Sorted(maps.Keys(s.objects)) {
		if name <= after || !strings.HasPrefix(name, query.Get("prefix")) {
			continue
		}
		if len(result.Contents) == most {
			result.IsTruncated, result.NextContinuationToken = true, result.Contents[most-1].Key
			break
		}
		o := s.objects[name]
		modified := o.modified.UTC().Format("2006-01-02T15:04:05.000Z")
		result.Contents = append(result.Contents, listedObject{name, modified, len(o.content)})
	}
	answer(w, http.StatusOK, result)
}

const algorithm = "AWS4-HMAC-SHA256"

// claim is the signature in a request's header or query.
type claim struct {
	credential, date, signature, payload string
	headers                              []string
	from, until                          time.Time
}

// verify returns the problem of the signature, or nil.
func verify(r *http.Request, body []byte, now time.Time) *refusal {
	c, err := claimOf(r)
	if err != nil {
		return refuse(http.StatusForbidden, "AccessDenied", err.Error())
	}
	day := c.from.Format("20060102")
	scope := day + "/" + region + "/s3/aws4_request"
	switch {
	case c.credential != keyID+"/"+scope:
		return refuse(http.StatusForbidden, "InvalidAccessKeyId", c.credential)
	case now.Before(c.from.Add(-15*time.Minute)) || !now.Before(c.until):
		return refuse(http.StatusForbidden, "AccessDenied", "Request has expired")
	case c.payload != "UNSIGNED-PAYLOAD" && c.payload != hash(body):
		return refuse(http.StatusBadRequest, "XAmzContentSHA256Mismatch", "")
	}
	canonical := strings.Join([]string{r.Method, r.URL.EscapedPath(), canonicalQuery(r), canonicalHeaders(r, c.headers),
		strings.Join(c.headers, ";"), c.payload}, "\n")
	toSign := strings.Join([]string{algorithm, c.date, scope, hash([]byte(canonical))}, "\n")
	key := []byte("AWS4" + secretKey)
	for _, part := range []string{day, region, "s3", "aws4_request", toSign} {
		h := hmac.New(sha256.New, key)
		_, _ = io.WriteString(h, part)
		key = h.Sum(nil)
	}
	if c.signature != hex.EncodeToString(key) {
		return refuse(http.StatusForbidden, "SignatureDoesNotMatch", toSign)
	}
	return nil
}

func claimOf(r *http.Request) (c claim, err error) {
	query, header := r.URL.Query(), r.Header.Get("Authorization")
	life := 15 * time.Minute // of what is asked for at once
	var stated, headers string
	if header != "" {
		if _, err := fmt.Sscanf(header, "%s Credential=%s SignedHeaders=%s Signature=%s", &stated, &c.credential, &headers,
			&c.signature); err != nil {
			return c, err
		}
		c.credential, headers = strings.TrimSuffix(c.credential, ","), strings.TrimSuffix(headers, ",")
		c.date, c.payload = r.Header.Get("X-Amz-Date"), r.Header.Get("X-Amz-Content-Sha256")
	} else {
		stated, c.credential, headers = query.Get("X-Amz-Algorithm"), query.Get("X-Amz-Credential"), query.Get("X-Amz-SignedHeaders")
		c.date, c.signature, c.payload = query.Get("X-Amz-Date"), query.Get("X-Amz-Signature"), "UNSIGNED-PAYLOAD"
		seconds, err := strconv.Atoi(query.Get("X-Amz-Expires"))
		if err != nil || seconds < 1 || seconds > 7*24*3600 {
			return c, fmt.Errorf("bad X-Amz-Expires")
		}
		life = time.Duration(seconds) * time.Second
	}
	c.headers = strings.Split(headers, ";")
	for name := range r.Header {
		name = strings.ToLower(name)
		if strings.HasPrefix(name, "x-amz-") && !slices.Contains(c.headers, name) {
			return c, fmt.Errorf("%s is not signed", name)
		}
	}
	if stated != algorithm || !slices.Contains(c.headers, "host") || !slices.IsSorted(c.headers) {
		return c, fmt.Errorf("bad signature")
	}
	if c.from, err = time.Parse("20060102T150405Z", c.date); err != nil {
		return c, err
	}
	c.until = c.from.Add(life)
	return c, nil
}

// canonicalQuery keeps the query as sent, so that a wrongly escaped query does not match.
func canonicalQuery(r *http.Request) string {
	var pairs []string
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if pair != "" && !strings.HasPrefix(pair, "X-Amz-Signature=") {
			if !strings.Contains(pair, "=") {
				pair += "="
			}
			pairs = append(pairs, pair)
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

func canonicalHeaders(r *http.Request, names []string) string {
	var b strings.Builder
	for _, name := range names {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		}
		b.WriteString(name + ":" + strings.TrimSpace(value) + "\n")
	}
	return b.String()
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// The names and options of the stores in these tests.
const (
	bucket    = versitygw.Bucket
	region    = versitygw.Region
	keyID     = versitygw.KeyID
	secretKey = versitygw.Secret
)

// TestMain shortens the pauses between retries to milliseconds.
func TestMain(m *testing.M) {
	minio.DefaultRetryUnit, minio.DefaultRetryCap = time.Millisecond, 10*time.Millisecond
	os.Exit(m.Run())
}

// servers start stores with an empty bucket, and return their URLs. The tag soak brings a real store.
var servers = map[string]func(t *testing.T) string{
	"the stand-in": func(t *testing.T) string { return serve(t, newStandIn()) },
}

func onEveryServer(t *testing.T, test func(t *testing.T, endpoint string)) {
	for name, start := range servers {
		t.Run(name, func(t *testing.T) { test(t, start(t)) })
	}
}

func serve(t *testing.T, s *standIn) string {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// putDirectly puts an object into the bucket, without a type.
func putDirectly(t *testing.T, endpoint, name string) {
	t.Helper()
	core := minio.Core{Client: versitygw.Direct(t, endpoint)}
	_, err := core.PutObject(t.Context(), bucket, name, bytes.NewReader([]byte("x")), 1, "", hash([]byte("x")),
		minio.PutObjectOptions{DisableContentSha256: true})
	require.NoError(t, err)
}
