package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReport(t *testing.T) {
	const passed = `{"Action":"output","Package":"plaza/a","Output":"ok  \tplaza/a\t0.1s\n"}
{"Action":"pass","Package":"plaza/a"}
`
	const quiet = `{"Action":"output","Package":"plaza/a","Test":"TestA","Output":"a word\n"}
{"Action":"pass","Package":"plaza/a","Test":"TestA"}
`
	const skipped = `{"Action":"output","Package":"plaza/b","Test":"TestB","Output":"    b_test.go:7: no server here\n"}
{"Action":"output","Package":"plaza/b","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Package":"plaza/b","Test":"TestB"}
`
	for name, c := range map[string]struct {
		in       string
		all, ok  bool
		has, not []string
	}{
		"a pass is one line":               {quiet + passed, true, true, []string{"ok  \tplaza/a", "1 passed, 0 failed, 0 skipped"}, []string{"a word", "Left out"}},
		"a skip is told with its reason":   {skipped + passed, false, true, []string{"1: no server here (b)", "0 passed, 0 failed, 1 skipped"}, nil},
		"a skip fails with -all":           {skipped + passed, true, false, []string{"Nothing may be skipped"}, nil},
		"a failure shows what it said":     {strings.ReplaceAll(quiet, `"pass"`, `"fail"`) + passed, false, false, []string{"a word", "1 failed"}, nil},
		"a package that fails alone fails": {quiet + strings.ReplaceAll(passed, `"pass"`, `"fail"`), false, false, nil, nil},
		"a build that fails shows why": {passed + `{"ImportPath":"plaza/c","Action":"build-output","Output":"c.go:1: no\n"}
{"ImportPath":"plaza/c","Action":"build-fail"}
`, false, false, []string{"c.go:1: no"}, nil},
		"nothing at all is a failure":     {"", false, false, []string{"No test ran"}, nil},
		"packages without tests are none": {`{"Action":"skip","Package":"plaza/d"}` + "\n", false, false, []string{"No test ran"}, nil},
		"what is slow is told": {`{"Action":"pass","Package":"plaza/e","Test":"TestSlow","Elapsed":31.2}
{"Action":"pass","Package":"plaza/e","Test":"TestSlow/part","Elapsed":31.1}
{"Action":"pass","Package":"plaza/e","Test":"TestSlower","Elapsed":100}
{"Action":"pass","Package":"plaza/e","Test":"TestQuick","Elapsed":29}
` + passed, false, true, []string{"  100 e TestSlower\n    31 e TestSlow\n\n4 passed"}, nil},
		"what is no event is printed": {"go: no such flag\n" + passed, false, true, []string{"go: no such flag"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			r := newReport(&out)
			require.NoError(t, r.read(strings.NewReader(c.in)))
			assert.Equal(t, c.ok, r.end(c.all))
			for _, text := range c.has {
				assert.Contains(t, out.String(), text)
			}
			for _, text := range c.not {
				assert.NotContains(t, out.String(), text)
			}
		})
	}
}
