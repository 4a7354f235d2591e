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

	"plaza/test/debian"
)

// packaged is where Debian's packages put a server: outside PATH, a folder a version.
const packaged = "/usr/lib/postgresql/*/bin"

var errNotInstalled = errors.New("PostgreSQL isn't installed: `apt-get install postgresql`, " +
	"or set PG_BIN to the folder of its programs, or " + elsewhere + " to a server that runs")

// binaries is the folder of the server's programs. Installing them is tried once.
var binaries = sync.OnceValues(findOrInstall)

func findOrInstall() (string, error) {
	bin, err := installed()
	if !errors.Is(err, errNotInstalled) || !debian.Can() {
		return bin, err
	}
	failed := withoutMainCluster()
	if failed == nil {
		failed = debian.Install(func() bool { _, err := installed(); return err == nil }, "postgresql")
	}
	if failed != nil {
		return "", fmt.Errorf("%w; installing it failed: %w", err, failed)
	}
	return installed()
}

func installed() (string, error) {
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

// byVersion compares /usr/lib/postgresql/9.6/bin and /usr/lib/postgresql/15/bin as
// numbers: as text the old one is higher.
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

// withoutMainCluster keeps the package from starting a server that nobody asked for,
// unless the machine has been configured.
func withoutMainCluster() error {
	const path = "/etc/postgresql-common/createcluster.conf"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString("create_main_cluster = false\n")
	return errors.Join(err, file.Close())
}
