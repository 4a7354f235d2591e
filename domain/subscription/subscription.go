// Package subscription is about who follows whom or what, and what two people
// are to each other because of it.
package subscription

import (
	"context"
	"time"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/user"
)

// Relation is what a person is to another.
type Relation int

// The relations, the zero one being the farthest.
const (
	Stranger Relation = iota
	Contact           // each follows the other (EVT-08)
	Self
)

func (r Relation) String() string { return [...]string{"stranger", "contact", "self"}[r] }

// Relate tells what the viewer is to the author, given who follows whom.
func Relate(viewer, author user.ID, viewerFollows, authorFollows bool) Relation {
	switch {
	case viewer != 0 && viewer == author:
		return Self
	case viewerFollows && authorFollows:
		return Contact
	}
	return Stranger
}

// ID numbers subscriptions.
type ID int64

// EntityType says what is followed.
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

// Subscription is somebody's following of a person or of a category: of exactly
// one of the two.
type Subscription struct {
	ID       ID
	User     user.ID
	Followed user.ID         // zero: a category is followed
	Category feed.CategoryID // zero: a person is followed
	Created  time.Time
	Updated  time.Time
}

// ToUser returns the subscription of one person to another.
func ToUser(who, followed user.ID, now time.Time) (Subscription, error) {
	if who == followed {
		return Subscription{}, fault.Field("followed_user", "You cannot follow yourself.")
	}
	return Subscription{User: who, Followed: followed, Created: instant.Normalise(now), Updated: instant.Normalise(now)}, nil
}

// ToCategory returns the subscription of a person to a category.
func ToCategory(who user.ID, followed feed.CategoryID, now time.Time) Subscription {
	return Subscription{User: who, Category: followed, Created: instant.Normalise(now), Updated: instant.Normalise(now)}
}

// EntityType says what is followed.
func (s Subscription) EntityType() EntityType {
	if s.Followed != 0 {
		return User
	}
	return Category
}

// Type is the kind of subscription.
func (s Subscription) Type() Type {
	if s.Followed != 0 {
		return FollowUser
	}
	return FollowCategory
}

// ErrNotFound is the fault of a subscription that is not there, or not the
// asker's.
var ErrNotFound = fault.New(fault.NotFound, "There is no such subscription.")

// Query says which of a person's subscriptions are wanted; zero values do not
// limit.
type Query struct {
	User       user.ID
	EntityType EntityType
	Type       Type
	Page       page.Request
}

// Admits says whether the query wants the subscription.
func (q Query) Admits(s Subscription) bool {
	return s.User == q.User &&
		(q.EntityType == 0 || q.EntityType == s.EntityType()) &&
		(q.Type == "" || q.Type == s.Type())
}

// Repository stores subscriptions. Every implementation passes
// test/ports.Subscriptions.
type Repository interface {
	// Follow stores the subscription, unless the same user already follows the
	// same thing: then the standing one is returned, and false. However many ask
	// at once, one must be stored. What is followed must exist, else ErrNotFound.
	Follow(ctx context.Context, s Subscription) (Subscription, bool, error)
	// Remove ends the subscription of the user, or returns ErrNotFound, also when
	// it is somebody else's.
	Remove(ctx context.Context, owner user.ID, id ID) error
	// List returns a page of what the query admits, the newest first, ties by
	// descending id.
	List(ctx context.Context, q Query) (page.Page[Subscription], error)
	// Relations tells what the viewer is to each of the authors, Stranger
	// included. Nobody is related to the zero viewer.
	Relations(ctx context.Context, viewer user.ID, authors []user.ID) (map[user.ID]Relation, error)
}
