package cluster

import (
	"os/exec"
	"path/filepath"
	"syscall"

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
		isReady: func() bool { return listens(a.node+":5000") && listens(a.node+":8443") },
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

// StartPooler starts PgBouncer after StopPooler.
func (a *App) StartPooler() {
	a.t.Helper()
	a.pooler.start(syscall.SIGKILL)
	a.pooler.wait()
}

// StopPooler ends PgBouncer with all of its connections.
func (a *App) StopPooler() {
	a.t.Helper()
	a.pooler.end(syscall.SIGKILL)
}

// Pooler is the address of PgBouncer.
func (a *App) Pooler() string { return a.node + ":6432" }

// URL is where Plaza's balancer takes requests.
func (a *App) URL() string { return "http://" + a.node + ":8443" }

// Settings are those of the Plaza server, as variables.
func (a *App) Settings() []string { return a.lines("plaza.env") }

// Primary is the URL of Plaza's database on whichever node is the primary, past PgBouncer.
func (a *App) Primary() string { return a.url("plaza", "PLAZA_PASSWORD", a.node+":5000", "plaza") }

// DataDir is a folder of the machine.
func (a *App) DataDir() string { return filepath.Join(a.folder, "plaza") }
