package gazetteer_test

import (
	"strings"
	"testing"

	"plaza/adapters/gazetteer"
)

func BenchmarkAnalyse(b *testing.B) {
	g := gazetteer.New()
	rows := labelled(b)
	var diary strings.Builder
	for _, r := range rows {
		diary.WriteString(r.title + "。" + r.content + "\n")
	}
	for what, text := range map[string]string{
		"diaries":   strings.Repeat(diary.String(), 3),
		"placeless": strings.Repeat("今天下雨，在家看书，晚上给妈妈打了一个电话，聊了很久，睡得很香。", 1000),
		"places":    strings.Repeat("今天从杭州西湖区出发，坐高铁去了北京，晚上在朝阳区见朋友，聊了很久。", 1000),
		"english":   strings.Repeat("We rented bikes and got lost twice on the way home. ", 1000),
	} {
		b.Run(what, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_, _ = g.Analyse(b.Context(), "旅行", text)
			}
		})
	}
}

func BenchmarkTable(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		gazetteer.Fresh()
	}
}
