package people

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"plaza/domain/access"
	"plaza/domain/user"
)

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
