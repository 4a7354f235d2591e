package demo

import (
	"time"

	"plaza/domain/event"
)

// Yu'an lives in Hangzhou, photographs plants, and visits Gu Qing in Beijing at
// the end of October.
var yuanOctober = []entry{
	{
		key: "hundred-days", at: "2026-10-02 20:15", category: neighbours,
		title:   "搬来杭州的第一百天",
		content: "住进杭州市西湖区这间老屋，整整一百天了。窗外的桂花昨夜忽然开了，楼下的陈阿婆送来一小罐桂花糖，说：“这下你算本地人了。”",
		html: `<p>住进杭州市西湖区这间老屋，整整<strong>一百天</strong>了。窗外的桂花昨夜忽然开了。</p>
<p>楼下的陈阿婆送来一小罐桂花糖，说：</p><blockquote>这下你算本地人了。</blockquote>`,
	},
	{
		key: "taro", at: "2026-10-03 18:40", category: kitchen,
		title:   "桂花糖芋艿",
		content: "用阿婆的桂花糖，做了第一锅糖芋艿。火候差一点，香气一点没差。",
		html: `<p>用阿婆的桂花糖，做了第一锅糖芋艿：</p>
<ul><li>小芋艿一斤，蒸熟再剥皮，不痒手</li><li>红糖两勺，水没过芋艿</li><li>小火煮到汤浓，关火，<em>最后</em>才放桂花糖</li></ul>
<p>火候差一点，香气一点没差。</p>`,
	},
	{
		key: "rain", at: "2026-10-04 21:05", category: walks,
		title:   "雨里的满觉陇",
		content: "下着小雨去杭州西湖边的满觉陇看桂花。花落在伞上，一把黑伞走成了金色的。卖茶的姑娘说，雨天的桂花最香，只是没人来闻。",
	},
	{
		key: "mid-autumn", at: "2026-10-05 20:00", day: "2026-09-25", category: family,
		title:   "中秋补记",
		content: "那天还没有这本日记，补上：外婆把月饼切成八瓣，先给墙上的外公留了一瓣，再问他：“还是莲蓉的，行不行？”",
	},
	{
		key: "unsent", at: "2026-10-05 23:30", permission: event.Private,
		title:   "没有寄出的信",
		content: "爸：你留下的那台相机我修好了，快门声还是那么响。第一张拍的是窗台上的薄荷，拍虚了。你要是在，一定笑我。",
	},
	{
		key: "call", at: "2026-10-06 22:10", permission: event.Contact,
		title:   "和顾清说好了",
		content: "视频聊到十点，说好月底去北京看红叶，住她家，和猫挤一挤。她说被子已经晒好了，还有二十四天呢。",
	},
	{
		key: "cold-dew", at: "2026-10-08 07:20", category: garden,
		content: "寒露。薄荷谢了，菊花开了一朵。早上浇水时第一次觉得水凉。",
	},
	{
		key: "bowl", at: "2026-10-10 22:40", category: clay,
		title: "Learning to throw a bowl",
		content: "Third online lesson with Inés, third bowl that became a plate. She says clay remembers every hurry. " +
			"Tonight I was not in a hurry, and for one whole minute there was a bowl.",
		html: `<p>Third online lesson with Inés, third bowl that became a plate. She says clay remembers every hurry.</p>
<p>Tonight I was not in a hurry, and for <em>one whole minute</em> there was a bowl.</p>`,
	},
	{
		at: "2026-10-11 16:00", draft: true, category: kitchen,
		title:   "柿子的一百种吃法（写到第七种）",
		content: "一、硬着吃。二、等它软。三、晒成饼。四、冻一夜，用勺子挖。五、拌酸奶。六、做果酱。七、送给邻居。",
	},
	{
		key: "roll-call", at: "2026-10-13 19:30", category: garden,
		title:   "给阳台上的植物点名",
		content: "薄荷，到。文竹，到。迷迭香，到。上个月以为已经枯了的茉莉——居然也到。",
		html:    `<p>薄荷，到。<br>文竹，到。<br>迷迭香，到。</p><p>上个月以为已经枯了的茉莉——<strong>居然也到。</strong></p>`,
	},
	{
		key: "sweater", at: "2026-10-15 21:15", permission: event.Contact, category: family,
		title:   "妈妈寄来的毛衣",
		content: "袖子长了两寸。她记得的，好像一直是我还会长个子的那几年。卷一道边，正好。",
	},
	{
		key: "exhibition", at: "2026-10-17 22:00", category: craft,
		title:   "去上海看一个很小的展",
		content: "早班火车去上海，在上海市徐汇区一间老洋房里看植物标本展。一共二十三张，看了三个小时。最喜欢的一张写着：“采于路边，无人注意处。”",
		html: `<p>早班火车去上海，在上海市徐汇区一间老洋房里看植物标本展。一共二十三张，看了三个小时。</p>
<p>最喜欢的一张写着：</p><blockquote>采于路边，无人注意处。</blockquote>`,
	},
	{
		key: "double-ninth", at: "2026-10-18 17:45", category: mountains,
		title: "重阳，陪外婆登高",
		content: "外婆八十一了，说什么也要登杭州的宝石山。两百多级台阶，我们走了一个钟头，歇了九次，她说这叫“重阳九歇”。" +
			"山顶上她指着西湖说：“你看，和我小时候一样，就是游船多了。”",
		html: `<p>外婆八十一了，说什么也要登杭州的宝石山。两百多级台阶，我们走了一个钟头，歇了九次，她说这叫<strong>“重阳九歇”</strong>。</p>
<p>山顶上她指着西湖说：</p><blockquote>你看，和我小时候一样，就是游船多了。</blockquote>`,
	},
	{
		at: "2026-10-20 12:30", permission: event.Private,
		content: "体检结果出来了，一切都好。在医院门口的长椅上坐了一会儿，晒着太阳，什么也没想。",
	},
	{
		at: "2026-10-21 23:50", permission: event.Contact, draft: true,
		title:   "清儿的生日（先不能发！）",
		content: "蛋糕订六寸的，栗子味。礼物：那本绝版的《木构图说》，书店老板答应替我留到月底。",
	},
	{
		key: "frost", at: "2026-10-23 08:10", category: breakfast,
		title:   "霜降吃柿子",
		content: "外婆说霜降吃了柿子，冬天不流鼻涕。今年的柿子在窗台上排了一排，像一队小灯笼，我每天早上吃掉一盏。",
	},
	{
		key: "wind", at: "2026-10-24 18:20", category: cycling,
		title:   "江边的风",
		content: "沿着杭州市滨江区的绿道骑了二十公里，来回都是逆风。不知道怎么做到的，钱塘江一定知道。",
	},
	{
		key: "moon-yuan", at: "2026-10-26 20:30", category: garden,
		title:   "阳台上的月亮",
		content: "杭州今晚没有云。都说十五的月亮十六圆，这个月要等到十七。关了灯，月光正好照到茉莉那一盆。听说好多人都约好今晚抬头，我也算一个。",
	},
	{
		key: "tide", at: "2026-10-28 15:40", category: water,
		title:   "看潮",
		content: "天没亮就坐车去嘉兴，在海宁市的江堤上等潮。先是一条白线，然后是声音，然后所有人都不说话了。",
	},
	{
		key: "train", at: "2026-10-30 13:05", category: outdoors,
		title:   "去北京的路上",
		content: "从杭州出发的时候还穿短袖，车过了济南，大家都开始翻外套。离北京还有一个多小时，顾清发来消息：“猫已经被告知。”",
	},
	{
		key: "red-leaves", at: "2026-10-31 20:45", shownAfter: 11 * time.Hour, category: mountains,
		title:   "香山的红叶，和比红叶还多的人",
		content: "北京市海淀区，香山。上山两小时，其中一小时在排队。可是转过最后一个弯，满山的红忽然全在脚下，谁也不抱怨了。",
		html: `<p>北京市海淀区，香山。上山两小时，其中一小时在排队。</p>
<p>可是转过最后一个弯，<em>满山的红忽然全在脚下</em>，谁也不抱怨了。</p>`,
	},
}

