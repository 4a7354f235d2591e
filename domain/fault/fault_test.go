package fault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
)

func TestGEN07_every_kind_has_a_code_of_its_own(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range fault.Kinds() {
		require.NotEmpty(t, k.Code())
		assert.False(t, seen[k.Code()])
		seen[k.Code()] = true
	}
	assert.Len(t, seen, int(fault.SlowBody)+1, "no kind is left out")
}

func TestFaults_are_found_through_wrapping(t *testing.T) {
	f := fault.New(fault.Conflict, "busy")
	wrapped := fmt.Errorf("storing: %w", errors.Join(errors.New("other"), f))
	assert.True(t, fault.Is(wrapped, fault.Conflict))
	assert.Equal(t, fault.Internal, fault.KindOf(errors.New("disk")))
	assert.Equal(t, fault.Timeout, fault.KindOf(fmt.Errorf("asking: %w", context.DeadlineExceeded)))
	assert.False(t, fault.Is(nil, fault.Internal))
}

func TestFields(t *testing.T) {
	var f fault.Fields
	f.Add("title", "")
	assert.NoError(t, f.Err(), "an empty sentence adds nothing")
	f.Add("title", "Too long.")
	f.Merge(fault.Fields{"title": {"Blank."}, "page": {"Not a number."}})
	assert.Equal(t, fault.Fields{"title": {"Too long."}, "page": {"Not a number."}}, f)
	assert.EqualError(t, f.Err(), "VALIDATION_EXCEPTION; page: Not a number.; title: Too long.")
}

func TestGEN08_fields_of_an_error(t *testing.T) {
	assert.Empty(t, fault.FieldsOf(nil))
	assert.Empty(t, fault.FieldsOf(errors.New("disk")))
	assert.Empty(t, fault.FieldsOf(fault.New(fault.Invalid, "No.")))

	f := fault.Field("title", "Too long.")
	fields := fault.FieldsOf(fmt.Errorf("line 7: %w", f))
	assert.Equal(t, fault.Fields{"title": {"Too long."}}, fields)
	fields.Add("page", "Not a number.")
	fields.Add("title", "Blank.")
	assert.Equal(t, fault.Fields{"title": {"Too long."}}, f.Fields, "the fault is not changed")

	none := fault.FieldsOf(nil)
	none.Add("title", "Blank.")
	assert.Error(t, none.Err(), "the caller can add to nil fields")
}

func TestGEN08_two_errors_of_a_request_are_one(t *testing.T) {
	title, event := fault.Field("title", "Too long."), fault.Field("event", "Event not found.")
	denied, disk := fault.New(fault.Denied, "No."), errors.New("the disk is full")
	assert.Equal(t, fault.Fields{"title": {"Too long."}, "event": {"Event not found."}}.Err(), fault.Merge(title, event))
	assert.Len(t, title.Fields, 1, "neither is changed")
	assert.Equal(t, title, fault.Merge(title, fault.Field("title", "Blank.")), "the first problem of a field counts")
	for _, other := range []error{denied, disk} {
		assert.Equal(t, other, fault.Merge(title, other))
		assert.Equal(t, other, fault.Merge(other, title))
		assert.Equal(t, other, fault.Merge(other, errors.New("another")))
	}
	assert.Equal(t, title, fault.Merge(title, nil))
	assert.Equal(t, title, fault.Merge(nil, title))
	assert.Equal(t, disk, fault.Merge(nil, disk))
	assert.NoError(t, fault.Merge(nil, nil))
}

func TestGEN08_the_caller_names_the_field(t *testing.T) {
	wrong := fault.New(fault.Invalid, "Not a phone number.")
	assert.Equal(t, fault.Field("username", "Not a phone number."), fault.OnField("username", fmt.Errorf("parse: %w", wrong)))
	for _, other := range []error{nil, errors.New("disk"), fault.New(fault.NotFound, "No."), fault.Field("title", "Too long.")} {
		assert.Equal(t, other, fault.OnField("username", other))
	}
}

func TestGEN07_clients_are_asked_to_wait_whole_seconds(t *testing.T) {
	for after, want := range map[time.Duration]int64{0: 1, time.Nanosecond: 1, time.Second: 1, time.Second + 1: 2, 15 * time.Minute: 900} {
		assert.Equal(t, want, fault.RetryAfter(fault.Throttled, after, "").RetrySeconds(), after)
	}
}
