// Package guard finds calls of a store from inside the function given to Change or ChangeRead
// of the same store, where a store may deadlock or return data that is about to be replaced.
// Tests of use cases wrap their store with it. It is a package of its own because test/ports
// takes seconds to compile.
package guard

import (
	"bytes"
	"runtime"
	"sync"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/quota"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Stores are the ports of one store that use cases need beside a Change. A test sets those
// that it uses.
type Stores struct {
	Accounts      access.Accounts
	Directory     user.Directory
	Tokens        access.Tokens
	Throttle      access.Throttle
	Categories    feed.Categories
	Subscriptions subscription.Repository
	Events        event.Repository
	EventReader   event.Reader
	Discussion    event.Discussion
	Related       event.RelatedReader
	Images        userimage.Repository
	Ledger        payment.Ledger
	Keys          idempotency.Keys
	Deletions     media.DeletionQueue
	Room          quota.Room
}

// Wrap returns the ports, wrapped. A wrapped port panics if it is called from inside the
// function given to a Change of one of them.
func Wrap(s Stores) Stores {
	g := &guard{changing: map[string]bool{}}
	s.Accounts = guardedAccounts{s.Accounts, g}
	s.Directory = guardedDirectory{s.Directory, g}
	s.Tokens = guardedTokens{s.Tokens, g}
	s.Throttle = guardedThrottle{s.Throttle, g}
	s.Categories = guardedCategories{s.Categories, g}
	s.Subscriptions = guardedSubscriptions{s.Subscriptions, g}
	s.Events = guardedEvents{s.Events, g}
	s.EventReader = guardedReader{s.EventReader, g}
	s.Discussion = guardedDiscussion{s.Discussion, g}
	s.Related = guardedRelated{s.Related, g}
	s.Images = guardedImages{s.Images, g}
	s.Ledger = guardedLedger{s.Ledger, g}
	s.Keys = guardedKeys{s.Keys, g}
	s.Deletions = guardedDeletions{s.Deletions, g}
	s.Room = guardedRoom{s.Room, g}
	return s
}

// guard knows the goroutines that run a function given to Change.
type guard struct {
	lock     sync.Mutex
	changing map[string]bool
}

// check panics inside a Change. It looks its goroutine up, which takes microseconds, only while
// any is.
func (g *guard) check() {
	g.lock.Lock()
	defer g.lock.Unlock()
	if len(g.changing) > 0 && g.changing[goroutine()] {
		panic("a store was called from inside its own Change")
	}
}

// guarded returns fn with a note that its goroutine is inside a Change.
func guarded[T any](g *guard, fn func(T) error) func(T) error {
	return func(to T) error {
		id := goroutine()
		g.begin(id)
		defer g.end(id)
		return fn(to)
	}
}

func (g *guard) begin(id string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	g.changing[id] = true
}

func (g *guard) end(id string) {
	g.lock.Lock()
	defer g.lock.Unlock()
	delete(g.changing, id)
}

// goroutine returns the number of the running goroutine. The runtime exposes it only in the
// first line of a stack trace ("goroutine 18 [running]:").
func goroutine() string {
	var stack [32]byte
	line := stack[:runtime.Stack(stack[:], false)]
	return string(bytes.Fields(line)[1])
}
