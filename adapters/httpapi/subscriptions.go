package httpapi

import (
	"plaza/application/following"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// subscriptionBody names a user or a category to follow (SUB-04). The other may be null, as
// in a subscription.
type subscriptionBody struct {
	User     nullable[user.ID]         `json:"followed_user"`
	Category nullable[feed.CategoryID] `json:"followed_category"`
}

func (b *subscriptionBody) content() idempotency.Request {
	var sent sentFields
	number(&sent, "followed_user", b.User.orNil())
	number(&sent, "followed_category", b.Category.orNil())
	return idempotency.Request{Operation: "subscription", Fields: sent}
}

func (a *api) subscribe(c *call) (reply, error) {
	body, readErr := read[subscriptionBody](c)
	target := following.Target{User: body.User.orNil(), Category: body.Category.orNil()}
	key, readErr := c.idempotencyKey(body.content, readErr)
	followed, isNew, err := a.Following.Follow(c.ctx(), c.actor, target, key, readErr)
	if err != nil {
		return reply{}, err
	}
	people, err := a.loadUsers(c.ctx(), peopleOf(followed)...)
	if err != nil {
		return reply{}, err
	}
	if isNew {
		return created(people.renderSubscription(followed)), nil
	}
	return data(people.renderSubscription(followed)), nil
}

// listSubscriptions returns the caller's subscriptions. With uid_only, users and categories
// appear as IDs (SUB-01 to SUB-03).
func (a *api) listSubscriptions(c *call) (reply, error) {
	q := c.query()
	wanted := subscription.Query{
		EntityType: choose(q, "entity_type", subscription.User, subscription.Category),
		Type:       choose(q, "subscription_type", subscription.FollowUser, subscription.FollowCategory),
		Page:       q.page(),
	}
	if err := q.err(); err != nil {
		return reply{}, err
	}
	list, err := a.Following.List(c.ctx(), c.actor, wanted)
	if err != nil {
		return reply{}, err
	}
	if q.text("uid_only") != "" {
		return paged(page.Map(list, renderSubscriptionByID)), nil
	}
	people, err := a.loadUsers(c.ctx(), peopleOf(list.Items...)...)
	if err != nil {
		return reply{}, err
	}
	return paged(page.Map(list, people.renderSubscription)), nil
}

// peopleOf returns the users in the subscriptions.
func peopleOf(all ...following.Followed) []user.ID {
	var ids []user.ID
	for _, s := range all {
		ids = append(ids, s.User)
		if s.Followed != 0 {
			ids = append(ids, s.Followed)
		}
	}
	return ids
}

func (a *api) unsubscribe(c *call) (reply, error) {
	id, err := pathID[subscription.ID](c)
	if err != nil {
		return reply{}, err
	}
	return noContent(), a.Following.Unfollow(c.ctx(), c.actor, id)
}
