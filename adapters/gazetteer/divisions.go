package gazetteer

import (
	"strings"
	"unicode/utf8"

	"plaza/domain/place"
)

// divisions is a small table of big cities: a province a line, its cities behind
// it, the districts of a city behind a colon. A municipality is a city of itself.
// The order has no meaning.
const divisions = `
北京市 北京市:东城区,西城区,朝阳区,海淀区,丰台区,石景山区,通州区,昌平区,大兴区,顺义区,房山区,怀柔区,延庆区,密云区
上海市 上海市:黄浦区,徐汇区,长宁区,静安区,普陀区,虹口区,杨浦区,闵行区,宝山区,嘉定区,浦东新区,松江区,青浦区,崇明区
天津市 天津市:和平区,河西区,南开区,河北区,滨海新区
重庆市 重庆市:渝中区,江北区,沙坪坝区,九龙坡区,南岸区,渝北区
浙江省 杭州市:西湖区,上城区,拱墅区,滨江区,萧山区,余杭区,临平区,钱塘区,富阳区 宁波市:海曙区,鄞州区 温州市 绍兴市 嘉兴市 金华市
江苏省 南京市:玄武区,秦淮区,鼓楼区,建邺区,栖霞区 苏州市:姑苏区,吴中区,相城区 无锡市 常州市 扬州市 徐州市
广东省 广州市:越秀区,天河区,海珠区,荔湾区,白云区,番禺区,黄埔区 深圳市:福田区,罗湖区,南山区,宝安区,龙岗区,盐田区 珠海市 东莞市 佛山市 汕头市
四川省 成都市:锦江区,青羊区,金牛区,武侯区,成华区,双流区 绵阳市 乐山市
湖北省 武汉市:江岸区,武昌区,洪山区,汉阳区 宜昌市
湖南省 长沙市:芙蓉区,岳麓区,天心区 张家界市
陕西省 西安市:雁塔区,碑林区,莲湖区,未央区 咸阳市
山西省 太原市 大同市
山东省 济南市:历下区,市中区 青岛市:市南区,市北区,崂山区 烟台市 威海市
福建省 福州市:鼓楼区,台江区 厦门市:思明区,湖里区 泉州市
江西省 南昌市:西湖区,东湖区 景德镇市 九江市
安徽省 合肥市:蜀山区,包河区 黄山市
河南省 郑州市:金水区,二七区 洛阳市 开封市
河北省 石家庄市 保定市 承德市
辽宁省 沈阳市:和平区,沈河区 大连市:中山区,西岗区
吉林省 长春市:朝阳区,南关区
黑龙江省 哈尔滨市:道里区,南岗区
云南省 昆明市:五华区,盘龙区 丽江市
贵州省 贵阳市:云岩区,南明区
海南省 海口市 三亚市
甘肃省 兰州市
广西壮族自治区 南宁市 桂林市
新疆维吾尔自治区 乌鲁木齐市
西藏自治区 拉萨市
内蒙古自治区 呼和浩特市
宁夏回族自治区 银川市
`

// level is how far down a division is.
type level int

const (
	province level = iota
	city
	district
)

// unit is one division under its official name.
type unit struct {
	name  string
	level level
	above *unit // nil: a province
}

// place is the division with all that it lies in.
func (u *unit) place() place.Place {
	switch u.level {
	case province:
		return place.Place{Province: u.name}
	case city:
		return place.Place{Province: u.above.name, City: u.name}
	default:
		return place.Place{Province: u.above.above.name, City: u.above.name, District: u.name}
	}
}

// endings are what short forms leave out: 北京 for 北京市, 广西 for 广西壮族自治区.
var endings = map[level][]string{
	province: {"壮族自治区", "维吾尔自治区", "回族自治区", "自治区", "省"},
	city:     {"市"},
}

// names are what the division is called: its official name, and the short form of
// a province or city. A municipality's names are those of the city that it is.
func (u *unit) names() []string {
	if u.level == province && strings.HasSuffix(u.name, "市") {
		return nil
	}
	names := []string{u.name}
	for _, ending := range endings[u.level] {
		if short, isLonger := strings.CutSuffix(u.name, ending); isLonger && utf8.RuneCountInString(short) > 1 {
			return append(names, short)
		}
	}
	return names
}

// read takes the table apart.
func read(table string) []*unit {
	var all []*unit
	add := func(name string, l level, above *unit) *unit {
		u := &unit{name, l, above}
		all = append(all, u)
		return u
	}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		fields := strings.Fields(line)
		p := add(fields[0], province, nil)
		for _, field := range fields[1:] {
			name, districts, _ := strings.Cut(field, ":")
			c := add(name, city, p)
			for d := range strings.SplitSeq(districts, ",") {
				if d != "" {
					add(d, district, c)
				}
			}
		}
	}
	return all
}

// node is a place in the tree of names, reached by the characters before it.
type node struct {
	next  map[rune]*node
	units []*unit // what is called so
}

func (n *node) add(name string, u *unit) {
	for _, r := range name {
		if n.next == nil {
			n.next = map[rune]*node{}
		}
		if n.next[r] == nil {
			n.next[r] = &node{}
		}
		n = n.next[r]
	}
	n.units = append(n.units, u)
}

// longest returns what the longest name that the text begins with is called, and
// its length in bytes; zero when it begins with none.
func (n *node) longest(text string) (units []*unit, length int) {
	for at, r := range text {
		if n = n.next[r]; n == nil {
			break
		}
		if n.units != nil {
			units, length = n.units, at+utf8.RuneLen(r)
		}
	}
	return units, length
}
