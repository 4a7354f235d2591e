package gazetteer_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/adapters/gazetteer"
	"plaza/domain/place"
)

var _ place.Analyser = (*gazetteer.Gazetteer)(nil)

func TestPlacesOfTexts(t *testing.T) {
	g := gazetteer.New()
	for _, c := range records(t, "testdata/rules.tsv", 4) {
		assert.Equal(t, c[3], analysed(t, g, c[1], c[2]), c[0])
	}
	assert.Equal(t, "浙江省 杭州市", analysed(t, g, "\xe6\x9d", "\xadåœ杭州\xff"), "broken text")
}

func TestOtherRecords(t *testing.T) {
	g := gazetteer.Of([]place.Place{
		{Province: "吉林省"},
		{Province: "吉林省", City: "吉林市"},
		{Province: "吉林省", City: "吉林市", District: "船营区"},
		{Province: "甲省", City: "同州市"},
		{Province: "乙地省", City: "同州市"},
		{Province: "乙地省"},
	})
	for text, want := range map[string]string{
		"吉林":          "",
		"吉林市":         "吉林省 吉林市",
		"吉林市，吉林":      "吉林省 吉林市",
		"吉林省，吉林":      "吉林省",
		"吉林省船营区":      "吉林省 吉林市 船营区",
		"吉林船营区":       "",
		"同州市":         "",
		"乙地省同州市":      "乙地省 同州市",
		"同州, in 乙地":   "乙地省 同州市",
		"杭州市":         "",
		"吉林市船营区吉林船营区": "吉林省 吉林市 船营区",
	} {
		assert.Equal(t, want, analysed(t, g, "", text), text)
	}
	assert.Empty(t, analysed(t, gazetteer.Of(nil), "杭州", "杭州"))
}

// A step for each pair of characters would outlast the time limit of all tests.
func TestHugeTextsTakeLittleTime(t *testing.T) {
	g := gazetteer.New()
	for _, unit := range []string{"杭州", "西湖区", "北", "a", "浙江省杭州市西湖区", "南京路", "龙华区海口龙华区深圳"} {
		_, err := g.Analyse(t.Context(), "", "日本的“"+strings.Repeat(unit, 1<<20/len(unit)))
		require.NoError(t, err)
	}
}

func TestWhatIsAddedElsewhereChangesNothing(t *testing.T) {
	g := gazetteer.New()
	rapid.Check(t, func(t *rapid.T) {
		noise := rapid.StringOf(rapid.SampledFrom([]rune("的一是了我不人在他有这个a1 。，"))).Draw(t, "noise")
		name := rapid.SampledFrom([]string{"杭州西湖区", "北京市", "浙江", "上海浦东新区", "广东省深圳市南山区", "西湖区", "南京路"}).Draw(t, "name")
		assert.Equal(t, analysed(t, g, "", name+"。"), analysed(t, g, noise, noise+name+"。"+noise))
	})
}

func FuzzAnalyse(f *testing.F) {
	f.Add("上海", "从杭州西湖区到北京朝阳区，再到南京路")
	f.Add("\xff", "吉林省长春市朝阳区\x00")
	for _, content := range []string{"", "南京市长江大桥", "朝阳区", "吉林吉林吉林", "西\u200b湖区", "杭州", strings.Repeat("省市区", 500), "北京路在上海", "杭州\xe5\xb8",
		"ＨＡＮＧＺＨＯＵ", "北京朝阳\xe4"} {
		f.Add("在", content)
	}
	g := gazetteer.New()
	f.Fuzz(func(t *testing.T, title, content string) {
		p, err := g.Analyse(t.Context(), title, content)
		require.NoError(t, err)
		require.False(t, p.District != "" && p.City == "" || p.City != "" && p.Province == "", "%+v", p)
		if p.District != "" {
			names := append(gazetteer.ShortNames(p.District), strings.TrimSuffix(p.District, "新区"))
			isNamed := func(name string) bool { return strings.Contains(title+" "+content, name) }
			require.True(t, slices.ContainsFunc(names, isNamed), "%s is named", p.District)
		}
		again, err := g.Analyse(t.Context(), title, content)
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}

// analysed returns the non-empty parts of the place.
func analysed(t require.TestingT, g *gazetteer.Gazetteer, title, content string) string {
	p, err := g.Analyse(context.Background(), title, content)
	require.NoError(t, err)
	return joined([]string{p.Province, p.City, p.District})
}

func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// row is a labelled text; see the head of testdata/labelled.tsv.
type row struct{ set, sort, title, content, place string }

func labelled(t testing.TB) (rows []row) {
	t.Helper()
	for _, cells := range records(t, "testdata/labelled.tsv", 7)[1:] { // the first has the names of the columns
		rows = append(rows, row{cells[0], cells[1], cells[2], cells[3], joined(cells[4:])})
	}
	return rows
}

// records returns the cells of the lines of the file that are neither empty nor comments.
func records(t testing.TB, path string, columns int) (all [][]string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		require.Len(t, cells, columns, line)
		all = append(all, cells)
	}
	return all
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
