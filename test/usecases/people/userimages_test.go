package people_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/adapters/memory"
	"plaza/application/userimages"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/test/pictures"
	"plaza/test/usecases"
)

type userImagesFixture struct {
	*userimages.UserImages
	pictures  *memory.Media
	processor *countedProcessor
	ann, bob  access.Actor
}

// fullImages is a repository that takes no more images.
type fullImages struct{ userimage.Repository }

var errFull = errors.New("full")

func (fullImages) Add(context.Context, userimage.Image, ...ratelimit.Charge) (userimage.Image, error) {
	return userimage.Image{}, errFull
}

func newUserImagesFixture(t *testing.T, change ...func(userimage.Repository) userimage.Repository) *userImagesFixture {
	t.Helper()
	return newUserImagesFixtureWithin(t, quota.Limits{}, change...)
}

func newUserImagesFixtureWithin(
	t *testing.T, l quota.Limits, change ...func(userimage.Repository) userimage.Repository,
) *userImagesFixture {
	t.Helper()
	store := memory.New()
	images := userimage.Repository(store.Images().Within(l))
	for _, c := range change {
		images = c(images)
	}
	pictures := memory.NewMedia("https://plaza.example", []byte("key"))
	processor := &countedProcessor{Processor: imaging.NewProcessor(1)}
	return &userImagesFixture{
		UserImages: userimages.New(images, pictures, pictures.Addresses, store.DeletionQueue(), processor, store.Room(l), store.Keys(), nil,
			func() time.Time { return usecases.Noon }),
		pictures: pictures, processor: processor, ann: usecases.OpenActor(t, store, "+86-13900000001"),
		bob: usecases.OpenActor(t, store, "+86-13900000002"),
	}
}

func rawPicture(t *testing.T) media.Raw {
	t.Helper()
	return bytes.NewReader(pictures.Plain(t, 30, 20))
}

func TestPLA03_images_wait_in_the_turn_of_their_account(t *testing.T) {
	refuser := &pictures.Refuser{}
	u := userimages.New(nil, nil, media.Addresses{}, nil, refuser, memory.New().Room(quota.Limits{}), memory.New().Keys(), nil, time.Now)
	for _, id := range []user.ID{1, 2} {
		_, err := u.Upload(t.Context(), access.Actor{ID: id}, rawPicture(t), nil, nil, nil)
		assert.Error(t, err)
	}
	assert.Equal(t, []string{access.Actor{ID: 1}.QueueKey(), access.Actor{ID: 2}.QueueKey()}, refuser.Keys)
}

func TestAn_upload_that_fails_leaves_no_file(t *testing.T) {
	w := newUserImagesFixture(t, func(r userimage.Repository) userimage.Repository { return fullImages{r} })
	_, err := w.Upload(t.Context(), w.ann, rawPicture(t), nil, nil, nil)
	assert.ErrorIs(t, err, errFull)
	assert.Zero(t, filesIn(t, w.pictures))
	_, err = w.Upload(t.Context(), w.ann, strings.NewReader("no picture"), nil, nil, nil)
	f, ok := fault.As(err)
	require.True(t, ok)
	assert.Contains(t, f.Fields, "img")
	assert.Zero(t, filesIn(t, w.pictures))
}

func TestGEN14_an_image_beyond_the_quota_leaves_no_file_and_a_full_account_decodes_none(t *testing.T) {
	processed, err := imaging.NewProcessor(1).Process(t.Context(), "account", rawPicture(t))
	require.NoError(t, err)
	l := quota.Limits{Pictures: 2*processed.Size() - 1}
	w := newUserImagesFixtureWithin(t, l)
	kept, err := w.Upload(t.Context(), w.ann, rawPicture(t), nil, nil, nil)
	require.NoError(t, err)
	_, err = w.Upload(t.Context(), w.ann, rawPicture(t), nil, nil, nil)
	refusal, _ := fault.As(err)
	assert.Equal(t, l.ErrPictures(), refusal)
	assert.Equal(t, filesOf, filesIn(t, w.pictures))
	assert.Equal(t, 2, w.processor.n, "only storing it decides")
	require.NoError(t, w.Delete(t.Context(), w.ann, kept.ID))

	w = newUserImagesFixtureWithin(t, quota.Limits{Pictures: processed.Size()})
	_, err = w.Upload(t.Context(), w.ann, rawPicture(t), nil, nil, nil)
	require.NoError(t, err)
	_, err = w.Upload(t.Context(), w.ann, rawPicture(t), []string{"a,b"}, nil, nil)
	assert.Contains(t, fault.FieldsOf(err), "tags", "the body comes first")
	_, err = w.Upload(t.Context(), w.ann, rawPicture(t), nil, nil, nil)
	assert.True(t, fault.Is(err, fault.Conflict), "%v", err)
	assert.Equal(t, 1, w.processor.n, "nothing is decoded")
	_, err = w.Upload(t.Context(), w.bob, rawPicture(t), nil, nil, nil)
	assert.NoError(t, err)
}
