package people_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/application/diary"
	"plaza/application/people"
	"plaza/application/userimages"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/test/memory"
	"plaza/test/pictures"
	"plaza/test/usecases"
)

// uploading has the use cases that store a picture, by what it becomes, over one store with the quota. Ann and Bob have an event each.
type uploading struct {
	by       map[string]func(access.Actor, media.Raw) error
	stored   *memory.Media
	ann, bob access.Actor
}

func newUploading(t *testing.T, l quota.Limits, p media.Processor, rates ratelimit.Limits) uploading {
	t.Helper()
	now := func() time.Time { return usecases.Noon }
	u := uploading{stored: memory.NewMedia("https://plaza.example", []byte("key"))}
	w := newDiaryFixture(t, func(ports *diary.Ports) { ports.Pictures, ports.Processor = u.stored, p })
	u.ann, u.bob = w.ann, w.bob
	w.ports.Events, w.ports.Room = w.store.WithQuotas(l).Events, w.store.WithQuotas(l).Room
	plates := diary.New(w.ports, rates, now)
	images := userimages.New(w.store.WithQuotas(l).Images, u.stored, u.stored.Addresses, w.store.Deletions, p, w.store.WithQuotas(l).Room,
		w.store.Keys, rates, now)
	avatars := people.New(w.store.WithQuotas(l).Directory, w.store.Accounts, w.store.Notifications, imaging.NewPortraits(""), u.stored,
		w.store.Deletions, p, w.store.WithQuotas(l).Room, rates, now)
	events := map[user.ID]event.ID{}
	for _, actor := range []access.Actor{w.ann, w.bob} {
		events[actor.ID] = w.published(t, actor, "a lake", event.Public)
	}
	u.by = map[string]func(access.Actor, media.Raw) error{
		"plate": func(actor access.Actor, raw media.Raw) error {
			_, err := plates.Attach(t.Context(), actor, events[actor.ID], raw, nil, nil)
			return err
		},
		"image": func(actor access.Actor, raw media.Raw) error {
			_, err := images.Upload(t.Context(), actor, raw, nil, nil, nil)
			return err
		},
		"avatar": func(actor access.Actor, raw media.Raw) error {
			_, err := avatars.SetAvatar(t.Context(), actor, raw, nil)
			return err
		},
	}
	return u
}

func TestPLA03_pictures_wait_in_the_turn_of_their_account(t *testing.T) {
	refuser := &pictures.Refuser{}
	u := newUploading(t, quota.Limits{}, refuser, nil)
	for kind, upload := range u.by {
		refuser.Keys = nil
		for _, actor := range []access.Actor{u.ann, u.bob} {
			assert.True(t, fault.Is(upload(actor, bytes.NewReader(nil)), fault.Invalid), kind)
		}
		assert.Equal(t, []string{u.ann.QueueKey(), u.bob.QueueKey()}, refuser.Keys, kind)
	}
}

func TestGEN14_a_picture_beyond_the_quota_leaves_no_file_and_a_full_account_decodes_none(t *testing.T) {
	processor := &countedProcessor{Processor: imaging.NewProcessor(1)}
	raw := bytes.NewReader(pictures.Plain(t, 30, 20))
	processed, err := processor.Process(t.Context(), "account", raw)
	require.NoError(t, err)
	size := processed.Size()
	for _, c := range []struct {
		kind      string
		quota     int64
		isStored  []bool // one picture after the other
		processed int
	}{
		{"plate", 2*size - 1, []bool{true, false}, 2}, {"plate", size, []bool{true, false}, 1},
		{"image", 2*size - 1, []bool{true, false}, 2}, {"image", size, []bool{true, false}, 1},
		// An avatar takes the place of the former one.
		{"avatar", size - 1, []bool{false, false}, 2}, {"avatar", size, []bool{true, false}, 1},
		{"avatar", size + 1, []bool{true, true, true}, 3},
	} {
		processor.n = 0
		l := quota.Limits{Pictures: c.quota}
		u := newUploading(t, l, processor, nil)
		for i, want := range c.isStored {
			before := filesIn(t, u.stored)
			err := u.by[c.kind](u.ann, raw)
			require.Equal(t, want, err == nil, "%d of %+v: %v", i, c, err)
			if !want {
				refusal, _ := fault.As(err)
				assert.Equal(t, l.ErrPictures(), refusal)
				assert.Equal(t, before, filesIn(t, u.stored), "%d of %+v", i, c)
			}
		}
		assert.Equal(t, c.processed, processor.n, "%+v", c)
		if c.isStored[0] {
			assert.NoError(t, u.by[c.kind](u.bob, raw), "the quota is each account's")
		}
	}
}

func TestGEN14_a_picture_beyond_the_limit_of_uploads_is_not_decoded(t *testing.T) {
	for action, count := range map[ratelimit.Action]int64{ratelimit.Upload: 1, ratelimit.UploadBytes: 1} {
		processor := &countedProcessor{Processor: imaging.NewProcessor(1)}
		u := newUploading(t, quota.Limits{}, processor, ratelimit.Limits{action: {Count: count, Period: time.Hour}})
		raw := bytes.NewReader(pictures.Plain(t, 30, 20))
		for range 2 {
			for _, upload := range u.by {
				_ = upload(u.ann, raw)
			}
		}
		assert.LessOrEqual(t, processor.n, 1, action)
		assert.True(t, fault.Is(u.by["avatar"](u.ann, raw), fault.Throttled), action)
	}
}
