package notification

import (
	"context"
	"fmt"
	"time"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/domain/user"
)

const (
	// MaxStreams is how many streams a person may have at once, on all servers.
	MaxStreams = 5
	// MaxNews bounds what a stream brings of the time since it broke. After more, the client reads the lists anew.
	MaxNews = 100
	// StreamLease is how long the place of a stream stays taken after its server has renewed it.
	StreamLease = 30 * time.Second
)

// ErrStreams is the fault of a stream beyond MaxStreams.
var ErrStreams = fault.RetryAfter(fault.Throttled, StreamLease, "You may have at most 5 streams at once.").AtLimit("streams")

// Position is how far a stream of a person has come.
type Position struct {
	Notification ID    // the newest that was sent
	Change       int64 // the newest change of an order that was sent
}

// String returns the position as clients keep it.
func (p Position) String() string { return fmt.Sprintf("%d-%d", p.Notification, p.Change) }

// ParsePosition returns the position that String has written.
func ParsePosition(s string) (p Position, isPosition bool) {
	_, err := fmt.Sscanf(s, "%d-%d", &p.Notification, &p.Change)
	return p, err == nil && p.String() == s && p.Notification >= 0 && p.Change >= 0
}

// Since is a person, and the position behind which they want news.
type Since struct {
	Of user.ID
	At Position
}

// News is what came for a person behind a position.
type News struct {
	Items   []Notification // the newest first, at most MaxNews+1
	Members map[user.ID]*user.Member
	Unread  int
	Orders  []OrderChange // the oldest first, at most MaxNews+1
}

// OrderChange is the state that an order has come to.
type OrderChange struct {
	Change int64
	ID     payment.OrderID
	State  payment.State
}

// Streams stores which streams people have, and tells what came for them.
type Streams interface {
	// OpenStream takes a place for a stream of the person until the time, and returns its number and the position of the newest
	// news. It returns ErrStreams while MaxStreams others have places that have not ended by now. Concurrent calls must not exceed
	// that.
	OpenStream(ctx context.Context, of user.ID, now, until time.Time) (int64, Position, error)
	// RenewStreams extends the places until the time. CloseStream frees one. Neither minds places that are gone.
	RenewStreams(ctx context.Context, places []int64, until time.Time) error
	CloseStream(ctx context.Context, place int64) error
	// Changes returns a number for each of the people who have news. It is another one after each change of their notifications, of
	// what is unread, or of the state of an order of theirs. It costs a row for each.
	Changes(ctx context.Context, of []user.ID) (map[user.ID]int64, error)
	// News returns what came behind the positions, in their order: notifications as List returns them, and orders that were made, or
	// have changed their state. What of a person comes later has a greater number.
	News(ctx context.Context, since []Since) ([]News, error)
}
