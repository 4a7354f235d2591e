//go:build soak

package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
	"plaza/test/process"
)

var host = strings.TrimPrefix(publicURL, "https://")

type proxy struct {
	t       *testing.T
	address string // of TLS
	plain   string // the socket without TLS
	trusted *x509.CertPool
	config  string // the path of plaza.conf
	command string // that runs nginx on its configuration
}

// startProxy starts nginx with the configuration of bootstrap/deploy before the servers.
func startProxy(t *testing.T, first, second string) proxy {
	t.Helper()
	program := server(t, "PLAZA_TEST_NGINX", "nginx")
	folder, err := os.MkdirTemp("", "plaza-nginx-") // its path is short enough for a socket
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	p := proxy{t: t, plain: filepath.Join(folder, "plain"), trusted: x509.NewCertPool()}
	// It was made by openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout privkey.pem -out fullchain.pem
	// -days 36500 -subj /CN=plaza.example.org -addext subjectAltName=DNS:plaza.example.org.
	require.True(t, p.trusted.AppendCertsFromPEM([]byte(readFile(t, "testdata/tls/fullchain.pem"))))
	certificate, err := filepath.Abs("testdata/tls")
	require.NoError(t, err)
	config := replaced(t, deployed(t, "nginx/plaza.conf"),
		"listen 80;", "listen unix:"+p.plain+";", "listen [::]:80;", "",
		"listen 443 ssl", "listen ADDRESS ssl", "listen [::]:443 ssl http2;", "",
		"127.0.0.1:8081", first, "127.0.0.1:8082", second,
		"/etc/letsencrypt/live/"+host, certificate)
	main := filepath.Join(folder, "nginx.conf")
	user := ""
	if os.Getuid() == 0 {
		user = "user root;" // may enter the folder
	}
	filled := replaced(t, readFile(t, "testdata/nginx.conf"), "FOLDER", folder, "USER", user)
	require.NoError(t, os.WriteFile(main, []byte(filled), 0o600))
	p.config = filepath.Join(folder, "plaza.conf")
	p.command = program + " -e stderr -p " + folder + " -c " + main
	p.address = process.OnLoopback(t, process.Server{
		Command: func(address string) *exec.Cmd {
			text := strings.ReplaceAll(config, "ADDRESS", address)
			require.NoError(t, os.WriteFile(p.config, []byte(text), 0o600))
			_ = os.Remove(p.plain)
			out, err := exec.CommandContext(t.Context(), program, "-e", "stderr", "-p", folder, "-t", "-c", main).CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.NotContains(t, string(out), "[warn]")
			return exec.Command(program, "-e", "stderr", "-p", folder, "-c", main)
		},
		IsReady: func(address string) bool {
			conn, err := net.Dial("tcp", address)
			return err == nil && conn.Close() == nil
		},
	})
	return p
}

func (p proxy) from(address string) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: p.trusted}, ForceAttemptHTTP2: true, DisableCompression: true, MaxIdleConnsPerHost: 16,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", p.address)
		},
	}}
}

func (p proxy) caller() caller { return caller{publicURL, p.from("127.0.0.1")} }

