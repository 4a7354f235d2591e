package httpapi

import (
	"plaza/application/following"
	"plaza/domain/feed"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// subscriptionView is a subscription to a user or a category, shown in full or by ID
// (SUB-03).
type subscriptionView[User, Category any] struct {
	ID               subscription.ID         `json:"id"`
	User             User                    `json:"user"`
	FollowedUser     *User                   `json:"followed_user"`
	FollowedCategory *Category               `json:"followed_category"`
	Type             subscription.Type       `json:"subscription_type"`
	CreatedAt        timestamp               `json:"created_at"`
	UpdatedAt        timestamp               `json:"updated_at"`
	EntityType       subscription.EntityType `json:"entity_type"`
}

type followedCategory struct {
	ID   feed.CategoryID `json:"id"`
	Name string          `json:"name"`
	Slug string          `json:"slug"`
}

func (people users) renderSubscription(f following.Followed) subscriptionView[person, followedCategory] {
	show := func(id user.ID) person { return renderPerson(people[id]) }
	return renderFollowed(f, show, followedCategory{f.Of.ID, f.Of.Name, f.Of.Slug})
}

func renderSubscriptionByID(f following.Followed) subscriptionView[user.ID, feed.CategoryID] {
	show := func(id user.ID) user.ID { return id }
	return renderFollowed(f, show, f.Category)
}

func renderFollowed[U, C any](f following.Followed, show func(user.ID) U, category C) subscriptionView[U, C] {
	s := f.Subscription
	return subscriptionView[U, C]{
		ID: s.ID, User: show(s.User),
		FollowedUser:     optional(show(s.Followed), s.Followed != 0),
		FollowedCategory: optional(category, s.Category != 0),
		Type:             s.Type(), EntityType: s.EntityType(),
		CreatedAt: timestamp(s.Created), UpdatedAt: timestamp(s.Updated),
	}
}
