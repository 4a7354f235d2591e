// Package subscription models following users and categories, and the relation between
// two users that results from it.
package subscription

import (
	"context"
	"time"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Relation is the relation of a viewer to an author.
type Relation int

// The relations. The zero value is the most distant one.
const (
	Blocked Relation = iota // one of them blocks the other (MOD-02)
	Stranger
	Contact // each follows the other (EVT-08)
	Self
)

func (r Relation) String() string { return [...]string{"blocked", "stranger", "contact", "self"}[r] }

// Relate returns the viewer's relation to the author, given which of them follows the
// other, and whether one of them blocks the other.
func Relate(viewer, author user.ID, viewerFollows, authorFollows, isBlocked bool) Relation {
	switch {
	case viewer != 0 && viewer == author:
		return Self
	case isBlocked:
		return Blocked
	case viewerFollows && authorFollows:
		return Contact
	}
	return Stranger
}

// WithoutBlocks returns the relation as it is without the block. A block ends that one follows the other.
func (r Relation) WithoutBlocks() Relation { return max(r, Stranger) }

// ID numbers subscriptions.
type ID int64

// EntityType is the type of the followed entity.
type EntityType int

// The entity types of SUB-02.
const (
	User     EntityType = 100
	Category EntityType = 200
)

// Type is the kind of subscription.
type Type string

// The types of SUB-02.
const (
	FollowUser     Type = "follow_user"
	FollowCategory Type = "follow_category"
)

// Subscription is a user's following of either another user or a category.
type Subscription struct {
	ID       ID
	User     user.ID
	Followed user.ID         // zero: follows a category
	Category feed.CategoryID // zero: follows a user
	Created  time.Time
	Updated  time.Time
	// Completes is the key that Follow completes; nil: none, and once stored.
	Completes *idempotency.Key
}

// ToUser returns the subscription of one user to another.
func ToUser(follower, followed user.ID, now time.Time) (Subscription, error) {
	if follower == followed {
		return Subscription{}, fault.Field("followed_user", "You cannot follow yourself.")
	}
	return Subscription{User: follower, Followed: followed, Created: instant.Normalise(now), Updated: instant.Normalise(now)}, nil
}

// ToCategory returns the subscription of a user to a category.
func ToCategory(follower user.ID, followed feed.CategoryID, now time.Time) Subscription {
	return Subscription{User: follower, Category: followed, Created: instant.Normalise(now), Updated: instant.Normalise(now)}
}

// EntityType returns the type of the followed entity.
func (s Subscription) EntityType() EntityType {
	if s.Followed != 0 {
		return User
	}
	return Category
}

// Type returns the kind of subscription.
func (s Subscription) Type() Type {
	if s.Followed != 0 {
		return FollowUser
	}
	return FollowCategory
}

// ErrNotFound is the fault of a subscription that does not exist or belongs to another
// user.
var ErrNotFound = fault.New(fault.NotFound, "Subscription not found.")

// Query selects subscriptions of a user or to a user: one of User and Followed must be set. Other zero values do not
// filter.
type Query struct {
	User       user.ID
	Followed   user.ID
	EntityType EntityType
	Type       Type
	Page       page.Request
}

// Admits reports whether the query selects the subscription.
func (q Query) Admits(s Subscription) bool {
	return (s.User == q.User || q.User == 0 && q.Followed != 0) &&
		(q.Followed == 0 || q.Followed == s.Followed) &&
		(q.EntityType == 0 || q.EntityType == s.EntityType()) &&
		(q.Type == "" || q.Type == s.Type())
}

// Repository stores subscriptions, and the notifications of those to users (notification.Store). It keeps the quota with
// which the store was opened (GEN-14). Every implementation passes
// test/ports.Subscriptions.
type Repository interface {
	// Follow stores the subscription and returns it and true. If the user already follows
	// the entity, it returns the existing subscription and false, and is charged, too. Of concurrent calls,
	// exactly one must store it. If the entity does not exist, or a block stands between the users (block.Repository), it
	// returns ErrNotFound. If the user follows as many
	// as the quota and not the entity, it returns quota.Limits.ErrFollows. Concurrent calls must not exceed the quota.
	// The kind of the answer to its key says which of the two it was.
	Follow(ctx context.Context, s Subscription, charges ...ratelimit.Charge) (Subscription, bool, error)
	// Get returns the owner's subscription. It returns ErrNotFound if the subscription does
	// not exist or belongs to another user.
	Get(ctx context.Context, owner user.ID, id ID) (Subscription, error)
	// Remove deletes the owner's subscription. It returns ErrNotFound if the subscription
	// does not exist or belongs to another user.
	Remove(ctx context.Context, owner user.ID, id ID) error
	// List returns a page of the subscriptions that the query admits, the newest first,
	// ties by descending id.
	List(ctx context.Context, q Query) (page.Page[Subscription], error)
	// Relations returns the viewer's relation to each of the authors, including Stranger and
	// Blocked.
	// The zero viewer is a Stranger to every author.
	Relations(ctx context.Context, viewer user.ID, authors []user.ID) (map[user.ID]Relation, error)
}
