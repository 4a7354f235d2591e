package gazetteer

import (
	_ "embed"
	"slices"
	"strings"
)

// The lists in the file and below distinguish the name of a place from other uses of its
// characters. Each list states its reason. New misleading words belong in one of them.
var (
	//go:embed contexts.txt
	contexts string
	lists    = listsIn(contexts)

	words     = lists["words"]
	countries = lists["countries"]
	abroad    = slices.Concat(countries, lists["abroad"])
	weak      = lists["weak"]
	landmarks = lists["landmarks"]
)

// listsIn returns the lists of the file by their names.
func listsIn(file string) map[string][]string {
	all, name := map[string][]string{}, ""
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, " ") {
			all[name] = append(all[name], strings.Fields(line)...)
		} else {
			name = strings.TrimSpace(line) // or a comment, which has no words
		}
	}
	return all
}

// destinationPrefixes are the characters before a destination.
const destinationPrefixes = "在到去回飞往来从至游赴"

// leads are characters that introduce another place than the foreign one before: 巴黎来的朋友在大连.
const leads = "来去到回在飞从离往坐带跟和与住过给寄送买请说教是看想问找嫁运"

// exclamations are names that are also used as cheers: 芜湖，终于考完了！
var exclamations = strings.Fields(`芜湖`)

// praise are adjectives that may precede a word of behind: 重庆老火锅.
var praise = strings.Fields(`老 正宗 特色 本帮 地道`)

// areas after a province's or city's short name make it a homonym: 江西区, 南京镇.
var areas = strings.Fields(`区 县 镇 村 乡`)

// notAreas are exceptions from areas.
var notAreas = strings.Fields(`区域 区号 区里 乡下 乡村 乡间 县城 村里 村民`)

// sides after a name that ends in a direction belong to the water or mountain in it: 江西边,
// 火山东侧.
var sides = strings.Fields(`边 侧 岸 坡 麓 端`)

var notSides = strings.Fields(`边境 边疆 边陲 边防`)

// surnames make the short name after them a given name at the start of a phrase: 张北京.
var surnames = "王李赵刘陈杨吴孙郭宋唐邓冯曹彭蔡潘袁蒋魏吕沈姚卢傅崔谭廖汪贾邱侯邹孟秦尹薛张徐朱马胡何林罗郑梁谢许韩曾董余叶程苏丁任钟姜范陆金石方江黄周戴熊孔严龚郝"

// openSurnames do so within a phrase, too. 马, 何 and 江 do not, because they end other words:
// 同桌赵天津.
var openSurnames = "王李赵刘陈杨吴孙郭邓冯曹彭蔡潘袁蒋魏吕沈姚卢傅崔谭廖汪贾邱侯邹孟秦尹薛郑徐朱韩董姜范"

// namings before a short name make it the name of a person or thing.
var namings = strings.Fields(`祖籍 籍贯 博主 主播 小名 网名 艺名 笔名 本名 大名 取名 起名 改名 命名 队名 店名 书名 歌名 名字是 名为 昵称 绰号 外号 昵称是 外号是 网名是 小名是 唤作 称作 循环`)

// roles before a surname and a short name make them a person's name: 歌手张杭州.
var roles = strings.Fields(`叫 姓 歌手 邻居 同事 同学 同桌 老师 老板 舅舅 叔叔 阿姨 室友 朋友 班长 队长 经理 主任 医生 司机 教练 演员 作家 导演 表哥 表姐 哥们 闺蜜`)

// origins before a short name and 人 after it state a person's origin, not the location:
// 他是四川人.
var origins = "是个位群对名两几为当算"

// crowds are words with 人 that do not state an origin.
var crowds = strings.Fields(`人民 人山 人多 人太 人真 人少 人口 人挤`)

// titles before a short name make it a title or a nickname: 叫苏州, 一首成都.
var titles = "叫首姓唱哼"

// followers and enders judge the text after a short name: misleading, or harmless despite
// such a beginning. The longest match decides.
var (
	followers = contextTrie(lists["behind"], lists["notBehind"])
	enders    = contextTrie(lists["tails"], lists["notTails"])
)

const misleading = 1

func contextTrie(bad, good []string) *trie {
	t := newTrie()
	for _, w := range bad {
		t.add(w, misleading)
	}
	for _, w := range good {
		t.add(w, 0)
	}
	return t
}
