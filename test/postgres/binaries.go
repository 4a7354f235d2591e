package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// packaged is where Debian's packages put a server: outside PATH, a folder a version.
const packaged = "/usr/lib/postgresql/*/bin"

var errNotInstalled = errors.New("PostgreSQL isn't installed: `apt-get install postgresql`, " +
	"or set PG_BIN to the folder of its programs, or " + elsewhere + " to a server that runs")

// binaries is the folder of the server's programs. Installing them is tried once.
var binaries = sync.OnceValues(findOrInstall)

func findOrInstall() (string, error) {
	bin, err := installed()
	if !errors.Is(err, errNotInstalled) || os.Getuid() != 0 {
		return bin, err
	}
	apt, notFound := exec.LookPath("apt-get")
	if notFound != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if failed := install(ctx, apt); failed != nil {
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

// install has one process at a time install, the others find it done. The lock is on
// apt-get's own file, because it is there for everybody.
func install(ctx context.Context, apt string) error {
	lock, err := os.Open(apt)
	if err != nil {
		return err
	}
	defer lock.Close()
	for tick := time.NewTicker(100 * time.Millisecond); ; {
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for another process that installs it: %w", ctx.Err())
		}
	}
	if _, err := installed(); err == nil {
		return nil
	}
	if err := withoutMainCluster(); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"update", "-qq"},
		{"install", "-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=120", "postgresql"},
	} {
		cmd := exec.CommandContext(ctx, apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w: %s", args[0], err, said)
		}
	}
	return nil
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
