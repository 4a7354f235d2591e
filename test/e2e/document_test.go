package e2e

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block is code in a Markdown document.
type block struct {
	language string
	text     string
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// blocks returns the code in the document.
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

// exampleServer is the server that examples in documents call.
const exampleServer = "http://127.0.0.1:8080"

// runScript runs the script against the server at the address and returns what it prints. The shell reads the
// script from its standard input, as it does when a person pastes it.
func runScript(t *testing.T, script, api string) (string, error) {
	t.Helper()
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the tour needs %s: %v", program, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "API="+api, "BODIES=", "TMPDIR="+t.TempDir(), "no_proxy=127.0.0.1")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(script, exampleServer, api))
	out, err := cmd.CombinedOutput()
	return string(out), err
}
