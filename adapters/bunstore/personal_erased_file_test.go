package bunstore

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/personaldata"
	"plaza/domain/user"
)

func TestNothing_that_was_erased_stays_in_the_files_of_SQLite(t *testing.T) {
	url := MigratedSQLite(t)
	s, err := Open(t.Context(), engine.Options{URL: url})
	require.NoError(t, err)
	defer s.Close()
	phone, err := user.ParsePhone("+86-13912345678")
	require.NoError(t, err)
	id, err := s.Accounts().Open(t.Context(), access.Account{Phone: phone}, user.Member{Lastname: "Vanishing", Timezone: "UTC", Joined: noon})
	require.NoError(t, err)
	words := strings.Repeat("words to be forgotten ", 500) // on pages of their own
	e, err := event.New(id, event.Change{Title: new("A title to be forgotten"), Content: &words}, calendar.DateOf(noon), noon)
	require.NoError(t, err)
	stored, err := s.Events().Add(t.Context(), e)
	require.NoError(t, err)
	files := func() (all string) {
		for _, suffix := range []string{"", "-wal"} {
			raw, err := os.ReadFile(strings.TrimPrefix(url, "sqlite:") + suffix)
			require.NoError(t, err)
			all += string(raw)
		}
		return all
	}
	before := files()
	personal := []string{"to be forgotten", phone.String(), "Vanishing"}
	for _, text := range personal {
		require.Contains(t, before, text)
	}
	require.NotZero(t, stored.ID())
	for _, k := range personaldata.Kinds() {
		for n := 1; n > 0; {
			n, err = s.PersonalData().Erase(t.Context(), id, k.Kind, 10)
			require.NoError(t, err)
		}
	}
	after := files()
	for _, text := range personal {
		assert.NotContains(t, after, text)
	}
}
