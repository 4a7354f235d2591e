package demo

import (
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/imported"
)

// wish is a demand. Its times are in the author's time zone.
type wish struct {
	by       handle
	at       string
	category feed.CategoryID
	place    *geo.Point
	address  string
	closed   string
	start    string
	end      string
	tags     []string
	draft    bool
	title    string
	about    string
}

// spot returns a point. Some points of each town are within the default five kilometres of its
// centre, others are not.
func spot(lat, lng float64) *geo.Point { return &geo.Point{Lat: lat, Lng: lng} }

// wishDraft returns the record of the demand.
func (p *plan) wishDraft(id demand.ID, w wish) imported.Draft {
	created := p.instant(w.by, w.at)
	p.happens(created, w.by, "wants "+w.title)
	draft := imported.DemandDraft{
		ID: id, Title: w.title, Description: w.about, Tags: w.tags, Author: imported.SourceID(w.by),
		Address: w.address, Category: w.category,
		Closed: p.instant(w.by, w.closed), Start: p.instant(w.by, w.start), End: p.instant(w.by, w.end),
		Published: !w.draft, Created: created, Cover: cover(p, "wish", id, wishCovers),
	}
	if w.place != nil {
		draft.Lat, draft.Lng = &w.place.Lat, &w.place.Lng
	}
	return draft
}

