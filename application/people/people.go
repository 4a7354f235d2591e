// Package people holds the use cases of user profiles. Only this package makes simple user
// info, so a user looks the same in every response.
//
// Its tests are those of test/contract whose files begin with its name.
package people

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// MaxLookup is the maximum number of users in one Lookup (USR-02).
const MaxLookup = 200

// People implements the use cases.
type People struct {
	directory     user.Directory
	accounts      access.Accounts
	notifications notification.Store
	portraits     media.Portraits
	pictures      media.Store
	deletions     media.DeletionQueue
	processor     media.Processor
	room          quota.Room
	limits        ratelimit.Limits
	now           func() time.Time
}

// New returns the use cases over the ports, with the limits on writes; now returns the time.
func New(directory user.Directory, accounts access.Accounts, notifications notification.Store, portraits media.Portraits,
	pictures media.Store, deletions media.DeletionQueue, processor media.Processor, room quota.Room, limits ratelimit.Limits,
	now func() time.Time) *People {
	return &People{
		directory: directory, accounts: accounts, notifications: notifications, portraits: portraits, pictures: pictures,
		deletions: deletions, processor: processor, room: room, limits: limits, now: now,
	}
}

// Infos returns the public info of the users, in the order of the ids, each once. Unknown
// ids are omitted (USR-02). The directory is queried once, however many they are.
func (p *People) Infos(ctx context.Context, ids []user.ID) ([]user.Info, error) {
	wanted, place := unique(ids)
	if len(wanted) == 0 {
		return nil, nil
	}
	members, err := p.directory.Members(ctx, wanted)
	if err != nil {
		return nil, fmt.Errorf("look up %d users: %w", len(wanted), err)
	}
	inOrder := make([]*user.Member, len(wanted))
	for i := range members {
		inOrder[place[members[i].ID]] = &members[i]
	}
	isUnknown := func(m *user.Member) bool { return m == nil }
	return p.Describe(slices.DeleteFunc(inOrder, isUnknown)), nil
}

// Describe returns the public info of members that were read, in their order.
func (p *People) Describe(members []*user.Member) []user.Info {
	now := p.now()
	infos := make([]user.Info, len(members))
	for i, m := range members {
		infos[i] = p.describe(*m, now)
	}
	return infos
}

func (p *People) describe(m user.Member, now time.Time) user.Info {
	if m.Avatar.Key == "" {
		return m.Describe(p.portraits.Portrait(int64(m.ID)), now)
	}
	return m.Describe(m.Avatar.At(media.Public(p.pictures, now)), now)
}

// unique removes duplicates and invalid ids. It keeps the order, and returns the place of each id.
func unique(ids []user.ID) (once []user.ID, place map[user.ID]int) {
	once, place = make([]user.ID, 0, len(ids)), make(map[user.ID]int, len(ids))
	for _, id := range ids {
		if _, seen := place[id]; id > 0 && !seen {
			place[id] = len(once)
			once = append(once, id)
		}
	}
	return once, place
}

// Lookup is Infos for clients. More than MaxLookup ids are a fault on uid.
func (p *People) Lookup(ctx context.Context, ids []user.ID, readErr error) ([]user.Info, error) {
	switch {
	case readErr != nil:
		return nil, readErr
	case len(ids) > MaxLookup:
		return nil, fault.Field("uid", fmt.Sprintf("Ensure this field has no more than %d elements.", MaxLookup))
	}
	return p.Infos(ctx, ids)
}

// Search returns the public info of the people whom the name finds, behind the cursor of the request (USR-08).
func (p *People) Search(
	ctx context.Context, actor access.Actor, name string, r page.CursorRequest, readErr error,
) (page.CursorPage[user.Info], error) {
	parsed, err := user.ParseSearchName(name)
	if err := fault.Merge(readErr, fault.OnField("name", err)); err != nil {
		return page.CursorPage[user.Info]{}, err
	}
	q := user.Search{Name: parsed, By: actor.ID, CursorRequest: r}
	found, err := p.directory.Search(ctx, q, p.limits.Charge(int64(actor.ID), ratelimit.Search, p.now()))
	if err != nil {
		return page.CursorPage[user.Info]{}, fmt.Errorf("search for people: %w", err)
	}
	members := make([]*user.Member, len(found.Items))
	for i := range found.Items {
		members[i] = &found.Items[i]
	}
	return page.CursorPage[user.Info]{Items: p.Describe(members), Next: found.Next}, nil
}

// ChangeProfile changes the actor's profile (USR-06), and returns it.
func (p *People) ChangeProfile(ctx context.Context, actor access.Actor, c user.ProfileChange, readErr error) (Profile, error) {
	c, err := c.Check()
	if err := fault.Merge(readErr, err); err != nil {
		return Profile{}, err
	}
	charge := p.limits.Charge(int64(actor.ID), ratelimit.Profile, p.now())
	if err := p.directory.ChangeProfile(ctx, actor.ID, c, charge); err != nil {
		return Profile{}, err
	}
	return p.Profile(ctx, actor)
}

// Profile is what users see of themselves (USR-05).
type Profile struct {
	user.Info
	Bio    string
	Phone  user.Phone
	Scopes []access.Scope
	Roles  []access.Role
	Unread int // notifications (NTF-02)
}

// Profile returns the actor's own profile, with the scopes of the account, not those of the
// token.
func (p *People) Profile(ctx context.Context, actor access.Actor) (Profile, error) {
	own, err := p.directory.Profile(ctx, actor.ID, actor.ID)
	if err != nil {
		return Profile{}, err
	}
	account, err := p.accounts.ByID(ctx, actor.ID)
	if err != nil {
		return Profile{}, err
	}
	unread, err := p.notifications.Unread(ctx, actor.ID)
	if err != nil {
		return Profile{}, err
	}
	info := p.describe(own.Member, p.now())
	info.IsOnline = true // the presence of this very request may not be stored yet
	return Profile{
		Info: info, Bio: own.Bio, Phone: account.Phone, Scopes: account.EffectiveScopes(), Roles: account.Roles, Unread: unread,
	}, nil
}

// MaxRelationships is the maximum number of users in one call of Relationships (USR-10).
const MaxRelationships = 100

// PublicProfile is what others see of a user.
type PublicProfile struct {
	user.Profile
	Info user.Info
}

// PublicProfile returns the user as the actor sees them, who may be no user (USR-09).
func (p *People) PublicProfile(ctx context.Context, actor access.Actor, id user.ID) (PublicProfile, error) {
	found, err := p.directory.Profile(ctx, id, actor.ID)
	if err != nil {
		return PublicProfile{}, err
	}
	return PublicProfile{found, p.describe(found.Member, p.now())}, nil
}

// Relationships returns what stands between the actor and the users, in the order of the ids, which are different. Unknown and
// disabled users are left out (USR-10).
func (p *People) Relationships(ctx context.Context, actor access.Actor, ids []user.ID) ([]user.Relationship, error) {
	found, err := p.directory.Relationships(ctx, actor.ID, ids)
	if err != nil {
		return nil, fmt.Errorf("look up %d relationships: %w", len(ids), err)
	}
	_, place := unique(ids)
	slices.SortFunc(found, func(a, b user.Relationship) int { return cmp.Compare(place[a.User], place[b.User]) })
	return found, nil
}
