// Package cluster runs what Plaza needs past one machine, with the configuration files of bootstrap/deploy/cluster: database machines
// with etcd, Patroni and Postgres, and the PgBouncer and HAProxy of machines with Plaza. A machine is an address of 127.0.0.0/8, so the
// ports are those of the files. All ends with the test, and also with the test process.
package cluster

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plaza/test/postgres"
	"plaza/test/process"
)

// patience bounds each step of a start and of a failover on a busy machine.
const patience = 2 * time.Minute

// The variables that name the programs.
const (
	etcdProgram      = "PLAZA_TEST_ETCD"
	patroniProgram   = "PLAZA_TEST_PATRONI"
	pgbouncerProgram = "PLAZA_TEST_PGBOUNCER"
	haproxyProgram   = "PLAZA_TEST_HAPROXY"
)

// Cluster is three database machines, and machines for Plaza.
type Cluster struct {
	Databases []*Database

	t        testing.TB
	files    string // bootstrap/deploy/cluster
	folder   *postgres.Folder
	programs map[string]string
	values   map[string]string // of cluster.env

	mu       sync.Mutex
	networks map[string]bool // in use
}

// Start starts the databases, with the role and the database of Plaza, which is empty. The values
// replace those of cluster.env. It skips the test when a program is not named.
func Start(t testing.TB, values map[string]string) *Cluster {
	t.Helper()
	c := &Cluster{t: t, programs: map[string]string{}, networks: map[string]bool{}}
	for variable, tool := range map[string]string{
		etcdProgram: "etcd", patroniProgram: "patroni", pgbouncerProgram: "pgbouncer", haproxyProgram: "haproxy",
	} {
		path := os.Getenv(variable)
		if path == "" {
			t.Skipf("%s is not set: `test/tools.sh %s install` prints it", variable, tool)
		}
		_, err := os.Stat(path)
		c.must(variable, err)
		c.programs[variable] = path
	}
	bin := postgres.Programs(t)
	var err error
	c.files, err = filepath.Abs(filepath.Join("..", "..", "bootstrap", "deploy", "cluster"))
	c.must("the configuration files", err)
	c.folder, err = postgres.NewFolder()
	c.must("a folder", err)
	t.Cleanup(func() {
		if err := c.folder.Remove(); err != nil {
			t.Errorf("removing the cluster's folder: %v", err)
		}
	})
	c.values = c.environment()
	network := c.network()
	for name, value := range map[string]string{
		"DB1": network + "11", "DB2": network + "12", "DB3": network + "13",
		"APP1": network + "21", "APP2": network + "22", "APP3": network + "23",
		"POSTGRES_BIN": bin, "POSTGRES_PASSWORD": rand.Text(), "REPLICATION_PASSWORD": rand.Text(),
		"PATRONI_PASSWORD": rand.Text(), "DATABASE_PASSWORD": rand.Text(), "PUBLIC_URL": "http://" + network + "21:8443",
	} {
		c.values[name] = value
	}
	maps.Copy(c.values, values)
	c.startDatabases()
	return c
}

// must fails the test after an error.
func (c *Cluster) must(what string, err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("the test's cluster: %s: %v", what, err)
	}
}

// assignment matches a line of cluster.env.
var assignment = regexp.MustCompile(`^([A-Z0-9_]+)=(.*)$`)

// environment returns the names of cluster.env with their values.
func (c *Cluster) environment() map[string]string {
	file, err := os.Open(filepath.Join(c.files, "cluster.env"))
	c.must("its values", err)
	defer file.Close()
	values := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if found := assignment.FindStringSubmatch(lines.Text()); found != nil {
			values[found[1]] = found[2]
		}
	}
	return values
}

// ports are those on which the machines listen.
var ports = []string{"2379", "2380", "5432", "8008", "6432", "5000", "5001", "8080", "9080", "8443"}

// network returns the first three bytes, with a dot behind, of a network of this machine in which no program listens on the ports.
func (c *Cluster) network() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var last error
	for range 100 {
		var b [2]byte
		_, _ = rand.Read(b[:]) // it never fails
		network := fmt.Sprintf("127.%d.%d.", 64+b[0]%128, b[1])
		if c.networks[network] {
			continue
		}
		if last = areFree(network + "11"); last == nil {
			c.networks[network] = true
			return network
		}
	}
	c.must("a network with free ports", last)
	return ""
}

