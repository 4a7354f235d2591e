package cluster

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"plaza/test/process"
)

// Database is a machine with etcd, Patroni and the Postgres that Patroni runs.
type Database struct {
	machine
	etcd, patroni *program
}

func (c *Cluster) database(name string) *Database {
	d := &Database{machine: c.machine(name)}
	config := d.write("patroni.yml")
	d.etcd = &program{t: c.t, name: "etcd of " + name, log: &process.Output{}, make: func() *exec.Cmd {
		cmd := d.command(etcdProgram)
		cmd.Env = append(cmd.Env, d.lines("etcd.env")...)
		return cmd
	}}
	d.patroni = &program{t: c.t, name: "Patroni of " + name, log: &process.Output{}, make: func() *exec.Cmd {
		return d.command(patroniProgram, config)
	}}
	c.t.Cleanup(func() {
		d.end(syscall.SIGQUIT)
		if c.t.Failed() {
			c.t.Logf("Patroni of %s:\n%s", name, tail(d.patroni.log.String()))
		}
	})
	return d
}

// tail is the end of a log.
func tail(log string) string { return log[max(0, len(log)-8<<10):] }

// Start starts the machine.
func (d *Database) Start() {
	d.t.Helper()
	d.etcd.start(syscall.SIGKILL)
	d.patroni.start(syscall.SIGTERM) // it stops Postgres
}

// StartAll starts the database machines that do not run.
func (c *Cluster) StartAll() {
	c.t.Helper()
	for _, d := range c.Databases {
		if d.patroni.process == nil {
			d.Start()
		}
	}
}

// Kill ends everything on the machine as a power cut does.
func (d *Database) Kill() {
	d.t.Helper()
	d.end(syscall.SIGKILL)
}

// KillPostgres ends Postgres, with all of its sessions, and nothing else.
func (d *Database) KillPostgres() {
	d.t.Helper()
	d.must(d.name, d.Cluster.folder.Kill(d.machine.values["POSTGRES_DATA"], syscall.SIGKILL))
}

func (d *Database) end(postgres syscall.Signal) {
	d.t.Helper()
	d.patroni.end(syscall.SIGKILL)
	if err := d.Cluster.folder.Kill(d.machine.values["POSTGRES_DATA"], postgres); err != nil {
		d.t.Errorf("ending Postgres of %s: %v", d.name, err)
	}
	d.etcd.end(syscall.SIGKILL)
}

func (c *Cluster) startDatabases() {
	c.t.Helper()
	for _, name := range []string{"db1", "db2", "db3"} {
		c.Databases = append(c.Databases, c.database(name))
	}
	c.StartAll()
	c.Settle()
	c.configure()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	primary := c.Primary()
	conn, err := pgx.Connect(ctx, c.url("postgres", "POSTGRES_PASSWORD", primary.node+":5432", "postgres"))
	c.must("connecting to the primary", err)
	for statement := range strings.SplitSeq(primary.fill("plaza.sql"), ";\n") {
		_, err = conn.Exec(ctx, statement)
		c.must(statement, err)
	}
	c.must("the primary", conn.Close(ctx))
}

// url is where a role finds a database.
func (c *Cluster) url(role, password, address, database string) string {
	at := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, c.values[password]), Host: address, Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return at.String()
}

// timing is how soon Patroni replaces a primary: within about ten seconds, so that a test can see many failovers. A busy
// production should take longer to be sure: patroni.yml has its times.
const timing = `{"ttl": 8, "loop_wait": 1, "retry_timeout": 3}`

// configure changes the timing of Patroni, as patronictl edit-config does.
func (c *Cluster) configure() {
	c.t.Helper()
	req, err := http.NewRequest(http.MethodPatch, "http://"+c.Databases[0].node+":8008/config", strings.NewReader(timing))
	c.must("its timing", err)
	req.SetBasicAuth("patroni", c.values["PATRONI_PASSWORD"])
	res, err := client.Do(req)
	c.must("its timing", err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		c.t.Fatalf("Patroni takes no timing: %s", res.Status)
	}
}

// client asks the interface of Patroni.
var client = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// member is a node as Patroni sees it.
type member struct {
	Name, Role, State string
	Lag               any // bytes, or "unknown"
}

// members returns what any node knows of all; nothing while none answers.
func (c *Cluster) members() []member {
	for _, d := range c.Databases {
		if d.patroni.process == nil {
			continue
		}
		res, err := client.Get("http://" + net.JoinHostPort(d.node, "8008") + "/cluster")
		if err != nil {
			continue
		}
		var answer struct{ Members []member }
		err = json.NewDecoder(res.Body).Decode(&answer)
		res.Body.Close()
		if err == nil && len(answer.Members) > 0 {
			return answer.Members
		}
	}
	return nil
}

// Settle returns when there is a primary, and all running nodes follow it, one of them synchronously.
func (c *Cluster) Settle() {
	c.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); !c.isSettled(); {
		select {
		case <-tick.C:
		case <-deadline:
			c.t.Fatalf("the cluster does not settle: %+v", c.members())
		}
	}
}

func (c *Cluster) isSettled() bool {
	running := 0
	for _, d := range c.Databases {
		if d.patroni.process != nil {
			running++
		}
	}
	leaders, synchronous, following := 0, 0, 0
	for _, m := range c.members() {
		isUp := m.State == "running" || m.State == "streaming"
		lag, isKnown := m.Lag.(float64)
		switch {
		case !isUp:
		case m.Role == "leader":
			leaders++
		case isKnown && lag < 1<<20:
			following++
			if m.Role == "sync_standby" {
				synchronous++
			}
		}
	}
	return leaders == 1 && synchronous == 1 && leaders+following == running
}

// Primary returns the machine of the primary.
func (c *Cluster) Primary() *Database { return c.withRole("leader") }

// Replica returns a machine whose replica is waited for.
func (c *Cluster) Replica() *Database { return c.withRole("sync_standby") }

func (c *Cluster) withRole(role string) *Database {
	c.t.Helper()
	for _, m := range c.members() {
		for _, d := range c.Databases {
			if m.Role == role && m.Name == d.name {
				return d
			}
		}
	}
	c.t.Fatalf("no node is %s: %+v", role, c.members())
	return nil
}
