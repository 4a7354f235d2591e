package people

import (
	"context"
	"errors"
	"fmt"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/user"
)

// SetAvatar replaces the actor's avatar with the picture in all avatar sizes, and returns the
// actor's new public info. Bytes that are not an accepted picture are a fault on avatar. If
// the actor's quota of bytes or limit of uploads is used up, nothing is decoded (GEN-14). If the avatar is
// refused, its files are removed.
func (p *People) SetAvatar(ctx context.Context, actor access.Actor, raw media.Raw, readErr error) (user.Info, error) {
	if readErr != nil {
		return user.Info{}, readErr
	}
	charges := p.limits.Upload(int64(actor.ID), raw.Size(), p.now())
	if err := p.room.CheckPictures(ctx, actor.ID, charges...); err != nil {
		return user.Info{}, err
	}
	processed, err := p.processor.Process(ctx, actor.QueueKey(), raw, media.AvatarSizes...)
	if err != nil {
		return user.Info{}, fault.OnField("avatar", err)
	}
	before, err := p.avatar(ctx, actor.ID)
	if err != nil {
		return user.Info{}, err
	}
	avatar, err := processed.Store(ctx, p.pictures, media.Everyone)
	if err != nil {
		return user.Info{}, err
	}
	if err := p.directory.SetAvatar(ctx, actor.ID, avatar, processed.Size(), charges...); err != nil {
		return user.Info{}, media.Abandon(ctx, p.pictures, err, avatar.Keys()...)
	}
	_ = media.RemoveFiles(context.WithoutCancel(ctx), p.pictures, p.deletions, before.Keys()) // the cleanup retries failures
	infos, err := p.Infos(ctx, []user.ID{actor.ID})
	if err != nil || len(infos) == 0 {
		return user.Info{}, errors.Join(err, fmt.Errorf("look up user %d after setting the avatar", actor.ID))
	}
	infos[0].IsOnline = true
	return infos[0], nil
}

// RemoveAvatar takes the actor's avatar away, if there is one, so that the generated one is back. Its files are removed.
func (p *People) RemoveAvatar(ctx context.Context, actor access.Actor) error {
	before, err := p.avatar(ctx, actor.ID)
	if err != nil {
		return err
	}
	if err := p.directory.SetAvatar(ctx, actor.ID, media.Picture{}, 0); err != nil {
		return err
	}
	_ = media.RemoveFiles(context.WithoutCancel(ctx), p.pictures, p.deletions, before.Keys()) // the cleanup retries failures
	return nil
}

func (p *People) avatar(ctx context.Context, id user.ID) (media.Picture, error) {
	members, err := p.directory.Members(ctx, []user.ID{id})
	if err != nil || len(members) == 0 {
		return media.Picture{}, err
	}
	return members[0].Avatar, nil
}