func areFree(address string) error {
	for _, port := range ports {
		listener, err := net.Listen("tcp", net.JoinHostPort(address, port))
		if err != nil {
			return err
		}
		listener.Close()
	}
	return nil
}

// machine is one of the cluster's machines: an address and a folder.
type machine struct {
	*Cluster
	name, node string
	folder     string
	values     map[string]string
}

// machine makes the folder of a machine.
func (c *Cluster) machine(name string) machine {
	m := machine{c, name, c.values[strings.ToUpper(name)], filepath.Join(c.folder.Path(), name), maps.Clone(c.values)}
	c.must(name, os.Mkdir(m.folder, 0o700))
	c.must(name, c.folder.Own(m.folder))
	maps.Copy(m.values, map[string]string{
		"NAME": name, "NODE": m.node, "PUBLIC": m.node + ":8443",
		"ETCD_DATA": filepath.Join(m.folder, "etcd"), "POSTGRES_DATA": filepath.Join(m.folder, "data"), "POSTGRES_RUN": m.folder,
		"PGBOUNCER_ETC": m.folder, "HAPROXY_RUN": m.folder,
	})
	return m
}

// fill returns a file of bootstrap/deploy/cluster with the values of the machine.
func (m machine) fill(name string) string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.files, name))
	m.must(name, err)
	return os.Expand(string(text), func(value string) string {
		filled, known := m.values[value]
		if !known {
			m.t.Fatalf("%s has ${%s}, which cluster.env has not", name, value)
		}
		return filled
	})
}

// write writes a filled file into the folder of the machine, and returns its path.
func (m machine) write(name string) string {
	m.t.Helper()
	path := filepath.Join(m.folder, name)
	m.must(name, os.WriteFile(path, []byte(m.fill(name)), 0o600))
	m.must(name, m.Cluster.folder.Own(path))
	return path
}

// lines returns the lines of a filled file of settings.
func (m machine) lines(name string) (settings []string) {
	m.t.Helper()
	for line := range strings.Lines(m.fill(name)) {
		if line = strings.TrimSuffix(line, "\n"); assignment.MatchString(line) {
			name, value, _ := strings.Cut(line, "=")
			settings = append(settings, name+"="+strings.Trim(value, "'"))
		}
	}
	return settings
}

// command is one of the programs on the machine.
func (m machine) command(variable string, args ...string) *exec.Cmd {
	cmd := m.Cluster.folder.Command(m.programs[variable], args...)
	cmd.Dir = m.folder
	return cmd
}

// program is a program that runs on a machine, and may be ended and started again.
type program struct {
	t       testing.TB
	name    string
	make    func() *exec.Cmd
	isReady func() bool
	log     *process.Output
	process *process.Process // nil: it does not run
}

// start starts the program, which gets the signal when the test process ends.
func (p *program) start(atTheEnd syscall.Signal) {
	p.t.Helper()
	cmd := p.make()
	cmd.Stdout, cmd.Stderr = p.log, p.log
	cmd.WaitDelay = time.Second // children of Patroni may keep the pipes open
	var err error
	if p.process, err = process.Start(cmd, atTheEnd); err != nil {
		p.t.Fatalf("starting %s: %v", p.name, err)
	}
}

// wait returns when the program is ready.
func (p *program) wait() {
	p.t.Helper()
	if p.isReady == nil {
		return
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); !p.isReady(); {
		select {
		case <-tick.C:
		case <-p.process.Ended():
			p.t.Fatalf("%s ended:\n%s", p.name, p.log)
		case <-deadline:
			p.t.Fatalf("%s does not get ready:\n%s", p.name, p.log)
		}
	}
}

// end ends the program by the signal, if it runs.
func (p *program) end(by syscall.Signal) {
	p.t.Helper()
	if p.process == nil {
		return
	}
	err := p.process.Signal(by)
	if err == nil {
		select {
		case <-p.process.Ended():
		case <-time.After(patience):
			p.t.Errorf("%s does not end", p.name)
		}
	} else {
		p.t.Errorf("ending %s: %v", p.name, err)
	}
	p.process = nil
}

// listens reports whether a program takes connections at the address.
func listens(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	return err == nil && conn.Close() == nil
}
