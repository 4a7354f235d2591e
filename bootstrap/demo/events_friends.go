package demo

import (
	"time"

	"plaza/domain/event"
)

// Gu Qing measures old roofs in Beijing and has a cat.
var qingDiary = []entry{
	{
		key: "niangao", at: "2026-10-02 21:30", category: neighbours,
		title:   "年糕来了",
		content: "北京市东城区，胡同口，一只小白猫跟着我走了三个路口。我停它也停。第四个路口，我把门留着没关。",
	},
	{
		key: "roofs", at: "2026-10-04 19:20", permission: event.Contact, category: buildings,
		title:   "在屋顶上",
		content: "今天在大殿的屋脊上量了一天瓦。风一停，能听见全北京的鸽哨。这一段先只给你们看，图还没交。",
	},
	{
		key: "beasts", at: "2026-10-07 20:10", category: buildings,
		title:   "屋檐上的小兽",
		content: "常有人问屋檐上那一排小兽叫什么。从前往后：龙、凤、狮子、天马、海马、狻猊、押鱼、獬豸、斗牛、行什。最后那位长着翅膀，只有一座殿请得起。",
		html: `<p>常有人问屋檐上那一排小兽叫什么。从前往后：</p>
<ol><li>龙</li><li>凤</li><li>狮子</li><li>天马</li><li>海马</li><li>狻猊</li><li>押鱼</li><li>獬豸</li><li>斗牛</li><li>行什</li></ol>
<p>最后那位长着翅膀，<em>只有一座殿</em>请得起。</p>`,
	},
	{
		key: "wall", at: "2026-10-10 18:00", category: cycling,
		title:   "城墙上骑一圈",
		content: "出差到西安，收工早，租辆车在城墙上骑了一圈，十三点七公里。落日先在左手边，后来到了右手边，像有人替我举着灯，中途换了一次手。",
	},
	{
		at: "2026-10-12 23:40", permission: event.Private,
		title:   "记一笔",
		content: "今天图纸错了一根椽子，没人发现。明天一早去改，顺便向它道歉。",
	},
	{
		at: "2026-10-14 22:00", draft: true, category: buildings,
		title:   "斗拱入门，给不想入门的人",
		content: "先拿三块积木……（这里要画图）",
	},
	{
		key: "cake", at: "2026-10-18 12:10", category: kitchen,
		title:   "重阳糕",
		content: "给北京的工地师傅们带了一大盒重阳糕。王师傅六十三了，说自己不算老人，于是拿了三块年轻人的份。",
	},
	{
		at: "2026-10-22 21:10", permission: event.Contact, draft: true,
		title:   "予安来的时候要做的事",
		content: "晒被子。给猫讲道理。别一见面就谈屋顶。",
	},
	{
		key: "moon-qing", at: "2026-10-26 21:15", permission: event.Contact,
		title:   "鼓楼上的月亮",
		content: "加班的好处：全北京看月亮的人里，今晚我站得第二高。第一高的是脊上那只小兽。",
	},
	{
		key: "guest", at: "2026-10-31 22:50", permission: event.Contact,
		title:   "客人到了",
		content: "她带来一只自己做的碗，底是歪的，放在桌上会慢慢转一个小圈。我说这是优点。年糕用它喝了水。",
	},
	{
		key: "douzhi-qing", at: "2026-11-01 21:00", category: breakfast,
		title:   "两个人的豆汁儿",
		content: "为了公平，我也喝了一碗。来北京十二年，头一回。请替我保密。",
	},
	{
		at: "2026-11-06 23:10", permission: event.Private, draft: true,
		content: "今天想明白一件事，明天再写。",
	},
	{
		key: "roof-rain", at: "2026-11-07 20:40", category: buildings,
		title: "A roof in the rain",
		content: "The best time to learn a roof is in the rain. You stand underneath, look up, and it tells you where it hurts. " +
			"This one, four hundred years old, complained of exactly one tile.",
	},
	{
		key: "datong", at: "2026-11-13 21:45", category: buildings,
		title:   "大同，云冈",
		content: "在山西大同待了三天。云冈最大的那尊佛，耳朵比我高。守窟的大爷每天早上进门先说一声“早”，说了二十六年。",
	},
	{
		key: "heating", at: "2026-11-15 20:05", shownAfter: 40 * time.Minute, category: everyday,
		title:   "暖气来了",
		content: "北京今天正式供暖。年糕花了一整个下午，把三组暖气片都躺了一遍，最后选了我看书那一组。",
	},
	{
		at: "2026-11-18 23:55", permission: event.Private,
		title:   "十二年",
		content: "来这座城整十二年。箱子还是那一只，里面多了一千多张图和几根白猫毛。",
	},
	{
		key: "door", at: "2026-11-19 22:10", permission: event.Contact,
		title:   "年糕会开门了",
		content: "先站起来，再把下巴搭在门把上，往下一坐。它练了三天。这件事先只告诉你们，别让它知道我知道。",
	},
}

