// Command mutations breaks rules on purpose, one at a time, and runs the test that must fail:
//
//	go run ./test/mutations [-run REGEXP]
//
// list.txt has the mutations. The work tree is not changed: go test compiles a mutated copy of the
// file (-overlay). The command fails when a mutation survives, does not compile, or does not find
// the text that it replaces.
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

//go:embed list.txt
var list string

// mutation replaces a text of a file, which must be there once.
type mutation struct {
	name, file, old, new string
	test                 []string // arguments of go test
}

func main() {
	only := flag.String("run", "", "`regexp` of the names of the mutations to try")
	flag.Parse()
	chosen := regexp.MustCompile(*only)
	killed, left := 0, 0
	for _, m := range parse(list) {
		if !chosen.MatchString(m.name) {
			continue
		}
		began := time.Now()
		killer, err := m.try()
		if err != nil {
			left++
			killer = "NOT KILLED: " + err.Error()
		} else {
			killed++
		}
		fmt.Printf("%-70s %4.0f s  %s\n", m.name, time.Since(began).Seconds(), killer)
	}
	fmt.Printf("%d killed, %d left\n", killed, left)
	if left > 0 {
		os.Exit(1)
	}
}

// parse reads blocks of lines: "# name", "file: path", "- old", "+ new" and "test: arguments".
func parse(list string) (all []mutation) {
	for block := range strings.SplitSeq(strings.TrimSpace(list), "\n\n") {
		var m mutation
		for line := range strings.SplitSeq(block, "\n") {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "#":
				m.name = value
			case "file:":
				m.file = value
			case "-":
				m.old = value
			case "+":
				m.new = value
			case "test:":
				m.test = strings.Fields(value)
			}
		}
		all = append(all, m)
	}
	return all
}

// failed matches the first line that tells of a failed test.
var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: .*)`)

// mutated returns the content of the file, which is below root, with the mutation.
func (m mutation) mutated(root string) (string, error) {
	source, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		return "", fmt.Errorf("%s has the text %d times", m.file, n)
	}
	return strings.Replace(string(source), m.old, m.new, 1), nil
}

// try returns the name of the test that fails.
func (m mutation) try() (killer string, err error) {
	source, err := m.mutated(".")
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "plaza-mutation-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	mutated, overlay := filepath.Join(folder, "mutated.go"), filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(mutated, []byte(source), 0o600); err != nil {
		return "", err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{path: mutated}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	args := append([]string{"test", "-tags", "nomsgpack,nodynamic", "-trimpath", "-vet=off", "-short", "-overlay", overlay}, m.test...)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "PLAZA_TEST_STORES=SQLite")
	said, err := cmd.CombinedOutput()
	if err == nil {
		return "", fmt.Errorf("go test %s passes", strings.Join(m.test, " "))
	}
	if found := failed.FindStringSubmatch(string(said)); found != nil {
		return found[1] + found[2], nil
	}
	return "", fmt.Errorf("no test failed:\n%s", said)
}