// ask sends a GET with the headers, in pairs of names and values, and returns the response and its body.
func (p proxy) ask(client *http.Client, path string, header ...string) (*http.Response, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, publicURL+path, nil)
	require.NoError(p.t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	require.NoError(p.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(p.t, err)
	return res, string(body)
}

func (r *running) address() string { return strings.TrimPrefix(r.url, "http://") }

// ofSize returns a picture of exactly that many bytes: bytes behind its end do not matter.
func ofSize(t *testing.T, size int) []byte {
	t.Helper()
	picture := pictures.Plain(t, 3, 2)
	return append(picture, bytes.Repeat([]byte{1}, size-len(picture))...)
}

// behindNginx are two servers on Postgres that are set up as the guide says.
type behindNginx struct {
	site
	proxy
	caller
	key     string // of a staff user
	servers [2]*running
}

// perAddress is how many requests without a token a client may send to one server.
const perAddress = 20

func TestTwoServersBehindNginx(t *testing.T) {
	server(t, "PLAZA_TEST_NGINX", "nginx")
	b := &behindNginx{site: newSite(t, emptyDatabase(t, "Postgres"))}
	b.key = b.open(t)
	for i := range b.servers {
		b.servers[i] = b.serve(t, fmt.Sprintf("--limit-address=%d/d", perAddress))
	}
	b.proxy = startProxy(t, b.servers[0].address(), b.servers[1].address())
	b.caller = b.proxy.caller()
	t.Run("TLS", b.speakTLS)
	t.Run("the admin address stays inside", b.hideAdmin)
	t.Run("uploads", b.upload)
	t.Run("addresses of clients", b.limitAddresses)
	t.Run("upgrade", b.takeOut)
	t.Run("no server", b.stopAll)
}

func (b *behindNginx) speakTLS(t *testing.T) {
	res, body := b.ask(b.client, "/api/user/profile/", "Authorization", "Token "+b.key)
	assert.Equal(t, http.StatusOK, res.StatusCode, body)
	assert.Equal(t, 2, res.ProtoMajor)
	assert.Equal(t, "max-age=31536000", res.Header.Get("Strict-Transport-Security"))
	assert.Contains(t, body, publicURL+"/media/", "links lead through the proxy")
	plain := http.Client{
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", b.plain)
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := plain.Get("http://" + host + "/docs/?a=b")
	require.NoError(t, err)
	res.Body.Close()
	assert.Equal(t, http.StatusPermanentRedirect, res.StatusCode)
	assert.Equal(t, publicURL+"/docs/?a=b", res.Header.Get("Location"))
}

func (b *behindNginx) hideAdmin(t *testing.T) {
	for _, path := range []string{"/metrics", "/readyz", "/livez", "/debug/pprof/"} {
		res, body := b.ask(b.client, path, "Authorization", "Token "+b.key)
		assert.Equal(t, http.StatusNotFound, res.StatusCode, path)
		assert.Contains(t, body, `"code":"RESOURCE_NOT_FOUND"`, path)
		assert.NotEmpty(t, res.Header.Get("Strict-Transport-Security"), "errors have it, too")
	}
}

func (b *behindNginx) upload(t *testing.T) {
	for _, upload := range []struct {
		size, status int
		says         string
	}{
		{media.MaxBytes, http.StatusCreated, `"img"`},
		{media.MaxBytes + 1<<19, http.StatusBadRequest, `"img"`}, // Plaza names the field
		{media.MaxBytes * 3 / 2, http.StatusRequestEntityTooLarge, `{"error":true,"code":"PAYLOAD_TOO_LARGE"`},
	} {
		status, raw, err := b.send(b.key, http.MethodPost, imagesPath, map[string]any{"img": ofSize(t, upload.size)})
		require.NoError(t, err)
		assert.Equal(t, upload.status, status, "%d bytes: %s", upload.size, raw)
		assert.Contains(t, string(raw), upload.says)
	}
}

func (b *behindNginx) limitAddresses(t *testing.T) {
	guess := func(client *http.Client, n int) int {
		res, _ := b.ask(client, "/api/feed/categories/", "X-Forwarded-For", fmt.Sprint("192.0.2.", n))
		return res.StatusCode
	}
	greedy, limited := b.from("127.0.0.2"), 0
	for n := range 2*perAddress + 10 { // each of two servers counts
		if guess(greedy, n) == http.StatusTooManyRequests {
			limited++
		}
	}
	assert.Positive(t, limited, "another address in X-Forwarded-For does not help")
	assert.Equal(t, http.StatusOK, guess(b.from("127.0.0.3"), 1), "each address has its own limit")
}

// takeOut takes a server out and back by the commands of the guide.
func (b *behindNginx) takeOut(t *testing.T) {
	out := replaced(t, commands(t, "## Upgrade", "out()"), "/etc/nginx/conf.d/plaza.conf", b.config, "nginx -s", b.proxy.command+" -s")
	first := b.servers[0].address()
	b.run(t, out+"out "+first, "")
	assert.Contains(t, readFile(t, b.config), first+" down ")
	b.run(t, out+"back "+first, "")
	assert.NotContains(t, readFile(t, b.config), " down ")
}

func (b *behindNginx) stopAll(t *testing.T) {
	for _, r := range b.servers {
		require.NoError(t, r.process.Signal(syscall.SIGKILL))
		r.ends(t)
	}
	res, body := b.ask(b.client, "/api/feed/categories/")
	assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	assert.Contains(t, body, `{"error":true,"code":"SERVICE_UNAVAILABLE"`)
	assert.Equal(t, "5", res.Header.Get("Retry-After"))
	assert.NotEmpty(t, res.Header.Get("Strict-Transport-Security"))
}

func TestNginxRepeatsNoWrite(t *testing.T) {
	server(t, "PLAZA_TEST_NGINX", "nginx")
	var received atomic.Int64
	broken := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		received.Add(1)
		panic(http.ErrAbortHandler) // the connection breaks, and the proxy does not know what was done
	}))
	defer broken.Close()
	at := strings.TrimPrefix(broken.URL, "http://")
	for method, times := range map[string]int64{http.MethodGet: 2, http.MethodPost: 1, http.MethodPatch: 1} {
		received.Store(0)
		status, raw, err := startProxy(t, at, at).caller().send("", method, "/api/xfile/event/", nil) // a proxy that has seen no failure
		require.NoError(t, err)
		assert.Equal(t, http.StatusServiceUnavailable, status, "%s", raw)
		assert.Equal(t, times, received.Load(), method)
	}
}
