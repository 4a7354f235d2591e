package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"plaza/test/process"
)

// The ways to end a server; see "Shutting Down the Server" in PostgreSQL's manual.
const (
	fast      = syscall.SIGINT
	immediate = syscall.SIGQUIT
)

// port is part of the socket's name; given everywhere, because PGPORT would change it.
const port = "5432"

// startingUp is what a server answers that soon takes connections: cannot_connect_now.
const startingUp = "57P03"

// locales are tried in turn. The first ones order text as people do: a query that
// needs byte order and forgets to say COLLATE "C" then shows.
var locales = [][]string{
	{"--locale-provider=icu", "--icu-locale=en", "--locale=C.UTF-8"},
	{"--locale=en_US.UTF-8"},
	{"--locale=C.UTF-8"},
	{"--locale=C"},
}

var sweepOnce = sync.OnceFunc(sweep)

// cluster is a data directory and the server on it, when it runs.
type cluster struct {
	*Folder
	bin        string
	settings   []string
	postmaster *process.Process // nil: the server does not run
}

// surviving are the settings with which commits survive a SIGKILL: the kernel has
// them, thus fsync isn't needed, but it may have half of a page.
func surviving() []string { return []string{"synchronous_commit=on", "full_page_writes=on"} }

func newCluster(settings []string) (*cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := NewFolder()
	if err != nil {
		return nil, fmt.Errorf("a folder for PostgreSQL: %w", err)
	}
	c := &cluster{Folder: dir, bin: bin, settings: settings}
	if err := c.initialise(); err != nil {
		return nil, errors.Join(err, c.remove())
	}
	return c, nil
}

func (c *cluster) initialise() error {
	var all error
	for _, locale := range locales {
		cmd := c.command("initdb", append(locale, "-D", c.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")...)
		said, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		all = errors.Join(all, fmt.Errorf("initdb %v: %w: %s", locale, err, said))
	}
	return all
}

// command is a program of the server.
func (c *cluster) command(name string, args ...string) *exec.Cmd {
	return c.Command(filepath.Join(c.bin, name), args...)
}

// account is who the server runs as: PostgreSQL refuses to run as root.
func account() (uid, gid int, err error) {
	if os.Getuid() != 0 {
		return os.Getuid(), os.Getgid(), nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		return 0, 0, fmt.Errorf("PostgreSQL doesn't run as root, and there is no other user: %w", err)
	}
	uid, errUID := strconv.Atoi(who.Uid)
	gid, errGID := strconv.Atoi(who.Gid)
	return uid, gid, errors.Join(errUID, errGID)
}

func (c *cluster) url(database string) string {
	query := url.Values{"host": {c.path}, "port": {port}}
	at := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/" + database, RawQuery: query.Encode()}
	return at.String()
}

// start returns when the server takes connections.
func (c *cluster) start() error {
	if c.postmaster != nil {
		return errors.New("it runs already")
	}
	log, err := os.OpenFile(c.log(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"-D", c.data(), "-k", c.path, "-p", port}
	for _, setting := range append([]string{
		"listen_addresses=", "max_connections=200", "autovacuum=off",
		"fsync=off", "synchronous_commit=off", "full_page_writes=off",
		// The files of a killed server are removed with the folder.
		"dynamic_shared_memory_type=mmap",
	}, c.settings...) {
		args = append(args, "-c", setting)
	}
	cmd := c.command("postgres", args...)
	cmd.Stdout, cmd.Stderr = log, log
	if c.postmaster, err = process.Start(cmd, immediate); err != nil {
		return fmt.Errorf("starting PostgreSQL: %w", err)
	}
	if err := c.ready(); err != nil {
		said, _ := os.ReadFile(c.log())
		return errors.Join(fmt.Errorf("%w; its log:\n%s", err, said), c.stop(immediate))
	}
	return nil
}

func (c *cluster) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, c.url("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if refused, isAnswer := errors.AsType[*pgconn.PgError](err); isAnswer && refused.Code != startingUp {
			return fmt.Errorf("PostgreSQL refuses us: %w", err)
		}
		select {
		case <-tick.C:
		case <-c.postmaster.Ended():
			return errors.New("PostgreSQL ended while it started")
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL takes no connections within %v: %w", patience, err)
		}
	}
}

func (c *cluster) stop(how syscall.Signal) error {
	if c.postmaster == nil {
		return nil
	}
	if err := c.postmaster.Signal(how); err != nil {
		return err
	}
	if err := c.postmaster.Wait(patience); errors.Is(err, process.ErrRuns) {
		return fmt.Errorf("PostgreSQL, after %v: %w", how, err)
	}
	c.postmaster = nil
	return nil
}

// kill takes the sessions along, which otherwise go on until they notice.
func (c *cluster) kill() error {
	if c.postmaster == nil {
		return nil
	}
	return errors.Join(c.Kill(c.data(), syscall.SIGKILL), c.stop(syscall.SIGKILL))
}

func (c *cluster) remove() error {
	err := c.stop(immediate)
	if err != nil {
		err = errors.Join(err, c.kill())
	}
	return errors.Join(err, c.Folder.Remove())
}
