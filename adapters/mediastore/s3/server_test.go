package s3_test

import (
	"bytes"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"plaza/test/process"
)

// The names and options of the stores in these tests.
const (
	bucket    = "pictures"
	region    = "eu-test-1"
	keyID     = "PLAZATESTKEYID"
	secretKey = "a/secret+that=nobody/may/see"
)

// gateway names the program of a real store on a folder: the path of versitygw.
const gateway = "PLAZA_TEST_S3"

// TestMain shortens the pauses between retries to milliseconds.
func TestMain(m *testing.M) {
	minio.DefaultRetryUnit, minio.DefaultRetryCap = time.Millisecond, 10*time.Millisecond
	os.Exit(m.Run())
}

// onEveryServer runs the test against the stand-in, and in long test runs also against a
// real store.
func onEveryServer(t *testing.T, test func(t *testing.T, endpoint string)) {
	t.Run("the stand-in", func(t *testing.T) { test(t, serve(t, newStandIn())) })
	if testing.Short() {
		return
	}
	t.Run("versitygw", func(t *testing.T) {
		path := os.Getenv(gateway)
		if path == "" {
			t.Skip(gateway + " is not set: `go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`, and set it to the path of the program")
		}
		_, err := os.Stat(path)
		require.NoError(t, err, gateway)
		test(t, start(t, path))
	})
}

func serve(t *testing.T, s *standIn) string {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// start runs the program over an empty folder until the test ends.
func start(t *testing.T, path string) (endpoint string) {
	t.Helper()
	objects, attributes := t.TempDir(), t.TempDir()
	endpoint = "http://" + process.OnLoopback(t, process.Server{
		Command: func(address string) *exec.Cmd {
			cmd := exec.Command(path, "--port", address, "--region", region, "--keep-alive", "--quiet",
				"posix", "--sidecar", attributes, objects) // beside the files, because not all file systems have attributes
			cmd.Env = []string{"ROOT_ACCESS_KEY=" + keyID, "ROOT_SECRET_KEY=" + secretKey}
			return cmd
		},
		IsReady: func(address string) bool {
			c, err := net.Dial("tcp", address)
			return err == nil && c.Close() == nil
		},
	})
	makeBucket(t, endpoint)
	return endpoint
}

// direct is a client of the store without Plaza.
func direct(t *testing.T, endpoint string) *minio.Client {
	t.Helper()
	client, err := minio.New(endpoint[len("http://"):], &minio.Options{
		Creds: credentials.NewStaticV4(keyID, secretKey, ""), Region: region,
	})
	require.NoError(t, err)
	return client
}

func makeBucket(t *testing.T, endpoint string) {
	t.Helper()
	require.NoError(t, direct(t, endpoint).MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{Region: region}))
}

// putDirectly puts an object into the bucket, without a type.
func putDirectly(t *testing.T, endpoint, name string) {
	t.Helper()
	core := minio.Core{Client: direct(t, endpoint)}
	_, err := core.PutObject(t.Context(), bucket, name, bytes.NewReader([]byte("x")), 1, "", hash([]byte("x")),
		minio.PutObjectOptions{DisableContentSha256: true})
	require.NoError(t, err)
}
