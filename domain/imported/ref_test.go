package imported_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/imported"
	"plaza/domain/user"
)

func TestADM04_a_number_has_one_form(t *testing.T) {
	for id, want := range map[string]int64{
		"1": 1, "9223372036854775807": 1<<63 - 1, "-1": -1, "0": 0,
		"": 0, "01": 0, "+1": 0, " 1": 0, "1 ": 0, "1e3": 0, "x": 0, "9223372036854775808": 0,
	} {
		assert.Equal(t, want, imported.Ref{Kind: imported.Node, ID: id}.Number(), "%q", id)
	}
}

func withNeed(t *testing.T, name string) user.Phone {
	t.Helper()
	p, err := user.ParsePhone(name)
	require.NoError(t, err)
	return p
}

func TestADM04_whose_phone_is_whose(t *testing.T) {
	p := imported.UserRecord{Source: "a", Phone: withNeed(t, "+86-13800000001")}
	same := &imported.ExistingAccount{Source: "a", Phone: p.Phone}
	moved := &imported.ExistingAccount{Source: "a", Phone: withNeed(t, "+86-13800000002")}
	elsewhere, taken := &imported.ExistingAccount{Phone: p.Phone}, &imported.ExistingAccount{Source: "b", Phone: p.Phone}
	for _, good := range [][2]*imported.ExistingAccount{{nil, nil}, {nil, elsewhere}, {same, same}} {
		assert.Nil(t, p.Problem(good[0], good[1]))
	}
	for _, bad := range [][2]*imported.ExistingAccount{{nil, taken}, {moved, nil}, {moved, elsewhere}, {moved, taken}} {
		wrong := p.Problem(bad[0], bad[1])
		assert.Len(t, wrong, 1)
		assert.Len(t, wrong["username"], 1)
	}
}
