package access

import (
	"context"
	"sync/atomic"

	"plaza/domain/user"
)

// OwnWrites are the writes of a request's own account, which every read of the request must
// show. A store that also reads from replicas of its data reads from one only what the replica
// proves to be as new as that. The context of a request carries them, because no rule depends on
// them: they decide where data is read, not what.
type OwnWrites struct {
	account user.ID
	counted int64
	written atomic.Bool
}

// NewOwnWrites returns the writes of a request that begins. An anonymous actor has written
// nothing.
func NewOwnWrites(a Actor) *OwnWrites { return &OwnWrites{account: a.ID, counted: a.Writes} }

// Account returns the account of the request; zero means that it is anonymous.
func (o *OwnWrites) Account() user.ID { return o.account }

// Counted returns how many writes of the account were counted when the request began.
func (o *OwnWrites) Counted() int64 { return o.counted }

// Written reports whether the request itself has written, or may have.
func (o *OwnWrites) Written() bool { return o.written.Load() }

// SetWritten records that the request writes.
func (o *OwnWrites) SetWritten() { o.written.Store(true) }

type ownWritesKey struct{}

// WithOwnWrites returns a context whose reads must show the writes. With nil they are unknown:
// then nothing is read from a replica, and no write is counted.
func WithOwnWrites(ctx context.Context, o *OwnWrites) context.Context {
	return context.WithValue(ctx, ownWritesKey{}, o)
}

// OwnWritesOf returns the writes that reads with the context must show, or nil if they are
// unknown.
func OwnWritesOf(ctx context.Context) *OwnWrites {
	o, _ := ctx.Value(ownWritesKey{}).(*OwnWrites)
	return o
}