// wishes are the demands, in the order of their ids.
var wishes = []wish{
	// Hangzhou, 30.2741 N 120.1551 E.
	{by: yuan, at: "2026-11-02 09:00", category: neighbours, place: spot(30.2592, 120.1489), address: "杭州市西湖区，湖边",
		closed: "2026-12-10 18:00", start: "2026-12-12 09:00", end: "2026-12-12 11:30",
		tags: []string{"搬家", "周末"}, title: "帮外婆搬一张八仙桌", about: "三楼到一楼，没有电梯。桌子很沉，外婆很轻快，会在旁边指挥。"},
	{by: yuan, at: "2026-11-05 20:20", category: neighbours, place: spot(30.2861, 120.1683), address: "杭州市拱墅区，武林门附近",
		closed: "2026-12-01 12:00", start: "2026-12-05 14:00", end: "2026-12-05 17:00",
		tags: []string{"手机", "教学"}, title: "教八十一岁的学生用手机", about: "想学拍花和发语音。学生认真，请慢一点。"},
	{by: nagi, at: "2026-11-08 10:00", category: neighbours, place: spot(30.2467, 120.1702), address: "杭州市上城区，南宋御街",
		closed: "2027-03-15 18:00", start: "2027-04-02 09:00", end: "2027-04-02 17:00",
		tags: []string{"口译", "散步"}, title: "Walk and interpret, Japanese and Chinese", about: "One spring day in the old streets. Slow pace, many stops at doors."},
	{by: yuan, at: "2026-11-12 08:10", category: neighbours, place: spot(30.3012, 120.1401), address: "杭州市拱墅区，运河边",
		closed: "2026-12-20 20:00", start: "2026-12-22 07:30", end: "2026-12-22 10:00",
		tags: []string{"冬至", "厨房"}, title: "冬至一起搓汤圆", about: "缺两双手，管饱。会唱歌的优先，不会的也行。"},
	{by: qing, at: "2026-11-13 19:00", category: neighbours, place: spot(30.2089, 120.1905), address: "杭州市滨江区，江边",
		closed: "2026-12-24 18:00", start: "2026-12-27 10:00", end: "2026-12-27 16:00",
		tags: []string{"测量", "老房子"}, title: "量一座江边老仓库", about: "需要一位拿尺子另一头的人。戴手套，别怕灰。"},
	{by: yuan, at: "2026-11-15 21:00", category: neighbours, place: spot(30.2183, 120.1016), address: "杭州市西湖区，龙井村",
		closed: "2027-03-20 18:00", start: "2027-03-28 06:00", end: "2027-03-28 12:00",
		tags: []string{"采茶", "清早"}, title: "明前茶，找人一起采", about: "天亮就上山，中午下来。手要轻，嘴要紧：好位置别告诉别人。"},
	{by: yuan, at: "2026-11-17 19:30", category: garden, place: spot(30.2790, 120.1312), address: "杭州市西湖区",
		closed: "2027-01-15 18:00", start: "2027-01-20 08:00", end: "2027-02-03 20:00",
		tags: []string{"浇花", "春节"}, title: "春节替我浇两周花", about: "十一盆，各有各的脾气，写了说明书。茉莉要同它说话。"},
	{by: seoyun, at: "2026-11-18 21:00", place: spot(30.2936, 120.2310), address: "杭州市，钱江新城",
		closed: "2027-02-20 18:00", start: "2027-03-06 10:00", end: "2027-03-06 12:00",
		tags: []string{"book exchange"}, title: "Bring one book, take one book", about: "Two hours, one long table. Marginal notes are welcome."},

	// Beijing, 39.9042 N 116.4074 E.
	{by: qing, at: "2026-11-03 20:00", category: buildings, place: spot(39.9390, 116.3967), address: "北京市东城区，鼓楼附近",
		closed: "2026-12-05 18:00", start: "2026-12-08 09:00", end: "2026-12-10 17:00",
		tags: []string{"木工", "修门"}, title: "修一扇开了一百年的门", about: "合页松了，门没错。要会看榫卯的师傅。"},
	{by: qing, at: "2026-11-06 21:00", category: neighbours, place: spot(39.9127, 116.4203), address: "北京市东城区",
		closed: "2026-12-18 18:00", start: "2026-12-26 09:00", end: "2027-01-02 20:00",
		tags: []string{"喂猫"}, title: "元旦陪年糕一周", about: "一天两顿，别信它说没吃。会踩肚子。"},
	{by: qing, at: "2026-11-10 19:00", category: cycling, place: spot(39.8885, 116.3868), address: "北京市西城区，宣武门外",
		closed: "2027-04-01 18:00", start: "2027-04-10 06:30", end: "2027-04-10 11:00",
		tags: []string{"骑行", "春天"}, title: "绕中轴线骑一圈，找领骑", about: "慢骑，逢门必停。我讲屋顶，你看路。"},
	{by: seoyun, at: "2026-11-14 20:00", category: books, place: spot(39.9563, 116.3370), address: "北京市海淀区",
		closed: "2027-01-10 18:00", start: "2027-01-16 13:00", end: "2027-01-16 17:00",
		tags: []string{"旧书", "借阅"}, title: "找一本旧版的菜谱", about: "封面是蓝的，第四十页有油渍。借来抄一页就还。"},
	{by: nagi, at: "2026-11-16 18:00", place: spot(39.9685, 116.4410), address: "北京市朝阳区",
		closed: "2027-02-01 18:00", start: "2027-02-06 09:00", end: "2027-02-06 12:00",
		tags: []string{"写真", "冬"}, title: "冬の朝の写真散歩", about: "氷の張った川辺を三時間。温かいお茶はこちらで用意します。"},

	// València, 39.4699 N 0.3763 W.
	{by: ines, at: "2026-11-04 12:00", category: clay, place: spot(39.4762, -0.3791), address: "València, barri del Carme",
		closed: "2026-12-09 20:00", start: "2026-12-12 10:00", end: "2026-12-12 14:00",
		tags: []string{"taller", "torno"}, title: "Dos manos para abrir el horno", about: "Salen sesenta piezas calientes. Guantes hay; nervios, mejor que no."},
	{by: ines, at: "2026-11-09 18:30", category: clay, place: spot(39.4561, -0.3520), address: "València, cerca del viejo cauce",
		closed: "2027-01-20 20:00", start: "2027-01-24 10:00", end: "2027-01-24 13:00",
		tags: []string{"mercado", "furgoneta"}, title: "Furgoneta para el mercado de enero", about: "Doce cajas que dicen frágil y lo dicen en serio."},
	{by: camille, at: "2026-11-11 15:00", category: breakfast, place: spot(39.4655, -0.3770), address: "València, Ruzafa",
		closed: "2027-02-10 12:00", start: "2027-02-14 04:00", end: "2027-02-14 08:00",
		tags: []string{"four", "pain"}, title: "Un four à partager, un matin", about: "Je viens voir Inés ; je voudrais cuire pour toute sa rue."},
	{by: ines, at: "2026-11-17 11:00", category: clay, place: spot(39.4790, -0.3045), address: "València, playa de la Malvarrosa",
		closed: "2027-05-01 20:00", start: "2027-05-08 09:00", end: "2027-05-08 19:00",
		tags: []string{"arena", "excursión"}, title: "Buscar arena para un esmalte", about: "Un cubo por persona, permiso pedido. Traed merienda."},

	// London, 51.5074 N 0.1278 W.
	{by: owen, at: "2026-11-02 20:00", category: music, place: spot(51.5137, -0.0995), address: "London, near the river",
		closed: "2026-12-20 20:00", start: "2026-12-31 22:30", end: "2027-01-01 00:30",
		tags: []string{"bells", "New Year"}, title: "An eighth ringer for New Year’s Eve", about: "We have seven. The tenor is patient. Cocoa at half past twelve."},
	{by: owen, at: "2026-11-08 19:00", category: music, place: spot(51.5290, -0.1255), address: "London, Bloomsbury",
		closed: "2027-01-09 20:00", start: "2027-01-16 10:00", end: "2027-01-16 16:00",
		tags: []string{"rope", "repair"}, title: "Somebody who can splice a rope", about: "Four ropes, two of them older than I am. Tea throughout."},
	{by: nora, at: "2026-11-12 12:00", category: books, place: spot(51.4941, -0.1440), address: "London, Pimlico",
		closed: "2027-03-01 12:00", start: "2027-03-05 10:00", end: "2027-03-05 13:00",
		tags: []string{"archive", "reading"}, title: "Three hours in an archive", about: "Read one parish letter aloud on the telephone. Legible hand, promised."},
	{by: owen, at: "2026-11-16 19:00", category: music, place: spot(51.4545, -0.1090), address: "London, Brixton",
		closed: "2027-02-20 20:00", start: "2027-02-27 14:00", end: "2027-02-27 17:00",
		tags: []string{"handbells", "school"}, title: "Handbells for thirty nine-year-olds", about: "Two helpers with good nerves and soft shoes."},

	// Without a place: online work.
	{by: nora, at: "2026-11-13 09:00", category: books,
		closed: "2027-01-31 23:00", start: "2027-02-01 09:00", end: "2027-02-28 18:00",
		tags: []string{"proofreading", "online"}, title: "A second pair of eyes for the house guide", about: "Forty pages, four languages. Any one of them will do."},
	{by: amal, at: "2026-11-15 17:00",
		closed: "2027-01-05 18:00", start: "2027-01-09 18:00", end: "2027-01-09 19:30",
		tags: []string{"خط", "online"}, title: "درسٌ بدرس: خطٌّ مقابل لغة", about: "أعلّمك حرفًا، وتعلّمني كلمة. ساعة ونصف عبر الشبكة."},

	// Taveuni: the date line runs through the island.
	{by: beatriz, at: "2026-11-16 10:00", category: water, place: spot(-16.8380, 179.9920), address: "Taveuni, Fiji",
		closed: "2027-06-01 12:00", start: "2027-06-20 08:00", end: "2027-06-20 18:00",
		tags: []string{"mar", "corais"}, title: "Contar corais dos dois lados de hoje", about: "De manhã a oeste da linha, à tarde a leste. Máscara própria."},

	{by: ines, at: "2026-11-18 23:00", category: clay, draft: true, place: spot(39.4702, -0.3768), address: "València",
		closed: "2027-03-01 20:00", start: "2027-03-15 10:00", end: "2027-03-19 22:00",
		tags: []string{"fallas"}, title: "Manos para una falla pequeña (borrador)", about: "Falta casi todo, menos la idea."},
}
