package cluster

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plaza/test/process"
)

// App is a machine for a Plaza server, with PgBouncer and HAProxy.
type App struct {
	machine
	pooler, balancer *program
}

// App starts PgBouncer and HAProxy of a machine: app1, app2 or app3.
func (c *Cluster) App(name string) *App {
	c.t.Helper()
	a := &App{machine: c.machine(name)}
	a.write("userlist.txt")
	pooler, balancer := a.write("pgbouncer.ini"), a.write("haproxy.cfg")
	a.pooler = &program{
		t: c.t, name: "PgBouncer of " + name, log: &process.Output{},
		make:    func() *exec.Cmd { return a.command(pgbouncerProgram, pooler) },
		isReady: func() bool { return listens(a.node + ":6432") },
	}
	a.balancer = &program{
		t: c.t, name: "HAProxy of " + name, log: &process.Output{},
		make:    func() *exec.Cmd { return a.command(haproxyProgram, "-db", "-f", balancer) },
		isReady: func() bool { return listens(a.node+":8443") && a.knowsPrimary() },
	}
	c.t.Cleanup(func() {
		a.StopPooler()
		a.balancer.end(syscall.SIGKILL)
		if c.t.Failed() {
			c.t.Logf("PgBouncer of %s:\n%s\nHAProxy:\n%s", name, tail(a.pooler.log.String()), tail(a.balancer.log.String()))
		}
	})
	a.balancer.start(syscall.SIGKILL)
	a.balancer.wait()
	a.StartPooler()
	return a
}

// knowsPrimary reports whether HAProxy leads to the primary alone. At first it knows no states, and leads to each node in turn.
func (a *App) knowsPrimary() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for range 2 * len(a.Databases) {
		conn, err := pgx.Connect(ctx, a.Superuser())
		if err != nil {
			return false
		}
		var isReplica bool
		err = conn.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&isReplica)
		if errors.Join(err, conn.Close(ctx)) != nil || isReplica {
			return false
		}
	}
	return true
}

// Balancer prepares another HAProxy with the configuration of a machine. Requests to the URL lead to the only server, which is to take
// requests at port 8080 of the node and checks at 9080. It is started when the server runs: HAProxy believes so at first.
func (c *Cluster) Balancer(t testing.TB) (node, url string, start func()) {
	t.Helper()
	network := c.network()
	node = network + "21"
	m := machine{c, "balancer", network + "31", filepath.Join(c.folder.Path(), "balancer-"+network), maps.Clone(c.values)}
	c.must("a balancer", os.Mkdir(m.folder, 0o700))
	c.must("a balancer", c.folder.Own(m.folder))
	maps.Copy(m.values, map[string]string{"NODE": m.node, "PUBLIC": m.node + ":8443", "HAPROXY_RUN": m.folder})
	for name, address := range map[string]string{"APP1": node, "APP2": network + "22", "APP3": network + "23"} {
		m.values[name] = address
	}
	config := m.write("haproxy.cfg")
	p := &program{
		t: t, name: "a balancer", log: &process.Output{},
		make:    func() *exec.Cmd { return m.command(haproxyProgram, "-db", "-f", config) },
		isReady: func() bool { return listens(m.node + ":8443") },
	}
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	return node, "http://" + m.node + ":8443", func() {
		p.start(syscall.SIGKILL)
		p.wait()
	}
}

// StartPooler starts PgBouncer unless it runs.
func (a *App) StartPooler() {
	a.t.Helper()
	if a.pooler.process == nil {
		a.pooler.start(syscall.SIGKILL)
		a.pooler.wait()
	}
}

// StopPooler ends PgBouncer with all of its connections.
func (a *App) StopPooler() {
	a.t.Helper()
	a.pooler.end(syscall.SIGKILL)
}

// Pooler returns the address of PgBouncer.
func (a *App) Pooler() string { return a.node + ":6432" }

// Primary returns the address that leads to whichever node is the primary, past PgBouncer.
func (a *App) Primary() string { return a.node + ":5000" }

// Superuser returns the URL of the first database on the primary, for the role postgres.
func (a *App) Superuser() string {
	return a.url("postgres", "POSTGRES_PASSWORD", a.Primary(), "postgres")
}

// DatabaseAt returns the URL of Plaza's database at an address that leads to it.
func (a *App) DatabaseAt(address string) string {
	return a.url("plaza", "DATABASE_PASSWORD", address, "plaza")
}

// URL returns where HAProxy takes requests for the Plaza servers.
func (a *App) URL() string { return "http://" + a.node + ":8443" }

// Settings returns those of the Plaza server of the machine, as variables.
func (a *App) Settings() []string { return a.lines("plaza.env") }
