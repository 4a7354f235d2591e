package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"plaza/test/process"
)

// What every store in these tests is called and opened with.
const (
	bucket    = "pictures"
	region    = "eu-test-1"
	keyID     = "PLAZATESTKEYID"
	secretKey = "a/secret+that=nobody/may/see"
)

// The real store: its gateway to a folder. It is installed apart from Plaza, whose modules
// know nothing of it.
const (
	gateway        = "versitygw"
	gatewayVersion = "v1.8.0"
	gatewayModule  = "github.com/versity/versitygw/cmd/versitygw@" + gatewayVersion
)

// onEveryServer runs the test against the stand-in, and against a real store wherever that
// is or can be installed.
func onEveryServer(t *testing.T, test func(t *testing.T, endpoint string)) {
	t.Run("the stand-in", func(t *testing.T) { test(t, serve(t, newStandIn())) })
	program, err := realStore()
	if err != nil {
		t.Logf("only the stand-in, because %s %s can't be had here: %v", gateway, gatewayVersion, err)
		return
	}
	t.Run(gateway+" "+gatewayVersion, func(t *testing.T) { test(t, start(t, program)) })
}

func serve(t *testing.T, s *standIn) string {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// realStore is the path of the program. Installing it is tried once.
var realStore = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "plaza-test", gateway+"-"+gatewayVersion)
	program := filepath.Join(folder, gateway)
	if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() {
		return program, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "go", "install", "-trimpath", "-ldflags=-s -w", gatewayModule)
	install.Dir = os.TempDir() // in no module
	install.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=-mod=mod", "CGO_ENABLED=0", "GOWORK=off")
	if said, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("installing it: %w: %s", err, said)
	}
	return program, nil
})

// start runs the program over an empty folder until the test ends.
func start(t *testing.T, program string) (endpoint string) {
	t.Helper()
	var err error
	for range 3 { // somebody else may take the port meanwhile
		if endpoint, err = attempt(t, program); err == nil {
			makeBucket(t, endpoint)
			return endpoint
		}
	}
	require.NoError(t, err)
	return ""
}

func attempt(t *testing.T, program string) (endpoint string, err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())

	var said bytes.Buffer
	server := exec.Command(program, "--port", address, "--region", region, "--keep-alive", "--quiet",
		"posix", "--sidecar", t.TempDir(), t.TempDir()) // beside the files, because not all file systems have attributes
	server.Env = []string{"ROOT_ACCESS_KEY=" + keyID, "ROOT_SECRET_KEY=" + secretKey}
	server.Stdout, server.Stderr = &said, &said
	server.SysProcAttr = &syscall.SysProcAttr{}
	process.EndWithParent(server.SysProcAttr, syscall.SIGKILL)
	require.NoError(t, server.Start())
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()

	patience := time.After(20 * time.Second)
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			t.Cleanup(func() { _ = server.Process.Kill(); <-ended })
			return "http://" + address, nil
		}
		select {
		case <-tick.C:
		case err := <-ended:
			return "", fmt.Errorf("it ended: %w: %s", err, said.String())
		case <-patience:
			_ = server.Process.Kill()
			return "", errors.Join(errors.New("it does not answer"), <-ended)
		}
	}
}

// direct speaks to the store without Plaza.
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
