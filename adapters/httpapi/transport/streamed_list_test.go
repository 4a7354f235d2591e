package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
)

func listed3(limits *ListLimits, views ...string) StreamedList {
	return StreamedList{Items: ItemsOf(views), Limits: limits, ctx: context.Background()}
}

func TestListingIsWrittenAsOtherReplies(t *testing.T) {
	limits := NewListLimits()
	for _, views := range [][]string{{}, {"a"}, {"<a>", "b\n", "&"}} {
		want, got := sent(t, WithETag(Data(views))), sent(t, WithETag(Bare(listed3(limits, views...))))
		assert.Equal(t, want.Body.String(), got.Body.String())
		assert.Equal(t, want.Header(), got.Header())
		again := sent(t, WithETag(Bare(listed3(limits, views...))), "If-None-Match", got.Header().Get("ETag"))
		assert.Equal(t, http.StatusNotModified, again.Code)
		assert.Empty(t, again.Body.String())

		p := pagination{PageSize: 20, TotalCount: len(views), TotalPages: 1, CurrentPage: 1}
		l := listed3(limits, views...)
		l.Pagination = &p
		assert.Equal(t, sent(t, Bare(wrapped{Data: views, Pagination: &p})).Body.String(), sent(t, Bare(l)).Body.String())
	}
}

func TestLargeListingIsAFileWithoutAName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	limits := NewListLimits()
	views := []string{strings.Repeat("a", listInMemory), strings.Repeat("b", listInMemory)}
	e, err := listed3(limits, views...).encode(new(bytes.Buffer), identity, false)
	require.NoError(t, err)
	require.NotNil(t, e.file)
	assert.Equal(t, 1, limits.files.taken)
	assert.LessOrEqual(t, cap(e.held), listInMemory)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, e.Close())
	assert.Zero(t, limits.files.taken)

	var got struct{ Data []string }
	require.NoError(t, json.Unmarshal(sent(t, Bare(listed3(limits, views...))).Body.Bytes(), &got))
	assert.Equal(t, views, got.Data)
	assert.Zero(t, limits.files.taken, "the place is free when the list was sent")
}

func TestListingFailsBeforeAByteIsSent(t *testing.T) {
	limits := NewListLimits()
	broken := StreamedList{Limits: limits, Items: func(yield func(any, error) bool) {
		_ = yield(strings.Repeat("a", 2*listInMemory), nil) && yield(nil, errors.New("gone"))
	}}
	w := sent(t, Bare(broken))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.NotContains(t, w.Body.String(), "aaa")
	assert.Zero(t, limits.files.taken)
}

func TestListWithoutADiskTakesNoSlot(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	limits := NewListLimits()
	w := sent(t, Bare(listed3(limits, strings.Repeat("a", 2*listInMemory))))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Equal(t, "60", w.Header().Get("Retry-After"))
	assert.Zero(t, limits.files.taken)
}

func TestRoomForEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := NewListLimits()
		leave, err := limits.events.Enter(t.Context(), 1<<30)
		require.NoError(t, err, "a page above the limit is admitted alone")
		_, err = limits.events.Enter(t.Context(), 1)
		assert.ErrorIs(t, err, errListsBusy)
		after, hasAfter := fault.As(err)
		assert.True(t, hasAfter)
		assert.Positive(t, after.RetryAfter)
		entered := make(chan error)
		go func() {
			_, err := limits.events.Enter(t.Context(), 1)
			entered <- err
		}()
		synctest.Wait()
		leave()
		assert.NoError(t, <-entered, "it waits for its turn")
	})
}
