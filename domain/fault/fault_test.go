package fault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

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
	assert.Len(t, seen, int(fault.Timeout)+1, "no kind is left out")
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
