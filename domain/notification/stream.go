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
	Place        int64 // that the stream has among those of the person
}

// String returns the position as clients keep it.
func (p Position) String() string { return fmt.Sprintf("%d-%d-%d", p.Notification, p.Change, p.Place) }

// ParsePosition returns the position that String has written.
func ParsePosition(s string) (p Position, isPosition bool) {
	_, err := fmt.Sscanf(s, "%d-%d-%d", &p.Notification, &p.Change, &p.Place)
	if err != nil || p.String() != s || min(int64(p.Notification), p.Change, p.Place) < 0 {
		return Position{}, false
	}
	return p, true
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
	// OpenStream takes a place for a stream of the person until the time, and frees that of the stream that it follows. It returns
	// the position of the newest news, with the place. It returns ErrStreams while MaxStreams others have places that have not ended
	// by now. Concurrent calls must not exceed that.
	OpenStream(ctx context.Context, of user.ID, follows int64, now, until time.Time) (Position, error)
	// RenewStreams extends the places until the time, and returns those that are still there. CloseStream frees one, if it is there.
	RenewStreams(ctx context.Context, places []int64, until time.Time) ([]int64, error)
	CloseStream(ctx context.Context, place int64) error
	// Changes returns a number for each of the people who have news. It is another one after each change of their notifications, of
	// what is unread, or of the state of an order of theirs. It costs a row for each.
	Changes(ctx context.Context, of []user.ID) (map[user.ID]int64, error)
	// News returns what came behind the positions, in their order: notifications as List returns them, and orders that were made, or
	// have changed their state. What of a person comes later has a greater number.
	News(ctx context.Context, since []Since) ([]News, error)
}
