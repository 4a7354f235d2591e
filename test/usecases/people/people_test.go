package people_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/adapters/memory"
	"plaza/application/people"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/user"
	"plaza/test/pictures"
	"plaza/test/usecases"
)

// newPeople returns the use cases and the members of these names.
func newPeople(t *testing.T, names ...string) (*people.People, []user.ID) {
	t.Helper()
	return newPeopleWithin(t, quota.Limits{}, imaging.NewProcessor(1), names...)
}

func newPeopleWithin(t *testing.T, l quota.Limits, processor media.Processor, names ...string) (*people.People, []user.ID) {
	t.Helper()
	store := memory.New()
	var ids []user.ID
	for i, name := range names {
		phone, err := user.ParsePhone("+86-1390000000" + string(rune('1'+i)))
		require.NoError(t, err)
		id, err := store.Accounts().Open(t.Context(), access.Account{Phone: phone, Scopes: access.DefaultScopes(), Staff: true},
			user.Member{Firstname: name, Timezone: "Asia/Shanghai", Joined: usecases.Noon})
		require.NoError(t, err)
		ids = append(ids, id)
	}
	portraits := imaging.NewPortraits("https://plaza.example")
	pictures := memory.NewMedia("https://plaza.example", []byte("key"))
	return people.New(store.Accounts().Within(l), store.Accounts(), store.Notifications(), portraits, pictures, store.DeletionQueue(),
		processor, store.Room(l), nil, func() time.Time { return usecases.Noon }), ids
}

func TestUSR02_order_repetition_and_unknown_ids(t *testing.T) {
	p, ids := newPeople(t, "Ann", "Bob", "Zoe")
	infos, err := p.Lookup(t.Context(), []user.ID{ids[2], 999, ids[0], ids[2], -1, 0}, nil)
	require.NoError(t, err)
	require.Len(t, infos, 2)
	assert.Equal(t, "Zoe", infos[0].Firstname)
	assert.Equal(t, "Ann", infos[1].Firstname)
	assert.Equal(t, "+08:00", infos[0].UTCOffset)
	assert.Len(t, infos[0].Avatar.Sizes, 3)
	assert.NotEqual(t, infos[0].Avatar.Path, infos[1].Avatar.Path, "USR-04: everyone has a picture of their own")

	for _, none := range [][]user.ID{nil, {}, {999}} {
		infos, err := p.Lookup(t.Context(), none, nil)
		require.NoError(t, err)
		assert.Empty(t, infos)
	}
	_, err = p.Lookup(t.Context(), make([]user.ID, people.MaxLookup), nil)
	assert.NoError(t, err)
	_, err = p.Lookup(t.Context(), make([]user.ID, people.MaxLookup+1), nil)
	assert.True(t, fault.Is(err, fault.Invalid))
}

func TestUSR05_the_own_profile(t *testing.T) {
	p, ids := newPeople(t, "Ann")
	profile, err := p.Profile(t.Context(), access.Actor{ID: ids[0]})
	require.NoError(t, err)
	assert.Equal(t, "+86-13900000001", profile.Phone.String())
	assert.Equal(t, access.AllScopes(), profile.Scopes)
	assert.True(t, profile.Staff)
	assert.Equal(t, usecases.Noon, profile.Joined)
	assert.Equal(t, "Ann", profile.Username)
}

func TestPLA03_avatars_wait_in_the_turn_of_their_account(t *testing.T) {
	refuser := &pictures.Refuser{}
	p := people.New(nil, nil, nil, nil, nil, nil, refuser, memory.New().Room(quota.Limits{}), nil, time.Now)
	for _, id := range []user.ID{1, 2} {
		_, err := p.SetAvatar(t.Context(), access.Actor{ID: id}, bytes.NewReader(nil), nil)
		assert.True(t, fault.Is(err, fault.Invalid))
	}
	assert.Equal(t, []string{access.Actor{ID: 1}.QueueKey(), access.Actor{ID: 2}.QueueKey()}, refuser.Keys)
}

func TestUSR04_an_avatar_of_ones_own(t *testing.T) {
	p, ids := newPeople(t, "Ann", "Bob")
	ann := access.Actor{ID: ids[0]}
	info, err := p.SetAvatar(t.Context(), ann, bytes.NewReader(pictures.Plain(t, 500, 400)), nil)
	require.NoError(t, err)
	require.Len(t, info.Avatar.Sizes, 3)
	assert.Equal(t, []int{96, 256, 500}, []int{info.Avatar.Sizes[0].Width, info.Avatar.Sizes[1].Width, info.Avatar.Sizes[2].Width},
		"never larger than the picture")
	assert.Contains(t, info.Avatar.Path, "https://plaza.example/media/public/")
	infos, err := p.Infos(t.Context(), ids)
	require.NoError(t, err)
	assert.True(t, info.IsOnline, "the request is one of theirs")
	infos[0].IsOnline = true
	assert.Equal(t, info, infos[0])
	assert.Contains(t, infos[1].Avatar.Path, "/media/portrait/", "another keeps the drawn one")

	_, err = p.SetAvatar(t.Context(), ann, strings.NewReader("no picture"), nil)
	assert.Contains(t, fault.FieldsOf(err), "avatar")
	profile, err := p.Profile(t.Context(), ann)
	require.NoError(t, err)
	assert.Equal(t, info.Avatar, profile.Avatar)
}

func TestGEN14_an_avatar_counts_in_all_sizes_and_a_full_account_decodes_none(t *testing.T) {
	t.Parallel()
	processor := &countedProcessor{Processor: imaging.NewProcessor(1)}
	picture := pictures.Plain(t, 500, 400)
	raw := func() media.Raw { return bytes.NewReader(picture) }
	processed, err := processor.Process(t.Context(), "account", raw(), media.AvatarSizes...)
	require.NoError(t, err)
	for _, c := range []struct {
		quota     int64
		want      []bool // whether an avatar is stored, one after the other
		processed int
	}{
		{processed.Size() - 1, []bool{false, false}, 2},
		{processed.Size(), []bool{true, false}, 1},
		{processed.Size() + 1, []bool{true, true, true}, 3},
	} {
		processor.n = 0
		l := quota.Limits{Pictures: c.quota}
		p, ids := newPeopleWithin(t, l, processor, "Ann")
		for i, want := range c.want {
			_, err := p.SetAvatar(t.Context(), access.Actor{ID: ids[0]}, raw(), nil)
			assert.Equal(t, want, err == nil, "%d of %+v: %v", i, c, err)
			if !want {
				assert.True(t, fault.Is(err, fault.Conflict), "%v", err)
			}
		}
		assert.Equal(t, c.processed, processor.n, "%+v", c)
	}
}
