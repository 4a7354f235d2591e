package ports

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/place"
)

// Analyser is the suite of place.Analyser. It asks for nothing but what every
// analyser knows: the best known places of China, plainly named.
func Analyser(t *testing.T, fresh func(t *testing.T) place.Analyser) {
	westLake := place.Place{Province: "浙江省", City: "杭州市", District: "西湖区"}
	texts := []struct {
		title, content string
		place          place.Place
	}{
		{"", "我在浙江省杭州市西湖区。", westLake},
		{"浙江省杭州市西湖区", "", westLake},
		{"游记", "今天到了北京市海淀区。", place.Place{Province: "北京市", City: "北京市", District: "海淀区"}},
		{"广东省广州市", "晴天。", place.Place{Province: "广东省", City: "广州市"}},
		{"", "", place.Place{}},
		{"Paris", "A walk along the Seine.", place.Place{}},
		{"日记", "今天下雨，在家看书。", place.Place{}},
	}

	t.Run("it returns the place of the text with the title, or the zero place", func(t *testing.T) {
		a := fresh(t)
		for _, c := range texts {
			assert.Equal(t, c.place, analysed(t, a, c.title, c.content), "%s: %s", c.title, c.content)
		}
	})

	t.Run("a place is known from the outside in", func(t *testing.T) {
		a := fresh(t)
		for _, text := range []string{"西湖区", "朝阳区和海淀区", "杭州", "浙江", "上海浦东新区", "从成都到重庆", "南京路", "吉林"} {
			p := analysed(t, a, "", text)
			assert.False(t, p.District != "" && p.City == "", "%s: %+v", text, p)
			assert.False(t, p.City != "" && p.Province == "", "%s: %+v", text, p)
		}
	})

	t.Run("it is safe to call from many goroutines at once", func(t *testing.T) {
		a := fresh(t)
		for _, p := range atOnce(many, func(int) place.Place {
			p, err := a.Analyse(context.Background(), "", "我在浙江省杭州市西湖区。")
			assert.NoError(t, err)
			return p
		}) {
			assert.Equal(t, westLake, p)
		}
	})
}

func analysed(t *testing.T, a place.Analyser, title, content string) place.Place {
	t.Helper()
	p, err := a.Analyse(context.Background(), title, content)
	require.NoError(t, err)
	return p
}
