package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/application/following"
	"plaza/domain/block"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// subscriptionBody names a user or a category to follow (SUB-04). The other may be null, as
// in a subscription.
type subscriptionBody struct {
	User     transport.Nullable[user.ID]         `json:"followed_user"`
	Category transport.Nullable[feed.CategoryID] `json:"followed_category"`
}

func (a *api) subscribe(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[subscriptionBody](c)
	target := following.Target{User: body.User.OrNil(), Category: body.Category.OrNil()}
	key, readErr := c.BodyKey("subscription", &body, readErr)
	followed, isNew, err := a.Following.Follow(c.Context(), c.Actor, target, key, readErr)
	people, err := a.loadUsers(c, peopleOf(followed), err)
	if isNew {
		return transport.Created(people.renderSubscription(followed)), err
	}
	return transport.Data(people.renderSubscription(followed)), err
}

// listSubscriptions returns the caller's subscriptions. With uid_only, users and categories
// appear as IDs (SUB-01 to SUB-03).
func (a *api) listSubscriptions(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	wanted := subscription.Query{
		EntityType: transport.Choose(q, "entity_type", subscription.User, subscription.Category),
		Type:       transport.Choose(q, "subscription_type", subscription.FollowUser, subscription.FollowCategory),
		Followed:   user.ID(q.PositiveInt("followed_user", 0)),
		Page:       q.Page(),
	}
	isByID := q.Text("uid_only") != ""
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	list, err := a.Following.List(c.Context(), c.Actor, wanted)
	if isByID {
		return transport.Paged(c, page.Map(list, func(s following.Followed) subscriptionView {
			return renderSubscription(s, s.Category, func(id user.ID) any { return id })
		})), err
	}
	people, err := a.loadUsers(c, peopleOf(list.Items...), err)
	return transport.Paged(c, page.Map(list, people.renderSubscription)), err
}

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

func (a *api) unsubscribe(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.Following.Unfollow)
}

// followerView is a subscription to the caller (SUB-05).
type followerView struct {
	ID        subscription.ID     `json:"id"`
	User      person              `json:"user"`
	IsContact bool                `json:"is_contact"`
	CreatedAt transport.Timestamp `json:"created_at"`
}

func (a *api) listFollowers(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	request := q.Page()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	list, err := a.Following.Followers(c.Context(), c.Actor, request)
	people, err := a.loadUsers(c, mapSlice(list.Items, func(f following.Follower) user.ID { return f.User }), err)
	return transport.Paged(c, page.Map(list, func(f following.Follower) followerView {
		return followerView{f.ID, renderPerson(people[f.User]), f.IsContact, transport.Timestamp(f.Created)}
	})), err
}

// subscriptionView is a subscription to a user or a category, shown in full or by ID
// (SUB-03).
type subscriptionView struct {
	ID               subscription.ID         `json:"id"`
	User             any                     `json:"user"`
	FollowedUser     any                     `json:"followed_user"`
	FollowedCategory any                     `json:"followed_category"`
	Type             subscription.Type       `json:"subscription_type"`
	CreatedAt        transport.Timestamp     `json:"created_at"`
	UpdatedAt        transport.Timestamp     `json:"updated_at"`
	EntityType       subscription.EntityType `json:"entity_type"`
}

type followedCategory struct {
	ID   feed.CategoryID `json:"id"`
	Name string          `json:"name"`
	Slug string          `json:"slug"`
}

func (people users) renderSubscription(f following.Followed) subscriptionView {
	return renderSubscription(f, followedCategory{f.Of.ID, f.Of.Name, f.Of.Slug}, func(id user.ID) any { return renderPerson(people[id]) })
}

// renderSubscription renders the subscription with the category, and with users as show shows them.
func renderSubscription(f following.Followed, category any, show func(user.ID) any) subscriptionView {
	view := subscriptionView{
		ID: f.ID, User: show(f.User), Type: f.Type(), EntityType: f.EntityType(),
		CreatedAt: transport.Timestamp(f.Created), UpdatedAt: transport.Timestamp(f.Updated),
	}
	if f.Followed != 0 {
		view.FollowedUser = show(f.Followed)
	} else {
		view.FollowedCategory = category
	}
	return view
}

// listBlocks returns those whom the caller blocks (MOD-02).
func (a *api) listBlocks(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	request := q.Page()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	list, err := a.Following.Blocks(c.Context(), c.Actor, request)
	people, err := a.loadUsers(c, mapSlice(list.Items, func(b block.Block) user.ID { return b.Whom }), err)
	return transport.Paged(c, page.Map(list, func(b block.Block) person { return renderPerson(people[b.Whom]) })), err
}

func (a *api) block(c *transport.Call) (transport.Reply, error) { return withID(c, a.Following.Block) }

func (a *api) unblock(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.Following.Unblock)
}
