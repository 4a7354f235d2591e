package moderation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/moderation"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestMOD01_a_report_has_a_reason_and_a_text_within_its_limit(t *testing.T) {
	of := moderation.Thing{Kind: moderation.Comment, ID: 7}
	for _, why := range moderation.Reasons() {
		r, err := moderation.NewReport(3, of, why, strings.Repeat("文", 2000), noon.Add(time.Nanosecond))
		require.NoError(t, err)
		assert.Equal(t, moderation.Report{By: 3, Thing: of, Reason: why, Text: strings.Repeat("文", 2000), Created: noon}, r)
		assert.False(t, r.IsDecided())
		r.Decided = noon
		assert.True(t, r.IsDecided())
	}
	_, err := moderation.NewReport(3, of, "ugly", strings.Repeat("文", 2001), noon)
	wrong := fault.FieldsOf(err)
	assert.Len(t, wrong, 2)
	assert.Contains(t, wrong, "reason")
	assert.Contains(t, wrong, "text")
	_, err = moderation.NewReport(3, of, moderation.Spam, "", noon)
	assert.NoError(t, err, "a text may be missing")
}

func TestMOD03_a_thing_is_hidden_and_restored_once(t *testing.T) {
	for _, c := range []struct {
		was, is bool
		err     error
	}{{false, true, nil}, {true, false, nil}, {true, true, moderation.ErrHidden}, {false, false, moderation.ErrNotHidden}} {
		turned, err := moderation.Turned(c.was, c.is)
		assert.Equal(t, c.err, err)
		assert.Equal(t, c.is, turned)
	}
}
