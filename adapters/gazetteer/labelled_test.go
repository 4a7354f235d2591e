package gazetteer_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/gazetteer"
)

// row is a labelled text; see the head of testdata/labelled.tsv.
type row struct{ set, sort, title, content, place string }

func labelled(t testing.TB) []row {
	t.Helper()
	raw, err := os.ReadFile("testdata/labelled.tsv")
	require.NoError(t, err)
	var rows []row
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || cells[0] == "set" {
			continue
		}
		require.Len(t, cells, 7, line)
		rows = append(rows, row{cells[0], cells[1], cells[2], cells[3], joined(cells[4:])})
	}
	return rows
}

// tally counts texts, expected places, found places and correct places.
type tally struct{ texts, placed, found, right int }

func (n *tally) count(want, got string) {
	n.texts++
	for _, c := range []struct {
		is   bool
		into *int
	}{{want != "", &n.placed}, {got != "", &n.found}, {got != "" && got == want, &n.right}} {
		if c.is {
			*c.into++
		}
	}
}

func (n tally) precision() float64 { return float64(n.right) / float64(n.found) }
func (n tally) recall() float64    { return float64(n.right) / float64(n.placed) }

// TestEVT16_LabelledTextsHaveTheirPlaces logs the results of each set. The set unseen holds
// texts that were not used for development.
func TestEVT16_LabelledTextsHaveTheirPlaces(t *testing.T) {
	g := gazetteer.New()
	sets := map[string]*tally{"open": {}, "held": {}, "later": {}, "third": {}, "unseen": {}, "all": {}}
	for _, r := range labelled(t) {
		got := analysed(t, g, r.title, r.content)
		sets["all"].count(r.place, got)
		sets[r.set].count(r.place, got)
		if got != r.place && r.set != "unseen" {
			t.Logf("%s: %s: %s: %q instead of %q", r.sort, r.title, r.content, got, r.place)
		}
	}
	for name, n := range sets {
		require.GreaterOrEqual(t, n.texts, 75, "texts of the set %s", name)
		t.Logf("%s: %d texts, %d with a place, %d found, %d of them right: precision %.3f, recall %.3f",
			name, n.texts, n.placed, n.found, n.right, n.precision(), n.recall())
		assert.GreaterOrEqual(t, n.precision(), 0.95, name)
		assert.GreaterOrEqual(t, n.recall(), 0.9, name)
	}
}
