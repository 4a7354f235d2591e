package secret_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/secret"
)

func TestA_secret_never_shows(t *testing.T) {
	s := secret.New("plaza-demo")
	holder := struct{ Password, hidden secret.String }{s, s} // fmt calls no methods of unexported fields
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("login", "password", s, "all", holder)
	encoded, err := json.Marshal(holder)
	require.NoError(t, err)
	for _, shown := range []string{
		log.String(), string(encoded), s.String(),
		fmt.Sprint(s, holder, &holder), fmt.Sprintf("%v %+v %#v %s %q %x %d", s, holder, holder, s, s, s, s),
	} {
		assert.NotContains(t, shown, "plaza-demo")
		assert.NotContains(t, shown, fmt.Sprintf("%x", "plaza-demo"))
	}
	assert.Equal(t, "plaza-demo", s.Reveal())
}

func TestA_secret_is_read_as_it_is(t *testing.T) {
	var s secret.String
	assert.True(t, s.IsZero())
	require.NoError(t, json.Unmarshal([]byte(`" pass word "`), &s))
	assert.Equal(t, " pass word ", s.Reveal())
}
