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
	for _, c := range []struct {
		what, title, content, place string
	}{
		{"a city by its short name", "", "我爱杭州", "浙江省 杭州市"},
		{"a city by its full name", "", "杭州市很美", "浙江省 杭州市"},
		{"a province", "", "回到浙江过年", "浙江省"},
		{"an autonomous region", "", "去新疆", "新疆维吾尔自治区"},
		{"a municipality is its own province", "", "北京欢迎你", "北京市 北京市"},
		{"the special case of it", "香港", "", "香港特别行政区 香港特别行政区"},
		{"a district right after its city", "", "杭州西湖区", "浙江省 杭州市 西湖区"},
		{"a district far from its city", "杭州", "早上去西湖区散步", "浙江省 杭州市 西湖区"},
		{"a district before its city", "", "浦东新区在上海", "上海市 上海市 浦东新区"},
		{"a district by its short name", "", "上海浦东机场", "上海市 上海市 浦东新区"},
		{"a county-level city", "", "四川成都都江堰市", "四川省 成都市 都江堰市"},

		{"a district alone", "", "西湖区", ""},
		{"a district alone, though there is only one of the name", "", "海淀区", ""},
		{"a district with its province only", "", "浙江的西湖区", "浙江省 杭州市 西湖区"},
		{"a district with another city", "", "上海有西湖区吗", "上海市 上海市"},
		{"a district of two cities, one mentioned", "", "长春的朝阳区", "吉林省 长春市 朝阳区"},
		{"a district of two cities, the other mentioned", "", "北京的朝阳区", "北京市 北京市 朝阳区"},
		{"a district of two cities, both mentioned", "", "北京和长春都有朝阳区", "北京市 北京市"},
		{"a district of three cities, two and the third's province mentioned", "", "南京、徐州和福建都有鼓楼区", "江苏省 南京市"},
		{"a district twice in its province", "", "江苏的鼓楼区", "江苏省"},
		{"a district twice in its province, with its city", "", "江苏南京的鼓楼区", "江苏省 南京市 鼓楼区"},

		{"the longest name", "", "内蒙古自治区呼和浩特市", "内蒙古自治区 呼和浩特市"},
		{"no name inside another", "", "上海南站", "上海市 上海市"},
		{"no name across two words", "", "沙发变成都一样，买了长沙发", ""},
		{"a river", "", "苏州河边", ""},

		{"a district that begins as its city ends", "", "济南市中区的早市", "山东省 济南市 市中区"},
		{"a city whose district begins as it ends", "", "济南市里的早市", "山东省 济南市"},

		{"a place in one abroad", "", "越南的太原省", ""},
		{"a place in one abroad, deeper", "", "日本石川县的白山市", ""},
		{"a place behind one abroad", "", "巴黎来的表姐在大连", "辽宁省 大连市"},
		{"a place after one abroad", "", "从日本，到大连的船", "辽宁省 大连市"},
		{"a place of somebody who knows one abroad", "", "比起巴黎的塞纳河，武汉的长江宽多了", "湖北省 武汉市"},
		{"a place elsewhere that is mentioned more often", "", "从上海飞到东京，东京下雨", ""},
		{"a place elsewhere that is not", "", "东京飞上海，上海下雨", "上海市 上海市"},
		{"places elsewhere that are adjectives", "", "在上海看日本电影，吃日本料理", "上海市 上海市"},
		{"a country where somebody is", "", "从上海到日本，在日本过年", ""},
		{"a foreign film", "", "在上海看《巴黎》，《巴黎》真好", "上海市 上海市"},

		{"a weak name that somebody goes to", "", "先到合肥，再到六安，六安下雪了", "安徽省 六安市"},
		{"a weak name in another province", "", "杭州的日出，从东方来，又往东方去", "浙江省 杭州市"},
		{"a weak name that nobody goes to", "", "安徽的六安瓜片", "安徽省"},

		{"a nickname in quotation marks", "", "外号叫“四川”的男生", ""},
		{"what is called after a place", "", "博主“成都阿蛮”的菜谱", ""},
		{"a place in quotation marks", "", "终于到了“成都”", "四川省 成都市"},
		{"what is said", "", "他说“我在成都等你”", "四川省 成都市"},
		{"a long quotation", "", "信里“我在成都的第一个冬天没有下雪”", "四川省 成都市"},
		{"a quotation of more than one clause", "", "短信“到成都了，勿念”", "四川省 成都市"},
		{"a cry", "", "放假了！芜湖！起飞", ""},
		{"no cry", "", "周末去芜湖，看大江", "安徽省 芜湖市"},

		{"a street", "", "在南京路逛街", ""},
		{"a street with a direction", "", "南京西路和北京东路", ""},
		{"an avenue", "", "深圳大道、北京大街、成都街", ""},
		{"a street in a city", "", "上海南京路", "上海市 上海市"},
		{"a street of the city's full name", "", "上海市南京东路步行街", "上海市 上海市"},
		{"no street at all", "", "北京街头", "北京市 北京市"},
		{"a direction without a street", "", "北京西站", "北京市 北京市"},
		{"a full name before a street", "", "杭州市路边", "浙江省 杭州市"},

		{"the most mentions", "上海", "杭州，杭州", "浙江省 杭州市"},
		{"as many mentions: the title's", "上海", "杭州", "上海市 上海市"},
		{"as many mentions, the title's later on", "", "杭州", "浙江省 杭州市"},
		{"as many mentions in the title: the first", "从成都到重庆", "", "四川省 成都市"},
		{"as many mentions in the text: the first", "游记", "从重庆到成都", "重庆市 重庆市"},
		{"a name in full is one mention", "", "浙江省杭州市西湖区。上海。上海。", "上海市 上海市"},
		{"with signs between its parts, too", "", "浙江·杭州（西湖区），上海，上海", "上海市 上海市"},
		{"not with words between them", "", "浙江是个好地方，杭州更是。上海。", "浙江省 杭州市"},
		{"a mentioned city speaks for its district", "", "杭州。杭州。上海。上海。余杭区。", "浙江省 杭州市 余杭区"},
		{"two districts: the one mentioned more", "杭州", "西湖区、余杭区、余杭区", "浙江省 杭州市 余杭区"},
		{"two districts: the first", "杭州", "余杭区、西湖区", "浙江省 杭州市 余杭区"},

		{"abroad", "Tokyo", "東京都渋谷区", ""},
		{"nothing", "", "", ""},
		{"broken text", "\xe6\x9d", "\xadåœ杭州\xff", "浙江省 杭州市"},
		{"title and text don't run together", "杭", "州", ""},
	} {
		assert.Equal(t, c.place, analysed(t, g, c.title, c.content), c.what)
	}
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
