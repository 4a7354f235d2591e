package demo

import (
	"plaza/domain/event"
	"plaza/domain/imported"
)

// source is a fictional newspaper in a real town.
type source struct {
	site, url                         string
	city, district, province, country string
}

var (
	lakeside = source{"湖畔晚报", "https://lakeside.example.org", "杭州市", "西湖区", "浙江省", "中国"}
	tidal    = source{"潮信报", "https://tidal.example.com", "嘉兴市", "海宁市", "浙江省", "中国"}
	drum     = source{"鼓楼早知道", "https://drumtower.example.org", "北京市", "东城区", "北京市", "中国"}
	hills    = source{"西山周报", "https://westhills.example.com", "北京市", "海淀区", "北京市", "中国"}
	grottoes = source{"云州日知", "https://yunzhou.example.org", "大同市", "云冈区", "山西省", "中国"}
	lane     = source{"弄堂新闻", "https://lane.example.com", "上海市", "徐汇区", "上海市", "中国"}
	canals   = source{"水巷小报", "https://canals.example.org", "苏州市", "姑苏区", "江苏省", "中国"}
	naranjo  = source{"El Correo del Naranjo", "https://naranjo.example.org", "València", "", "", "España"}
	rives    = source{"Le Quotidien des Deux Rives", "http://deuxrives.example.com", "Lyon", "", "", "France"}
	kamo     = source{"鴨川だより", "https://kamogawa.example.org", "京都市", "", "京都府", "日本"}
	lantern  = source{"The Lantern", "https://lantern.example.com", "London", "", "", "United Kingdom"}
	apple    = source{"Вести яблочного города", "https://apple.example.org", "Алматы", "", "", "Қазақстан"}
	tideline = source{"Folha da Maré", "https://mare.example.com", "Recife", "", "Pernambuco", "Brasil"}
	sky      = source{"Sky Notes", "https://sky.example.org", "", "", "", ""}
)

type item struct {
	from     source
	path     string
	category string
	title    string
	html     string
}

