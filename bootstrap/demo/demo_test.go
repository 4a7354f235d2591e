package demo_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/secret"
	"plaza/domain/user"
)

func TestKnownAccountsLogIn(t *testing.T) {
	w := loadedAlone(t)
	door := doorOf(w.ports)
	logins, err := demo.Logins()
	require.NoError(t, err)
	require.Len(t, logins, 4)
	for i, name := range []string{"+86-13800000001", "+86-13800000002", "+34-600000003", "+1-2025550104"} {
		assert.Equal(t, name, logins[i].Username)
		assert.Equal(t, "plaza-demo", logins[i].Password)
		assert.Equal(t, []string{"沈予安", "顾清", "Inés Vidal Montaner", "Nora Ashcombe"}[i], logins[i].Name)
		key, err := door.Login(t.Context(), signin.Login{
			Username: name, Password: secret.New(logins[i].Password), From: netip.MustParseAddr("192.0.2.1"),
		}, nil)

		require.NoError(t, err, name)
		who, err := door.Authenticate(t.Context(), key)
		require.NoError(t, err, name)
		assert.Equal(t, user.ID(i+1), who.ID, name)
		want := access.DefaultScopes()
		if i+1 == 4 {
			want = access.AllScopes()
		}
		assert.Equal(t, want, who.Scopes, name)
	}
}