var yuanNovember = []entry{
	{
		key: "douzhi-yuan", at: "2026-11-01 10:20", category: breakfast,
		title:   "胡同里的早饭",
		content: "顾清带我去北京市东城区的胡同里喝豆汁儿。她看着我喝下第一口，笑得把焦圈掉进了碗里。我喝完了，我可是喝完了的。",
	},
	{
		key: "cat", at: "2026-11-01 23:05", permission: event.Contact,
		title:   "年糕其猫",
		content: "年糕白天不理我，半夜踩着我的肚子去看窗外。最后一晚它把下巴搁在我手背上，三分钟。三分钟也算。",
	},
	{
		key: "chestnuts", at: "2026-11-03 19:50", day: "2026-11-02", category: kitchen,
		title: "Home again, with chestnuts",
		content: "Two kilos of roasted chestnuts came home with me on the train. By the time we reached the river there was " +
			"one kilo left, and the whole carriage smelled of autumn.",
	},
	{
		at: "2026-11-05 22:00", permission: event.Private,
		title:   "存钱计划，第三版",
		content: "少买书（做不到）。少喝咖啡（做不到）。明年春天带外婆坐一次飞机（要做到）。",
	},
	{
		key: "winter", at: "2026-11-07 19:15", category: family,
		title:   "立冬，包饺子",
		content: "杭州人立冬不一定吃饺子，可是顾清在电话那头监督，我只好包了四十个。外婆尝了一个，说：“下回还是我来包馄饨吧。”",
		html: `<p>杭州人立冬不一定吃饺子，可是顾清在电话那头监督，我只好包了四十个。</p>
<p>外婆尝了一个，说：“下回<em>还是我来包馄饨</em>吧。”</p>`,
	},
	{
		key: "suzhou", at: "2026-11-08 21:30", category: buildings,
		title:   "苏州一日",
		content: "去苏州市姑苏区看园子。人家的窗子是用来看竹子的，竹子是用来听雨的，雨今天没来，我们就听了一下午评弹。",
	},
	{
		at: "2026-11-10 00:20", permission: event.Private, draft: true,
		title:   "年末想说的话",
		content: "还有五十来天，先把开头写下：这一年我学会了做碗，虽然每一只都还站不太稳。",
	},
	{
		key: "library", at: "2026-11-12 21:40", category: books,
		title:   "夜里的图书馆",
		content: "图书馆闭馆前一小时最安静，灯一排一排地暗下去，像有人轻轻合上一本很大的书。",
	},
	{
		key: "spanish", at: "2026-11-14 20:00", category: books,
		title: "Mi primer párrafo en español",
		content: "Hoy escribo en español por primera vez. Tengo una taza, un gato que no es mío y muchas faltas. " +
			"La taza la hice yo. Las faltas también.",
	},
	{
		key: "grandmother", at: "2026-11-15 20:35", permission: event.Contact, category: family,
		title:   "外婆的电话",
		content: "外婆打来电话，说新买的手机会自己说话，她每天早上同它道早安。我问它怎么答，她说：“它客气得很，比你舅舅强。”",
	},
	{
		key: "ginkgo", at: "2026-11-17 12:15", category: walks,
		content: "午休时在路口捡到今年第一片全黄的银杏叶，没有一点斑。夹进书里以前，先让对面等红灯的小朋友看了一眼。",
	},
	{
		at: "2026-11-18 22:30", draft: true, category: cycling,
		title: "龙井骑行路线（照片待补）",
	},
	{
		key: "kiln", at: "2026-11-19 18:10", category: clay,
		title:   "它站住了",
		content: "第九只碗出窑，放在桌上，不晃。盛了一碗热汤，端给外婆。她看了半天，说：“这只，像样。”",
		html:    `<p>第九只碗出窑，放在桌上，<strong>不晃</strong>。</p><p>盛了一碗热汤，端给外婆。她看了半天，说：“这只，像样。”</p>`,
	},
}