// daysOfNews has the news of days with diary events.
var daysOfNews = []struct {
	day   string
	items []item
}{
	{"2026-10-04", []item{
		{lakeside, "/1004/osmanthus", "风物", "桂花进入盛花期，满觉陇游人如织",
			`<p>连日小雨没有打落桂花，反而让香气飘得更远。园林部门说，这一季盛花<strong>还有五天左右</strong>。</p>`},
		{lakeside, "/1004/umbrellas", "社区", "山脚茶室备下三百把伞，借伞不用押金",
			`<p>“去年借出去三百把，还回来三百零二把。”店主说。</p>`},
		{naranjo, "/1004/barro", "Cultura", "Los talleres de barro abren sus puertas este domingo",
			`<p>Catorce alfareros de la ciudad dejan <em>tocar</em> lo que otros días solo se mira.</p>`},
		{lantern, "/1004/bells", "Community", "Ringers wanted: no experience, some stairs",
			`<p>Three towers on the river are looking for people with <em>two arms and one free evening</em>.</p>`},
	}},
	{"2026-10-18", []item{
		{drum, "/1018/cakes", "民俗", "老字号重阳糕今早排起长队",
			`<p>队伍里最小的五岁，替太奶奶来的；最大的九十二岁，替自己来的。</p>`},
		{lakeside, "/1018/climb", "民俗", "重阳登高，宝石山一早迎来三千位老人",
			`<p>山道沿途设了<strong>九处歇脚的长椅</strong>，姜茶免费。志愿者说：“走得慢的，看得多。”</p>`},
		{lakeside, "/1018/boats", "交通", "西湖新添二十条手划船",
			`<p>新船仍由老师傅手工打造，船头各画一种湖边的花。</p>`},
		{kamo, "/1018/chestnut", "くらし", "丹波の栗、今年は甘い",
			`<p>雨の少ない夏のおかげで、粒は小さめ、味は濃いめ。</p>`},
		{apple, "/1018/aport", "Город", "Ярмарка апорта: победило яблоко в 640 граммов",
			`<p>Победителя взвесили, сфотографировали и <em>разрезали на сорок долек</em>.</p>`},
	}},
	{"2026-10-26", []item{
		{sky, "/2026/10/26", "Science", "Full moon today, at 04:12 UTC",
			`<p>Where you see it rise depends on where you stand; <strong>that</strong> you see it depends on the clouds.</p>`},
		{lakeside, "/1026/lights", "城事", "今夜湖边关灯一小时，请看月亮",
			`<p>二十时至二十一时，沿湖景观灯熄灭。游船照常，船家说，“月亮够亮。”</p>`},
		{drum, "/1026/tower", "城事", "鼓楼脚下，今晚免费借望远镜",
			`<p>天文爱好者架起六台望远镜，孩子优先，弯得下腰的大人也可以。</p>`},
		{rives, "/1026/lune", "Ville", "Les quais fermés aux voitures pour une nuit de lune",
			`<p>De vingt heures à minuit, la rive est aux promeneurs, aux chaises pliantes et aux thermos.</p>`},
		{tideline, "/1026/mare", "Cidade", "Maré alta de lua cheia chega aos degraus do cais",
			`<p>A Defesa Civil pede <em>cuidado e chinelos</em>.</p>`},
	}},
	{"2026-10-28", []item{
		{tidal, "/1028/bore", "潮讯", "今日潮高两米一，比预报早到四分钟",
			`<p>江堤上三万人等潮。<strong>请站在警戒线以内</strong>，潮不等人，也不认人。</p>`},
		{lakeside, "/1028/train", "交通", "观潮专列下周停运，明年农历八月再见",
			`<p>今年专列共送客十一万人次，捡到帽子四百余顶。</p>`},
	}},
	{"2026-10-31", []item{
		{hills, "/1031/leaves", "出行", "香山红叶变色率过八成，建议一早进山",
			`<p>周末上午九时后排队约一小时。<a href="https://westhills.example.com/1031/paths">避开人流的三条小路</a>。</p>`},
		{drum, "/1031/roof", "文保", "大殿屋顶测绘完成，四百年只换过两次瓦",
			`<p>测绘队在屋脊上工作了二十六天，绘图一百四十张。</p>`},
		{lantern, "/1031/pumpkin", "Community", "Pumpkin of 212 kilos declines to be carved",
			`<p>“We broke two knives and then we <em>respected</em> it,” said the committee.</p>`},
	}},
	{"2026-11-01", []item{
		{drum, "/1101/breakfast", "美食", "胡同早点地图更新：豆汁儿店仍有十七家",
			`<p>编辑部为此喝了十七碗。本条新闻由<strong>第十八位编辑</strong>写成。</p>`},
		{naranjo, "/1101/flores", "Ciudad", "El mercado de flores vende su último crisantemo a mediodía",
			`<p>«Todos los años digo que traeré más», cuenta la florista. «Y todos los años traigo más».</p>`},
		{tideline, "/1101/mar", "Cidade", "Novembro começa sem uma onda",
			`<p>Os pescadores aproveitaram para <em>remendar redes e contar histórias</em>.</p>`},
	}},
	{"2026-11-07", []item{
		{lakeside, "/1107/winter", "风物", "立冬，湖上第一批野鸭到了",
			`<p>比去年早两天，共四十一只，领头的那只缺一根尾羽，已是<em>连续第三年</em>。</p>`},
		{apple, "/1107/snow", "Погода", "Первый снег застал город в летних шинах",
			`<p>Зато дети были готовы <strong>с сентября</strong>.</p>`},
	}},
	{"2026-11-08", []item{
		{canals, "/1108/pingtan", "文化", "园林里的周日评弹，雨天也不停",
			`<p>书场只有四十把椅子，窗外却常站着一百个人。</p>`},
		{lane, "/1108/specimens", "展讯", "植物标本小展延期至年底",
			`<p>观众最多停留的一张，“采于路边”，没有名字。</p>`},
	}},
	{"2026-11-13", []item{
		{grottoes, "/1113/keeper", "人物", "守窟二十六年，他每天先说一声“早”",
			`<p>“它们听了一千五百年，不差我这一句。可是我差。”</p>`},
		{sky, "/2026/11/13", "Science", "Leonid meteors: the best nights are still to come",
			`<p>The peak is expected around the 17th. No telescope needed, only <em>a blanket and a friend</em>.</p>`},
	}},
	{"2026-11-15", []item{
		{drum, "/1115/heating", "民生", "今天零时正式供暖",
			`<p>热线一早接到的第一个电话是：“能不能小一点？我家猫不肯下来。”</p>`},
		{hills, "/1115/ginkgo", "风物", "银杏大道最黄的三天",
			`<p>清洁工人把落叶扫成了一颗心，<strong>留到周二</strong>再清。</p>`},
	}},
}

// clippings returns the records of all news. The URL identifies each.
func (p *plan) clippings() (all []imported.Draft) {
	for _, d := range daysOfNews {
		day, err := event.ParseDate(d.day)
		p.note(err)
		for _, i := range d.items {
			all = append(all, imported.NewsDraft{
				ID: imported.SourceID(i.from.url + i.path), SiteName: i.from.site, URL: i.from.url + i.path, Title: i.title,
				Released: day, HTML: i.html, Category: i.category, City: i.from.city, District: i.from.district,
				Province: i.from.province, Country: i.from.country,
			})
		}
	}
	return all
}
