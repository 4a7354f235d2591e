package s3_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
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

// standIn implements the needed part of S3, for machines without a real store. It looks at who has signed a request, and leaves the
// signature itself to real stores.
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
	credential := keyID + "/" + time.Now().UTC().Format("20060102") + "/" + region + "/s3/aws4_request"
	if claimed := r.Header.Get("Authorization") + r.URL.Query().Get("X-Amz-Credential"); !strings.Contains(claimed, credential) {
		refuse(http.StatusForbidden, "InvalidAccessKeyId", claimed).ServeHTTP(w, r)
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
