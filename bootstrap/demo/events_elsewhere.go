package demo

import (
	"time"

	"plaza/domain/event"
)

// Nora keeps the house in order. Her diary is everybody's; her drafts are not.
var noraDiary = []entry{
	{
		key: "welcome", at: "2026-10-05 09:30", category: neighbours,
		title: "House notes: welcome",
		content: "Twelve of us now, living by eight different clocks. Two house rules: what you write for your contacts stays " +
			"with your contacts, and nobody has to be interesting every day.",
		html: `<p>Twelve of us now, living by eight different clocks. Two house rules:</p>
<ol><li>what you write for your contacts stays with your contacts;</li><li>nobody has to be interesting every day.</li></ol>`,
	},
	{
		key: "look-up", at: "2026-10-20 18:45", category: everyday,
		title: "Look up on Monday",
		content: "The moon is full on the 26th. Wherever you are, go out for a minute that evening and write down what you " +
			"see. Clouds count.",
	},
	{
		key: "moon-nora", at: "2026-10-26 19:40", category: walks,
		content: "Clouds. But every dog in the park was looking the same way, so I took their word for it.",
	},
	{
		at: "2026-11-09 17:00", draft: true,
		title:   "House notes: December (outline)",
		content: "Recipes? The first thing you remember of snow? Ask those who have none.",
	},
}

// Camille gets up at three and bakes for half a street of Lyon.
var camilleDiary = []entry{
	{
		key: "pain", at: "2026-10-04 13:10", category: breakfast,
		title: "Le premier pain d’octobre",
		content: "La farine nouvelle est arrivée, plus nerveuse que l’ancienne. Première fournée trop plate, deuxième trop " +
			"fière, troisième parfaite. Les voisins ont mangé les trois.",
	},
	{
		key: "colis", at: "2026-10-18 19:30", permission: event.Contact,
		title:   "Quelque chose arrive d’Espagne",
		content: "Le facteur jure que le paquet fait « un bruit de bol ». Je fais semblant de ne rien savoir.",
	},
	{
		key: "moon-camille", at: "2026-10-26 23:20", category: walks,
		title:   "Lune, quelques heures avant le four",
		content: "Je devrais dormir. Mais du pont on voyait la lune flotter sur la Saône, toute ronde, bien cuite.",
	},
	{
		at: "2026-11-06 14:00", permission: event.Private,
		content: "Quinze ans que j’ai ouvert. Personne ne le sait, sauf le four.",
	},
	{
		key: "nouveau", at: "2026-11-19 21:00", category: neighbours,
		title:   "Le nouveau est arrivé",
		content: "Toute la rue dans la boutique, le pain encore chaud, le vin encore vert. On a chanté juste, au moins au début.",
		html: `<p>Toute la rue dans la boutique, le pain encore chaud, le vin encore vert.</p>
<p>On a chanté juste, <em>au moins au début</em>.</p>`,
	},
}

// Nagi walks through Kyoto with a thermos flask.
var nagiDiary = []entry{
	{
		key: "kinmokusei", at: "2026-10-04 17:50", category: garden,
		title:   "金木犀",
		content: "角を曲がったら、姿より先に香りが来た。予安さんの町でも咲いたと読んで、少し近くなった気がする。",
	},
	{
		key: "kurigohan", at: "2026-10-18 19:00", category: kitchen,
		title:   "栗ごはん",
		content: "栗をむくのに二時間、炊くのに四十分、食べるのに七分。それでも毎年つくる。",
	},
	{
		key: "moon-nagi", at: "2026-10-26 20:10", category: water,
		title:   "川の上の月",
		content: "鴨川の飛び石に座って、水筒のお茶を飲む。月が流れていかないのが不思議だった。",
	},
	{
		key: "bunka", at: "2026-11-03 16:30", category: books,
		title:   "古本まつりの戦利品",
		content: "百円の植物図鑑を一冊。前の持ち主の押し花が、まだ三つ挟まっていた。",
	},
	{
		key: "letter", at: "2026-11-07 21:00", permission: event.Contact,
		title:   "予安さんへの小包",
		content: "図鑑の押し花をひとつ、そちらへ送ります。名前がわかったら教えてください。",
	},
	{
		key: "momiji", at: "2026-11-15 16:40", category: walks,
		title:   "紅葉、七分",
		content: "京都の約束の二週間。橋の上は人でいっぱいだったので、橋の下から見上げた。葉の裏のほうが、すこし早く赤い。",
	},
	{
		key: "names", at: "2026-11-19 21:20", permission: event.Contact, category: books,
		title:   "名札がふたつ",
		content: "予安さんの手紙が届いて、図鑑の押し花のうち二つに名前がついた。最後のひとつは、まだ知らないままでいてほしい気もする。",
	},
}

// Owen rings church bells in London, on Sundays and when it matters.
var owenDiary = []entry{
	{
		key: "ringing", at: "2026-10-04 20:15", category: music,
		title: "Eight bells, seven ringers",
		content: "Short of one, so the vicar took the treble. She has perfect timing and no idea, which is the best way " +
			"round.",
	},
	{
		key: "tower", at: "2026-10-18 18:30", permission: event.Contact, category: music,
		title:   "The tower captain wobbles",
		content: "Margery says it is her last winter up those stairs. She has said so for nine winters. I have oiled the handrail.",
	},
	{
		key: "clocks", at: "2026-10-25 11:00", category: everyday,
		title: "The clocks went back",
		content: "An extra hour, and I spent it walking round the house asking each clock what it thought the time was. " +
			"Four opinions.",
	},
	{
		key: "moon-owen", at: "2026-10-26 20:45", category: walks,
		title:   "Moon over the allotments",
		content: "Enough light to see that somebody has won the marrow competition and left the evidence on my plot.",
	},
	{
		key: "bonfire", at: "2026-11-05 22:10", category: neighbours,
		title:   "Bonfire, drizzle, soup",
		content: "The fire would not catch until everyone had stopped giving advice. Then it went up like a choir.",
	},
	{
		key: "practice", at: "2026-11-20 08:15", category: music,
		title: "Practice night",
		content: "Seven of us, eight bells, and the vicar again. At the end we rang for a bowl in Hangzhou that has learned to " +
			"stand still. It cannot have heard us. That was never the point.",
	},
}

