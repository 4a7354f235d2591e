package demo_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/demo"
	"plaza/domain/feed"
	"plaza/domain/personaldata"
)

// random matches what differs between two loads: the hashes of passwords, and the keys of pictures.
var random = regexp.MustCompile(`\$argon2id\$[^"]+|[a-z2-7]{26}\.(jpg|png)`)

// everything returns all of the demo data as JSON, without what is random.
func (w fixture) everything() string {
	w.t.Helper()
	made := []any{w.store.Listings()}
	for _, account := range w.accounts() {
		for _, d := range personaldata.Kinds() {
			for record, err := range w.store.PersonalData.Records(w.t.Context(), account.User, d.Kind) {
				require.NoError(w.t, err)
				made = append(made, d.Kind, record)
			}
		}
		for _, shown := range w.of(account.User) {
			made = append(made, shown.News)
		}
	}
	for _, kind := range feed.ItemKinds() {
		made = append(made, w.items(kind))
	}
	text, err := json.MarshalIndent(made, "", " ")
	require.NoError(w.t, err)
	return random.ReplaceAllString(string(text), "random")
}

func TestADM04_the_demo_data_is_the_same_with_its_examples_there(t *testing.T) {
	w := emptyFixture()
	w.t = t
	require.NoError(t, demo.Bring(t.Context(), w.ports.Importer, demo.Embedded))
	want := loaded(t, loadOnce).everything()
	require.NotEqual(t, want, w.everything())
	require.NoError(t, demo.Load(t.Context(), w.ports))
	assert.Equal(t, want, w.everything())
	require.NoError(t, demo.Bring(t.Context(), w.ports.Importer, demo.Embedded))
	require.NoError(t, demo.Load(t.Context(), w.ports))
	assert.Equal(t, want, w.everything(), "a later import and another load change nothing")
}
