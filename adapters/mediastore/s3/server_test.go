package s3_test

import (
	"bytes"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"

	"plaza/test/versitygw"
)

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
