package bootstrap

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/test/process"
)

// serving is a server in this process, as serve starts it.
type serving struct {
	*testing.T
	url, admin string
	dataDir    string
	log        *output // complete once stop has returned
	stop       func()
}

// output is the output of a server, which tells when there is more of it.
type output struct {
	process.Output
	wrote chan struct{}
}

func newOutput() *output { return &output{wrote: make(chan struct{}, 1)} }

func (o *output) Write(p []byte) (int, error) {
	defer func() {
		select {
		case o.wrote <- struct{}{}:
		default:
		}
	}()
	return o.Output.Write(p)
}

// serveSettings returns the settings of a server on free loopback ports, with its data in the folder.
func serveSettings(dataDir string) settings.Config {
	return settings.Config{
		Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", DatabaseWait: time.Minute, DataDir: dataDir, TokenTTL: 720 * time.Hour, LogFormat: "text",
		Translator: "auto", Wallet: "auto", MerchantConfig: settings.MerchantConfig{WalletSandboxAddr: "127.0.0.1:0"},
		SMSConfig: settings.SMSConfig{SMS: "auto"}, SecondFactor: settings.SecondFactorOff,
		WalletPoll: 30 * time.Second, WalletTimeout: 5 * time.Second,
	}
}

// addresses finds both addresses of a server in its log.
var addresses = regexp.MustCompile(`msg=serving addr=(\S+) admin=(\S+)|"msg":"serving","addr":"([^"]+)","admin":"([^"]+)"`)

// startServing runs the command until stop is called, at the latest when the test ends.
func startServing(t *testing.T, c Server) *serving {
	t.Helper()
	s := &serving{T: t, dataDir: c.Config.DataDir, log: newOutput()}
	c.Log = s.log
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, func() {}) }()
	s.stop = sync.OnceFunc(func() {
		end()
		require.NoError(t, <-done, "%s", s.log)
	})
	for deadline := time.After(time.Minute); ; {
		if said := addresses.FindStringSubmatch(s.log.String()); said != nil {
			s.url, s.admin = "http://"+said[1]+said[3], "http://"+said[2]+said[4]
			t.Cleanup(s.stop)
			return s
		}
		select {
		case <-s.log.wrote:
		case err := <-done:
			end()
			require.Failf(t, "the server ended", "%v\n%s", err, s.log)
		case <-deadline:
			end()
			require.Failf(t, "the server does not say where it is", "%s", s.log)
		}
	}
}

// post sends the body with the key and returns the status and the answer.
func (s *serving) post(path, key, body string) (int, string) {
	s.Helper()
	return s.asks("POST", s.url+path, key, body)
}

// asks sends a request with the headers, each a name and a value.
func (s *serving) asks(method, url, key, body string, headers ...string) (int, string) {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, url, strings.NewReader(body))
	require.NoError(s, err)
	if key != "" {
		req.Header.Set("Authorization", "Token "+key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(s, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	require.NoError(s, err)
	return res.StatusCode, string(answer)
}

func (s *serving) metrics() string { return s.get(s.admin + "/metrics") }

func (s *serving) get(url string) string {
	s.Helper()
	status, body := s.asks("GET", url, "", "")
	require.Equal(s, http.StatusOK, status)
	return body
}

// login returns a key, or empty when the login is refused.
func (s *serving) login(phone string) string {
	s.Helper()
	status, body := s.post("/api/auth/login/", "", `{"username": "`+phone+`", "password": "plaza-demo"}`)
	var said struct{ Data struct{ Key string } }
	if status != http.StatusOK {
		require.Equal(s, http.StatusBadRequest, status, body)
		return ""
	}
	require.NoError(s, json.Unmarshal([]byte(body), &said))
	return said.Data.Key
}

func TestServe_in_this_process(t *testing.T) {
	dir := t.TempDir()
	s := startServing(t, Server{Config: serveSettings(dir)})
	assert.Empty(t, s.login("+86-13800000001"), "there is no demo")
	assert.NotContains(t, s.get(s.url+"/docs/"), `class="person"`)
	s.stop()
	assert.Regexp(t, ` msg="stopping; [^\n]*\n(?s:.*)time=\S+ level=INFO msg=stopped\n$`, s.log.String())
	assert.FileExists(t, filepath.Join(dir, "plaza.db"))
	assert.Equal(t, strings.Count(s.log.String(), "level=WARN"), strings.Count(s.log.String(), `level=WARN msg="login failed"`), s.log.String())
}