// Seo-yun lends books in Seoul.
var seoyunDiary = []entry{
	{
		key: "hangul", at: "2026-10-09 18:20", category: books,
		title:   "한글날의 도서관",
		content: "아이들이 가장 좋아하는 낱말을 종이에 써서 벽에 붙였다. ‘엄마’, ‘고양이’, ‘방학’, 그리고 ‘아직’.",
	},
	{
		key: "moon-seoyun", at: "2026-10-26 21:00", category: walks,
		title:   "옥상의 보름달",
		content: "도서관 문을 닫고 옥상에 올라갔다. 반납함보다 달이 더 꽉 찼다.",
	},
	{
		at: "2026-10-29 23:00", permission: event.Private,
		content: "오늘은 아무것도 안 했다. 잘했다.",
	},
	{
		key: "kimjang", at: "2026-11-14 19:40", permission: event.Contact, category: family,
		title:   "김장",
		content: "배추 서른 포기, 식구 여섯, 허리 여섯. 할머니는 맛만 보셨는데 제일 바쁘셨다.",
	},
}

// Vera grows apples below the mountains of Almaty.
var veraDiary = []entry{
	{
		key: "apples", at: "2026-10-18 16:00", category: garden,
		title:   "Последние яблоки",
		content: "Собрали апорт. Самое большое яблоко не влезло в кружку, которой мы их меряем. Съели его стоя, по очереди.",
	},
	{
		key: "moon-vera", at: "2026-10-26 22:30", category: mountains,
		title:   "Луна над горами",
		content: "Вышла закрыть сад и осталась на час. Снег на вершинах светился сам, без электричества.",
	},
	{
		key: "snow", at: "2026-11-07 08:30", category: garden,
		title:   "Первый снег",
		content: "Укрыла розы, укрыла клубнику, хотела укрыть соседскую кошку — ушла, у неё своя шуба.",
	},
}

// Amal writes beautifully in Rabat, for herself and for weddings.
var amalDiary = []entry{
	{
		key: "ink", at: "2026-10-18 21:00", category: craft,
		title:   "حبر جديد",
		content: "جرّبت اليوم حبرًا من قشر الرمّان. لونه يتغيّر وهو يجفّ، كأنّه يفكّر.",
	},
	{
		key: "moon-amal", at: "2026-10-26 20:20", category: water,
		title:   "قمر فوق البحر",
		content: "جلسنا على السور حتى صار البحر فضّة. قالت أختي الصغيرة: من أطفأ النجوم؟",
	},
	{
		at: "2026-11-01 23:00", permission: event.Contact, category: family,
		title:   "دفتر جدّتي",
		content: "وجدت دفتر وصفاتها. المقادير كلّها بكلمة واحدة: «حتى يكفي».",
	},
	{
		at: "2026-11-11 22:00", draft: true, category: craft,
		title: "خطّ اسمٍ صينيّ بالقصب؟",
	},
}

// Beatriz swims in the sea off Recife before work.
var beatrizDiary = []entry{
	{
		key: "moon-beatriz", at: "2026-10-26 19:00", category: water,
		title:   "Lua na maré cheia",
		content: "A maré subiu até o último degrau para ver a lua mais de perto. Eu subi junto.",
	},
	{
		key: "mar", at: "2026-11-01 07:40", category: water,
		title:   "Mar de vidro",
		content: "Seis da manhã, nenhuma onda. Nadei até a boia e voltei devagar, com pena de desarrumar a água.",
	},
	{
		key: "bolo", at: "2026-11-08 16:10", category: kitchen,
		title:   "Bolo de rolo, tentativa nº 4",
		content: "Desta vez enrolou. Doze voltas! Fotografei, mostrei a todo mundo, e só então lembrei do açúcar.",
	},
}

// Meera teaches mathematics in Pune.
var meeraDiary = []entry{
	{
		key: "zero", at: "2026-10-18 20:00", category: books,
		title:   "शून्य की कक्षा",
		content: "एक बच्ची ने पूछा: अगर शून्य कुछ नहीं है, तो हम उसे लिखते क्यों हैं? आज का सबसे अच्छा सवाल। जवाब कल।",
	},
	{
		key: "moon-meera", at: "2026-10-26 20:50", category: everyday,
		title:   "छत पर चाँद",
		content: "पूरी कक्षा को होमवर्क दिया था: चाँद देखो और नापो। सबसे अच्छा उत्तर: “मेरे अँगूठे से छोटा।”",
	},
	{
		key: "diwali", at: "2026-11-08 22:15", shownAfter: 9 * time.Hour, category: family,
		title:   "दीये",
		content: "इक्यावन दीये, एक माचिस, और हवा की थोड़ी-सी मेहरबानी। आख़िरी दीया पड़ोस की दादी ने जलाया।",
	},
}
