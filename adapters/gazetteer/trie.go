package gazetteer

import (
	"strings"
	"unicode/utf8"
)

// trie finds the longest of its words at the start of a text. It reads each character once.
type trie struct {
	edges map[edge]int32
	words []int32 // by node, from the root on: the number of the word that ends there, or none
}

type edge struct {
	from int32
	by   rune
}

const none = -1

func newTrie() *trie { return &trie{edges: map[edge]int32{}, words: []int32{none}} }

// add adds the word in simplified and traditional characters and mixtures of both.
func (t *trie) add(word string, number int32) {
	var node int32
	for _, r := range word {
		next, known := t.edges[edge{node, r}]
		if !known {
			next = int32(len(t.words))
			t.words = append(t.words, none)
			for _, form := range append([]rune{r}, traditional[r]...) {
				t.edges[edge{node, form}] = next
			}
		}
		node = next
	}
	t.words[node] = number
}

// longest returns the number and the length in bytes of the longest word at the start of the
// text. Without one it returns none and the length of the first character.
func (t *trie) longest(text string) (number int32, size int) {
	r, width := utf8.DecodeRuneInString(text)
	number, size = none, width
	node, known := t.edges[edge{by: r}]
	for end := width; known; node, known = t.edges[edge{node, r}] {
		if t.words[node] != none {
			number, size = t.words[node], end
		}
		r, width = utf8.DecodeRuneInString(text[end:])
		end += width
	}
	return number, size
}

// traditional maps frequent characters of names to their traditional forms.
var traditional = func() map[rune][]rune {
	ways := map[rune][]rune{}
	for pair := range strings.FieldsSeq(`东東 广廣 苏蘇 龙龍 庆慶 宁寧 辽遼 陕陝 贵貴 云雲 湾灣 门門 岛島 济濟 乌烏 鲁魯 齐齊 兰蘭 银銀 沈瀋 长長 阳陽 连連 锦錦 铁鐵 营營 芦蘆 尔爾 滨濱 岗崗 双雙 鸭鴨 无無 盐鹽
		扬揚 镇鎮 温溫 绍紹 兴興 丽麗 芜蕪 铜銅 马馬 厦廈 赣贛 饶饒 烟煙 潍濰 临臨 郑鄭 开開 顶頂 鹤鶴 许許 驻駐 汉漢 黄黃 荆荊 随隨 张張 县縣 区區 头頭 关關 远遠 钦欽 宾賓 亚亞
		泸瀘 绵綿 乐樂 内內 达達 资資 节節 顺順 义義 红紅 萨薩 宝寶 凉涼 陇隴 党黨 杨楊 汇匯 闸閘 静靜 贤賢 罗羅 盘盤 华華 从從 余餘 萧蕭 钱錢 台臺 尧堯 凤鳳 岳嶽 娄婁 怀懷 浏瀏
		晋晉 吕呂 运運 沟溝 丰豐 环環 维維 图圖 库庫 伦倫 贝貝 辉輝 桥橋 乡鄉 沧滄 邓鄧 韩韓 庐廬 径徑 旸暘 潜潛 颍潁 沪滬 爱愛 阴陰 巩鞏 来來 庄莊 严嚴 仪儀 伟偉 会會 冈岡 刚剛
		剑劍 励勵 劳勞 单單 卢盧 历歷 叶葉 吴吳 园園 团團 国國 圣聖 坛壇 垦墾 墙牆 壮壯 声聲 处處 复復 夹夾 奋奮 宽寬 实實 寿壽 将將 属屬 峡峽 崂嶗 币幣 师師 带帶 应應 当當 总總
		戏戲 战戰 扩擴 时時 显顯 朴樸 权權 极極 树樹 栾欒 桦樺 梦夢 楼樓 欢歡 毕畢 汤湯 泽澤 洁潔 浒滸 涞淶 润潤 涟漣 涡渦 淀澱 渊淵 湿濕 滦灤 滚滾 灵靈 灯燈 炉爐 热熱 狮獅 献獻
		玛瑪 珲琿 琼瓊 瑷璦 电電 画畫 畅暢 盖蓋 碛磧 确確 祯禎 离離 种種 稳穩 窑窯 竞競 笔筆 筑築 简簡 类類 纳納 经經 绛絳 绥綏 缙縉 网網 联聯 胶膠 苍蒼 范範 荣榮 荥滎 莱萊 蓝藍
		蓟薊 虾蝦 补補 裤褲 观觀 话話 诏詔 诸諸 谷穀 赞贊 轮輪 边邊 迁遷 进進 郏郟 郓鄆 郧鄖 酝醞 铅鉛 锡錫 闽閩 闻聞 阁閣 阎閻 际際 陆陸 险險 隐隱 难難 雾霧 韦韋 颐頤 风風 飞飛
		饮飲 驿驛 鱼魚 鲜鮮 鸡雞 鹰鷹 麦麥`) {
		runes := []rune(pair)
		ways[runes[0]] = runes[1:]
	}
	return ways
}()
