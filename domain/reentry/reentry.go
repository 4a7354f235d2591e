// Package reentry keeps stores from being called from inside their own Change.
//
// A store runs the function given to Change while it holds what the change
// needs; a call to the same store from there would wait for itself (memory,
// SQLite) or read what is about to be replaced (Postgres). With a Guard it fails
// at once, on every store, so the mistake is found by the first test.
package reentry

import (
	"bytes"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// ErrInside is returned to whoever calls a store from inside its Change.
var ErrInside = errors.New("store called from inside its own Change")

// Guard belongs to one store. The zero Guard is ready.
type Guard struct {
	running atomic.Int64
	inside  sync.Map // goroutine number -> struct{}
}

// Run calls fn and makes Check fail on this goroutine until fn has returned.
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

// Check is ErrInside when this goroutine is inside Run, else nil. It costs next
// to nothing while nobody is.
func (g *Guard) Check() error {
	if g.running.Load() == 0 {
		return nil
	}
	if _, inside := g.inside.Load(goroutine()); inside {
		return ErrInside
	}
	return nil
}

// goroutine returns the number of the running goroutine, which the runtime tells
// only in the head of its stack trace ("goroutine 18 [running]:"). A context
// can't stand in for it: the function that Change runs is handed none, and
// goroutines may share one.
func goroutine() int64 {
	var buf [64]byte
	head := buf[:runtime.Stack(buf[:], false)]
	head = bytes.TrimPrefix(head, []byte("goroutine "))
	if end := bytes.IndexByte(head, ' '); end > 0 {
		head = head[:end]
	}
	n, err := strconv.ParseInt(string(head), 10, 64)
	if err != nil {
		panic("reentry: the runtime's stack trace has another form: " + string(head))
	}
	return n
}
