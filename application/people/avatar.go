package people

import (
	"context"
	"errors"
	"fmt"

	"plaza/domain/access"
	"plaza/domain/media"
	"plaza/domain/user"
)

// SetAvatar gives the actor the picture, in all of its sizes, in place of the one that
// they had, and returns what everybody sees of them from then on. Bytes that are no
// accepted picture are a fault on avatar. When it can't be stored, no file stays.
func (p *People) SetAvatar(ctx context.Context, actor access.Actor, raw media.Raw) (user.Info, error) {
	developed, err := p.studio.Process(ctx, "avatar", raw, media.AvatarSizes...)
	if err != nil {
		return user.Info{}, err
	}
	before, err := p.avatar(ctx, actor.ID)
	if err != nil {
		return user.Info{}, err
	}
	avatar, err := developed.Store(ctx, p.pictures, media.Everyone)
	if err != nil {
		return user.Info{}, err
	}
	if err := p.directory.SetAvatar(ctx, actor.ID, avatar); err != nil {
		return user.Info{}, errors.Join(err, avatar.Discard(context.WithoutCancel(ctx), p.pictures))
	}
	_ = media.RemoveFiles(context.WithoutCancel(ctx), p.pictures, p.bin, before.Keys()) // what fails is tried again
	infos, err := p.Infos(ctx, []user.ID{actor.ID})
	if err != nil || len(infos) == 0 {
		return user.Info{}, errors.Join(err, fmt.Errorf("looking up user %d, who has a new avatar", actor.ID))
	}
	return infos[0], nil
}

func (p *People) avatar(ctx context.Context, id user.ID) (media.Picture, error) {
	members, err := p.directory.Members(ctx, []user.ID{id})
	if err != nil || len(members) == 0 {
		return media.Picture{}, err
	}
	return members[0].Avatar, nil
}
