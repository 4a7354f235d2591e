package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// block is code in a Markdown document.
type block struct {
	language string
	text     string
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func blocks(t *testing.T, document string) (all []block) {
	t.Helper()
	for _, found := range fence.FindAllStringSubmatch(readFile(t, document), -1) {
		all = append(all, block{found[1], found[2]})
	}
	require.NotEmpty(t, all, document)
	return all
}

// find returns the first code of the language that begins with the text.
func find(t *testing.T, all []block, language, begins string) string {
	t.Helper()
	for _, b := range all {
		if b.language == language && strings.HasPrefix(b.text, begins) {
			return b.text
		}
	}
	require.Fail(t, "the document has no such code", "%s: %s", language, begins)
	return ""
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

// The server that examples in documents call, and where it shows the codes that it would send.
const (
	exampleServer   = "http://127.0.0.1:8080"
	exampleMessages = "http://127.0.0.1:8090/sms/"
)

// scriptPatience bounds a script, which may wait until another code can be sent to a number.
const scriptPatience = 2 * patience

// runScript runs the script against the server, with the variables, and returns what it prints. The shell reads the
// script from its standard input, as it does when a person pastes it.
func runScript(t *testing.T, script string, r *running, variables ...string) (string, error) {
	t.Helper()
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the tour needs %s: %v", program, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), scriptPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Dir = t.TempDir()
	messages := messagesPage.FindStringSubmatch(r.log.String())
	require.NotEmpty(t, messages, r.log)
	cmd.Env = append(os.Environ(), "API="+r.url, "MESSAGES="+messages[1], "BODIES=", "WAIT=", "TMPDIR="+t.TempDir(), "no_proxy=127.0.0.1")
	cmd.Env = append(cmd.Env, variables...)
	cmd.Stdin = strings.NewReader(strings.NewReplacer(exampleServer, r.url, exampleMessages, messages[1]).Replace(script))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var messagesPage = regexp.MustCompile(`msg="serving an SMS sandbox" url=(\S+)`)

// codeSentTo returns the code that the sandbox has for the number.
func (r *running) codeSentTo(t *testing.T, phone string) (code string) {
	t.Helper()
	page := messagesPage.FindStringSubmatch(r.log.String())
	require.NotEmpty(t, page, r.log)
	list := page[1] + "messages.json?to=" + url.QueryEscape("+"+regexp.MustCompile(`\D`).ReplaceAllString(phone, ""))
	require.Eventually(t, func() bool {
		res, err := http.Get(list)
		if err != nil {
			return false
		}
		defer res.Body.Close()
		var messages []struct{ Code string }
		if json.NewDecoder(res.Body).Decode(&messages) != nil || len(messages) == 0 {
			return false
		}
		code = messages[0].Code
		return true
	}, patience, 5*time.Millisecond)
	return code
}
