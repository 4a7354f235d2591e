// Command report reads what `go test -json` prints and tells a person: a line for each
// package, the output of each test that failed, and at the end which tests took long, how
// many ran, and which were left out, by reason.
//
//	go test -json ./... | go run ./test/report
//
// It fails when a test failed, when nothing ran, or, with -all, when a test was skipped.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	all := flag.Bool("all", false, "fail when a test was skipped")
	leftOut := flag.String("left-out", "", "name something else that was left out")
	flag.Parse()
	r := newReport(os.Stdout)
	if *leftOut != "" {
		r.skipped[*leftOut] = []test{{"plaza/...", ""}}
	}
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	if !r.end(*all) {
		os.Exit(1)
	}
}

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action     string
	Package    string
	Test       string
	ImportPath string // of a package that is being built
	Output     string
	Elapsed    float64 // seconds, once it has ended
}

// test names a test; the empty name stands for the package itself.
type test struct{ pkg, name string }

// slowTest is a test that took at least slowSeconds.
type slowTest struct {
	test
	seconds float64
}

const slowSeconds = 30

type report struct {
	out     io.Writer
	output  map[test][]string // of what has not ended yet
	built   map[string]string // what the compiler said, by package
	results map[string]int    // how many tests ended with each action
	skipped map[string][]test // by reason
	slow    []slowTest
	ran     bool
	failed  bool
}

func newReport(out io.Writer) *report {
	return &report{
		out: out, output: map[test][]string{}, built: map[string]string{},
		results: map[string]int{}, skipped: map[string][]test{},
	}
}

// read reads events until the end. A line that is no event is printed as it is.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(r.out, "%s", line)
			} else {
				r.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	of := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		r.built[e.ImportPath] += e.Output
	case "build-fail":
		r.failed = true
		fmt.Fprint(r.out, r.built[e.ImportPath])
	case "output":
		if e.Test == "" && isResult(e.Output) {
			fmt.Fprint(r.out, e.Output)
		} else {
			r.output[of] = append(r.output[of], e.Output)
		}
	case "pass", "fail", "skip":
		if e.Test != "" && !strings.Contains(e.Test, "/") && e.Elapsed >= slowSeconds {
			r.slow = append(r.slow, slowTest{of, e.Elapsed})
		}
		r.finish(of, e.Action)
	}
}

// isResult reports whether the line is what go test says of a package with tests.
func isResult(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "FAIL\t")
}

// finish notes the end of a test, or of a package.
func (r *report) finish(of test, action string) {
	said := r.output[of]
	delete(r.output, of)
	if action == "fail" {
		r.failed = true
		fmt.Fprint(r.out, strings.Join(said, ""))
	}
	if of.name == "" {
		r.ran = r.ran || action != "skip" // a package without tests is "skipped"
		return
	}
	r.results[action]++
	if action == "skip" {
		reason := reasonIn(said)
		r.skipped[reason] = append(r.skipped[reason], of)
	}
}

var logged = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)\n$`)

// reasonIn returns what the test said when it skipped itself.
func reasonIn(said []string) string {
	for _, line := range slices.Backward(said) {
		if found := logged.FindStringSubmatch(line); found != nil {
			return found[1]
		}
	}
	return "no reason given"
}

// end prints what was slow and the totals, and reports whether everything that had to pass did.
func (r *report) end(all bool) bool {
	reasons := slices.SortedFunc(maps.Keys(r.skipped), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(r.skipped[b]), len(r.skipped[a])), cmp.Compare(a, b))
	})
	for i, reason := range reasons {
		if i == 0 {
			fmt.Fprintln(r.out, "\nLeft out:")
		}
		fmt.Fprintf(r.out, "  %d: %s (%s)\n", len(r.skipped[reason]), reason, packagesOf(r.skipped[reason]))
	}
	slices.SortFunc(r.slow, func(a, b slowTest) int { return cmp.Compare(b.seconds, a.seconds) })
	for i, t := range r.slow {
		if i == 0 {
			fmt.Fprintf(r.out, "\nTests of %d seconds and more:\n", slowSeconds)
		}
		fmt.Fprintf(r.out, "  %4.0f %s %s\n", t.seconds, strings.TrimPrefix(t.pkg, "plaza/"), t.name)
	}
	fmt.Fprintf(r.out, "\n%d passed, %d failed, %d skipped\n", r.results["pass"], r.results["fail"], r.results["skip"])
	if all && len(r.skipped) > 0 {
		fmt.Fprintln(r.out, "Nothing may be skipped here.")
		return false
	}
	if !r.ran {
		fmt.Fprintln(r.out, "No test ran.")
	}
	return r.ran && !r.failed
}

func packagesOf(tests []test) string {
	var names []string
	for _, t := range tests {
		names = append(names, strings.TrimPrefix(t.pkg, "plaza/"))
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
