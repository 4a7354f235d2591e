// Package notifications holds the use cases of the notifications in the app (NTF).
//
// Its tests are those of test/contract whose files begin with activity. Those of Streams are in files that begin with streams.
package notifications

import (
	"context"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/notification"
	"plaza/domain/page"
)

// Notifications implements the use cases.
type Notifications struct{ store notification.Store }

// New returns the use cases over the store.
func New(store notification.Store) *Notifications { return &Notifications{store} }

// List returns the actor's notifications behind the cursor, the newest first (NTF-02).
func (n *Notifications) List(ctx context.Context, actor access.Actor, r page.CursorRequest) (notification.List, error) {
	return n.store.List(ctx, actor.ID, r)
}

// MarkRead marks the actor's notifications up to that one as read.
func (n *Notifications) MarkRead(ctx context.Context, actor access.Actor, upTo notification.ID, readErr error) error {
	switch {
	case readErr != nil:
		return readErr
	case upTo <= 0:
		return fault.Field("up_to", "Enter a whole number of 1 or greater.")
	}
	return n.store.MarkRead(ctx, actor.ID, upTo)
}
