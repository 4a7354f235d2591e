package quota_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/fault"
	"plaza/domain/quota"
)

func TestGEN14_a_quota_is_the_most_that_an_account_may_have(t *testing.T) {
	l := quota.Limits{Drafts: 3, Comments: 2, Follows: 4, Pictures: 100}
	for have := range 5 {
		assert.Equal(t, have >= 3, l.CheckDrafts(have) != nil, "one more than %d drafts", have)
		assert.Equal(t, have >= 2, l.CheckComments(have) != nil, "one more than %d comments", have)
		assert.Equal(t, have >= 4, l.CheckFollows(have) != nil, "one more than %d follows", have)
	}
	assert.NoError(t, l.CheckPictures(100))
	assert.Equal(t, l.ErrPictures(), l.CheckPictures(101))
	assert.Equal(t, l.ErrDrafts(), l.CheckDrafts(3))
	assert.Equal(t, l.ErrComments(), l.CheckComments(2))
	assert.Equal(t, l.ErrFollows(), l.CheckFollows(4))
	for _, err := range []error{l.ErrDrafts(), l.ErrComments(), l.ErrFollows(), l.ErrPictures()} {
		assert.True(t, fault.Is(err, fault.Conflict), "%v", err)
	}
}

func TestGEN14_zero_is_no_quota(t *testing.T) {
	var l quota.Limits
	assert.NoError(t, l.CheckDrafts(1<<40))
	assert.NoError(t, l.CheckComments(1<<40))
	assert.NoError(t, l.CheckFollows(1<<40))
	assert.NoError(t, l.CheckPictures(1<<60))
}

func TestGEN14_a_refusal_says_the_quota_and_what_to_do(t *testing.T) {
	assert.EqualError(t, quota.Limits{Drafts: 1000}.ErrDrafts(), "CONFLICT: You may have at most 1000 drafts. Publish or delete some.")
	assert.EqualError(t, quota.Limits{Comments: 500}.ErrComments(), "CONFLICT: You may write at most 500 comments on an event. Delete some.")
	assert.EqualError(t, quota.Limits{Follows: 5000}.ErrFollows(),
		"CONFLICT: You may follow at most 5000 people and categories. Unfollow some.")
	for bytes, want := range map[int64]string{
		10 << 30: "10 GiB", 1536 << 20: "1536 MiB", 1 << 10: "1 KiB", 1023: "1023 bytes", 1025: "1025 bytes", 3 << 40: "3 TiB",
		1 << 50: "1024 TiB",
	} {
		assert.EqualError(t, quota.Limits{Pictures: bytes}.ErrPictures(), "CONFLICT: Your pictures may take at most "+want+". Delete some.")
	}
}
