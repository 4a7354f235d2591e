package gazetteer

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"plaza/domain/place"
)

//go:embed divisions.txt
var divisions string

// builtIn returns all divisions.
func builtIn() []place.Place {
	var all []place.Place
	var province, city string
	for line := range strings.Lines(divisions) {
		names := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "#") || len(names) == 0:
		case !strings.HasPrefix(line, " "):
			province = names[0]
			if !strings.HasSuffix(province, "市") && !strings.HasSuffix(province, "特别行政区") {
				all = append(all, place.Place{Province: province})
			}
		default:
			city = names[0]
			all = append(all, place.Place{Province: province, City: city})
			for _, district := range names[1:] {
				all = append(all, place.Place{Province: province, City: city, District: district})
			}
		}
	}
	return all
}

// ranks are the suffixes of official names, longest first.
var ranks = []string{
	"特别行政区", "自治区", "自治州", "自治县", "自治旗", "地区", "新区", "林区", "省", "市", "盟", "县", "区", "旗",
}

// peoples are the names of peoples in autonomous divisions, which short names omit. A name
// precedes those that it ends with.
var peoples = strings.Fields(`维吾尔 布依族 土家族 达斡尔族 鄂温克族 鄂伦春 哈萨克族 哈萨克 柯尔克孜 塔吉克 蒙古族 蒙古
	朝鲜族 景颇族 傈僳族 哈尼族 仫佬族 毛南族 仡佬族 拉祜族 纳西族 普米族 独龙族 布朗族 撒拉族 东乡族 保安族 裕固族 锡伯 各族
	壮族 回族 藏族 羌族 彝族 苗族 侗族 傣族 白族 满族 瑶族 畲族 黎族 水族 佤族 怒族 土族`)

// shortNames returns the usual short names: 浙江 for 浙江省, 大理州 and 大理 for 大理白族自治州. It omits
// names of one character, which are words.
func shortNames(official string) []string {
	for _, rank := range ranks {
		stem, found := strings.CutSuffix(official, rank)
		if !found {
			continue
		}
		autonomous := strings.HasPrefix(rank, "自治")
		if autonomous && stem != "内蒙古" {
			stem = withoutPeoples(stem)
		}
		var short []string
		if utf8.RuneCountInString(stem) >= 2 {
			// 海南 means the province, even though a prefecture has the name, too.
			if rank != "自治州" || stem != "海南" {
				short = append(short, stem)
			}
			if autonomous && rank != "自治区" {
				short = append(short, stem+strings.TrimPrefix(rank, "自治"))
			}
		}
		return short
	}
	return nil
}

func withoutPeoples(stem string) string {
	for found := true; found; {
		found = false
		for _, people := range peoples {
			if rest, cut := strings.CutSuffix(stem, people); cut && rest != "" {
				stem, found = rest, true
			}
		}
	}
	return stem
}
