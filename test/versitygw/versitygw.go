// Package versitygw runs a real S3-compatible store for tests. It keeps its objects in a
// folder of the test, listens on loopback, and ends with the test.
package versitygw

import (
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"plaza/test/process"
)

// The names and the access key of the store.
const (
	Bucket = "pictures"
	Region = "eu-test-1"
	KeyID  = "PLAZATESTKEYID"
	Secret = "a/secret+that=nobody/may/see"
)

// program names the program of the store: the path of versitygw.
const program = "PLAZA_TEST_S3"

// Start starts the store with an empty bucket, and returns its URL. It skips the test when no
// program is named.
func Start(t *testing.T) (endpoint string) {
	t.Helper()
	path := os.Getenv(program)
	if path == "" {
		t.Skip(program + " is not set: `go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`, and set it to the path of the program")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	objects, attributes := t.TempDir(), t.TempDir()
	endpoint = "http://" + process.OnLoopback(t, process.Server{
		Command: func(address string) *exec.Cmd {
			cmd := exec.Command(path, "--port", address, "--region", Region, "--keep-alive", "--quiet",
				"posix", "--sidecar", attributes, objects) // beside the files, because not all file systems have attributes
			cmd.Env = []string{"ROOT_ACCESS_KEY=" + KeyID, "ROOT_SECRET_KEY=" + Secret}
			return cmd
		},
		IsReady: func(address string) bool {
			c, err := net.Dial("tcp", address)
			return err == nil && c.Close() == nil
		},
	})
	if err := Direct(t, endpoint).MakeBucket(t.Context(), Bucket, minio.MakeBucketOptions{Region: Region}); err != nil {
		t.Fatalf("the bucket of the test: %v", err)
	}
	return endpoint
}

// Direct returns a client of the store at the URL, without Plaza.
func Direct(t *testing.T, endpoint string) *minio.Client {
	t.Helper()
	client, err := minio.New(endpoint[len("http://"):], &minio.Options{
		Creds: credentials.NewStaticV4(KeyID, Secret, ""), Region: Region,
	})
	if err != nil {
		t.Fatalf("a client of %s: %v", endpoint, err)
	}
	return client
}