// Inés makes pots in València and teaches it to whoever asks.
var inesDiary = []entry{
	{
		key: "barro", at: "2026-10-04 21:30", category: clay,
		title: "Día de barro",
		content: "Cuarenta piezas torneadas, dos rotas, una que no sé qué quiere ser. La he dejado en la ventana: " +
			"mañana me lo dirá.",
	},
	{
		key: "nou", at: "2026-10-09 23:00", category: neighbours,
		title: "Nou d’Octubre",
		content: "Al carrer, tot el barri: dolçaines, tabals i una xiqueta que em preguntava si els gegants dormen drets. " +
			"Li he dit que sí, però amb un ull obert.",
	},
	{
		key: "arroz", at: "2026-10-12 17:30", category: kitchen,
		title:   "Arroz sin prisa",
		content: "Fuego de leña, nadie mirando el reloj y mi tío mandando callar para oír el arroz. Así sale bien.",
		html: `<p>Lo que de verdad lleva:</p>
<ul><li>arroz del año, sin lavar</li><li>judía verde ancha y garrofó</li><li>fuego de leña de naranjo</li><li><strong>nadie</strong> mirando el reloj</li></ul>
<p>Y mi tío mandando callar para <em>oír</em> el arroz.</p>`,
	},
	{
		key: "caja", at: "2026-10-18 20:10", permission: event.Contact, category: clay,
		title:   "Una caja para Lyon",
		content: "Seis cuencos para el pan de Camille, envueltos en periódicos viejos. Que nadie le diga nada todavía.",
	},
	{
		at: "2026-10-20 19:00", draft: true, category: clay,
		title:   "Esmaltes: lo que salió mal (y por qué me gusta)",
		content: "El verde que tenía que ser azul. El azul que no fue nada.",
	},
	{
		key: "moon-ines", at: "2026-10-26 22:00", category: water,
		title:   "La luna sobre la Albufera",
		content: "Apagamos el motor de la barca. La luna estaba arriba y abajo, y en medio nosotros, sin saber a cuál mirar.",
	},
	{
		key: "flores", at: "2026-11-01 13:20", category: family,
		title:   "Flores para la abuela",
		content: "Le llevé crisantemos y le conté lo del horno nuevo. Ella siempre decía que el fuego hay que saludarlo. Lo saludo.",
	},
	{
		at: "2026-11-04 23:45", permission: event.Private,
		title:   "Cuentas del taller",
		content: "Noviembre justo, diciembre bien. Respirar.",
	},
	{
		key: "far-bowl", at: "2026-11-08 19:00", category: clay,
		title: "A bowl from far away",
		content: "A parcel from China: a bowl with a crooked foot and a note, “Number four. It turns.” It does. " +
			"I have set it going on the shelf by the door, so that whoever comes in is greeted.",
	},
	{
		key: "alumna", at: "2026-11-14 18:30", category: clay,
		title: "Mi alumna me escribe",
		content: "Hoy mi alumna ha escrito su primer párrafo en español. Yo llevo un mes intentando dibujar su nombre. " +
			"El trazo largo siempre se me va a la derecha.",
	},
	{
		at: "2026-11-16 20:00", permission: event.Contact, draft: true,
		content: "Idea: una mesa con cuencos de todos los que aprenden conmigo, cada uno con su sopa.",
	},
	{
		at: "2026-11-17 08:00", permission: event.Private, draft: true,
		title: "Llamar al banco",
	},
}
