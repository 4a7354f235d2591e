package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const guide = "../../adapters/httpapi/README.md"

type example struct {
	code    string
	outputs []*regexp.Regexp
}

const separator = "\x1e"

// printed matches the end of a line of JavaScript that says what the line prints.
var printed = regexp.MustCompile(`(?m)// → (.*)$`)

// examples returns the guide's shell and its JavaScript. The output of shell is the JSON or text
// behind its block, the output of JavaScript is in its comments. The guide has no other code.
func examples(t *testing.T) (shell, script example) {
	t.Helper()
	all := blocks(t, guide)
	for i, b := range all {
		switch b.language {
		case "sh":
			shell.code += b.text + "echo; echo '" + separator + "'\n"
			output := ""
			if i+1 < len(all) && all[i+1].language != "sh" && all[i+1].language != "js" {
				output = all[i+1].text
			}
			shell.outputs = append(shell.outputs, pattern(output))
		case "js":
			script.code += b.text + "console.log('" + separator + "')\n"
			output := ""
			for _, line := range printed.FindAllStringSubmatch(b.text, -1) {
				output += line[1] + "\n"
			}
			script.outputs = append(script.outputs, pattern(output))
		default:
			require.Contains(t, []string{"json", "text"}, b.language, "the guide has code that is not run: %s", b.text)
			require.True(t, i > 0 && all[i-1].language == "sh", "the guide has output of no example: %s", b.text)
		}
	}
	return shell, script
}

func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(dense(text)), "…", ".+") + "$")
}

func dense(text string) string { return strings.Join(strings.Fields(text), "") }

// prints asserts that each block printed what the guide says.
func (e example) prints(t *testing.T, out string) {
	t.Helper()
	parts := strings.Split(out, separator)
	require.Len(t, parts, len(e.outputs)+1, "%.5000s", out)
	for i, want := range e.outputs {
		assert.Regexp(t, want, dense(parts[i]))
	}
}

func TestGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	shell, _ := examples(t)
	t.Run("in a shell", func(t *testing.T) {
		r := serve(t, demo...)
		out, err := runScript(t, shell.code, r)
		require.NoError(t, err, "%s", out)
		shell.prints(t, out)
	})
}

func TestTour(t *testing.T) {
	r := serve(t, demo...)

	t.Run("README", func(t *testing.T) {
		out, err := runScript(t, find(t, blocks(t, "../../README.md"), "sh", "API="), r)
		require.NoError(t, err, "%s", out)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		wants := []string{
			`"entity_type"`, `"Practice night"`, `"view_permission"`, `"雨后的西湖"`, `"下次叫上我。"`, `"kind":"comment"`, `"NATIVE"`, `"expires_at"`,
		}
		require.Len(t, lines, len(wants), "%.500s", out)
		for i, want := range wants {
			assert.True(t, strings.HasPrefix(lines[i], `{"data":`) && strings.Contains(lines[i], want), "%s: %.200s", want, lines[i])
		}
	})
	t.Run("script", func(t *testing.T) {
		for range 2 { // it can be repeated on the same data
			out, err := runScript(t, readFile(t, "../tour.sh"), r)
			require.NoError(t, err, "%s", out)
			assert.NotContains(t, out, "FAILED")
			assert.Contains(t, out, "\n303  The payer pays at the wallet")
		}
	})
}
