package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// packaged is where Debian's packages put a server: outside PATH, a folder a version.
const packaged = "/usr/lib/postgresql/*/bin"

var errNotInstalled = errors.New("PostgreSQL is not installed: `apt-get install postgresql`, " +
	"or set PG_BIN to the folder of its programs, or " + elsewhere + " to a server that runs")

// binaries is the folder of the server's programs.
var binaries = sync.OnceValues(func() (string, error) { return installed(packaged) })

// installed looks into PG_BIN, then into the folders of packages, then into PATH.
func installed(packaged string) (string, error) {
	if bin := os.Getenv("PG_BIN"); bin != "" {
		if !isServer(bin) {
			return "", fmt.Errorf("PG_BIN: there is no postgres and initdb in %s", bin)
		}
		return bin, nil
	}
	found, err := filepath.Glob(packaged)
	if err != nil {
		return "", err
	}
	// A client's package makes such a folder, too.
	found = slices.DeleteFunc(found, func(bin string) bool { return !isServer(bin) })
	if len(found) > 0 {
		return slices.MaxFunc(found, byVersion), nil
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil && isServer(filepath.Dir(path)) {
			return filepath.Dir(path), nil
		}
	}
	return "", errNotInstalled
}

func isServer(bin string) bool {
	for _, program := range []string{"postgres", "initdb"} {
		if info, err := os.Stat(filepath.Join(bin, program)); err != nil || info.IsDir() {
			return false
		}
	}
	return true
}

// byVersion compares /usr/lib/postgresql/9.6/bin and /usr/lib/postgresql/15/bin as numbers: as text the old one is higher.
func byVersion(a, b string) int { return slices.Compare(version(a), version(b)) }

func version(bin string) []int {
	var numbers []int
	for part := range strings.SplitSeq(filepath.Base(filepath.Dir(bin)), ".") {
		number, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		numbers = append(numbers, number)
	}
	return numbers
}
