// Package reentry detects calls of a store from inside its own Change.
//
// A store runs the function given to Change while it holds a lock or a transaction. A
// call of the same store from there would deadlock (memory, SQLite) or read data that is
// about to be replaced (Postgres). With a Guard it fails at once on every store, so the
// first test finds the mistake.
package reentry

import (
	"bytes"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// ErrInside is returned to callers of a store from inside its Change.
var ErrInside = errors.New("store called from inside its own Change")

// Guard belongs to one store. The zero Guard is ready.
type Guard struct {
	running atomic.Int64
	inside  sync.Map // goroutine number -> struct{}
}

// Run calls fn and returns its error. Until fn returns, Check fails on this goroutine.
func (g *Guard) Run(fn func() error) error {
	me := goroutine()
	g.inside.Store(me, struct{}{})
	g.running.Add(1)
	defer func() {
		g.running.Add(-1)
		g.inside.Delete(me)
	}()
	return fn()
}

// Check returns ErrInside if this goroutine is inside Run, else nil. It costs next to
// nothing while no goroutine is inside Run.
func (g *Guard) Check() error {
	if g.running.Load() == 0 {
		return nil
	}
	if _, inside := g.inside.Load(goroutine()); inside {
		return ErrInside
	}
	return nil
}

// goroutine returns the number of the running goroutine. The runtime exposes it only in
// the first line of a stack trace ("goroutine 18 [running]:"). A context cannot replace
// it: the function that Change runs gets no context, and goroutines may share one.
func goroutine() int64 {
	var buf [64]byte
	head := buf[:runtime.Stack(buf[:], false)]
	head = bytes.TrimPrefix(head, []byte("goroutine "))
	if end := bytes.IndexByte(head, ' '); end > 0 {
		head = head[:end]
	}
	n, err := strconv.ParseInt(string(head), 10, 64)
	if err != nil {
		panic("reentry: cannot parse goroutine number: " + string(head))
	}
	return n
}
