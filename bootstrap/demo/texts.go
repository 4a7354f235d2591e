package demo

import "plaza/domain/publication"

// texts are the publications by bundle: originals first, then their translations.
var texts = []text{
	{bundle: 1, writing: writing{
		by: yuan, at: "2026-10-09 20:00", updated: "2026-10-12 21:30", language: "zh", category: garden,
		title: "给植物拍一张证件照", summary: "不用好相机，只要一面白墙、一扇朝北的窗，和等一片叶子转过头来的耐心。"}},
	{bundle: 2, first: 1, from: 1, writing: writing{
		by: nora, at: "2026-10-14 18:00", language: "en", category: garden,
		title: "A passport photograph for a plant", summary: "No good camera needed: a white wall, a window to the north, and the patience to wait until a leaf turns its head."}},
	{bundle: 3, first: 1, from: 1, writing: writing{
		by: ines, at: "2026-10-15 11:00", language: "es", category: garden,
		title: "Foto de carné para una planta", summary: "No hace falta una buena cámara: una pared blanca, una ventana al norte y esperar a que la hoja vuelva la cara."}},
	// Translated from the English translation.
	{bundle: 4, first: 1, from: 2, writing: writing{
		by: camille, at: "2026-10-19 14:00", language: "fr", category: garden,
		title: "Photo d’identité d’une plante", summary: "Un mur blanc, une fenêtre au nord, et la patience d’attendre qu’une feuille tourne la tête."}},

	{bundle: 5, node: 1, kind: publication.MultiChapter, writing: writing{
		by: ines, at: "2026-10-11 10:00", updated: "2026-11-02 18:00", language: "es", category: clay,
		title: "El barro no tiene prisa", summary: "Un curso en tres tardes: amasar, centrar y equivocarse. El torno gira solo; lo difícil es no correr más que él."}},
	{bundle: 6, first: 5, from: 5, kind: publication.MultiChapter, writing: writing{
		by: nora, at: "2026-10-24 12:00", language: "en", category: clay,
		title: "Clay is in no hurry", summary: "A course of three afternoons: wedging, centring, getting it wrong. The wheel turns by itself; the hard part is not to outrun it."}},
	{bundle: 7, first: 5, from: 5, kind: publication.MultiChapter, writing: writing{
		by: yuan, at: "2026-11-04 22:00", language: "zh", category: clay,
		title: "泥土不着急", summary: "三个下午的课：揉泥、定中心、做错。转盘自己会转，难的是别跑到它前头去。"}},

	{bundle: 8, writing: writing{
		by: camille, at: "2026-10-08 15:00", language: "fr", category: breakfast,
		title: "Le levain de trois heures du matin", summary: "Ce qu’un boulanger apprend d’un bocal : le nourrir à l’heure, l’écouter, et ne jamais lui mentir sur la farine."}},
	{bundle: 9, first: 8, from: 8, writing: writing{
		by: owen, at: "2026-10-16 21:00", language: "en", category: breakfast,
		title: "The three-in-the-morning sourdough", summary: "What a baker learns from a jar: feed it on time, listen to it, and never lie to it about the flour."}},
	{bundle: 10, first: 8, from: 9, writing: writing{
		by: ines, at: "2026-10-21 19:30", language: "es", category: breakfast,
		title: "La masa madre de las tres", summary: "Lo que un tarro enseña a una panadera: darle de comer a su hora, escucharlo y no mentirle nunca sobre la harina."}},

	{bundle: 11, node: 4, kind: publication.MultiChapter, writing: writing{
		by: qing, at: "2026-10-13 21:00", updated: "2026-11-11 20:00", language: "zh", category: buildings,
		title: "读懂一座屋顶", summary: "从檐口读到屋脊：瓦记得雨，椽子记得人，只有小兽什么都记得。"}},
	{bundle: 12, first: 11, from: 11, kind: publication.MultiChapter, writing: writing{
		by: nora, at: "2026-11-15 16:00", language: "en", category: buildings,
		title: "How to read a roof", summary: "From the eaves up to the ridge: tiles remember rain, rafters remember people, and the small beasts remember everything."}},

	{bundle: 13, writing: writing{
		by: owen, at: "2026-10-17 17:00", language: "en", category: music,
		title: "Eight bells, seven friends", summary: "Somebody is always missing. How to ring a method for eight with whoever has come up the stairs."}},
	{bundle: 14, first: 13, from: 13, writing: writing{
		by: beatriz, at: "2026-10-29 10:00", language: "es", category: music,
		title: "Ocho campanas, siete amigos", summary: "Siempre falta alguien. Cómo tocar una melodía para ocho con quienes hayan subido la escalera."}},

	// The original is a draft, so the feed lists its translation.
	{bundle: 15, writing: writing{
		by: nora, at: "2026-10-22 09:00", language: "en", category: neighbours, draft: true,
		title: "House guide, second edition", summary: "Everything that we have agreed on so far, and the two things that we have not."}},
	{bundle: 16, first: 15, from: 15, writing: writing{
		by: seoyun, at: "2026-10-30 20:00", language: "zh", category: neighbours,
		title: "院规，第二版", summary: "到目前为止我们说好的一切，和还没说好的两件事。"}},

	// The translation was published first, from the manuscript.
	{bundle: 17, writing: writing{
		by: yuan, at: "2026-11-16 19:00", language: "zh", category: cycling,
		title: "江边骑行手册", summary: "二十公里绿道，七个水龙头，一家永远开着的修车铺。逆风不收费。"}},
	{bundle: 18, first: 17, from: 17, writing: writing{
		by: owen, at: "2026-11-09 19:00", language: "en", category: cycling,
		title: "A riverside riding book", summary: "Twenty kilometres of greenway, seven taps, and a repair shop that never closes. The headwind is free."}},

	{bundle: 19, writing: writing{
		by: seoyun, at: "2026-10-25 22:00", language: "en",
		title: "To whoever finds this shelf empty", summary: "A librarian’s note on books that are always out, and on who has them."}},
	{bundle: 20, writing: writing{
		by: camille, at: "2026-11-03 14:00", language: "fr",
		title: "Petite liste des bruits de la nuit", summary: "Le frigo, la pluie, le pétrin, puis le premier merle : une ville entière entre trois et six heures."}},
	{bundle: 21, writing: writing{
		by: ines, at: "2026-11-10 12:00", language: "es",
		title: "Palabras que no caben", summary: "Once palabras que llevo de un idioma a otro y que nunca llegan enteras."}},
	{bundle: 22, writing: writing{
		by: qing, at: "2026-11-14 22:30", language: "zh",
		title: "车窗日记", summary: "从大同到苏州，只写窗外。窗内太吵。"}},
	{bundle: 23, writing: writing{
		by: meera, at: "2026-11-05 20:00", updated: "2026-11-18 20:30", language: "en", category: everyday,
		title: "What fits into a day", summary: "Children estimated first and counted afterwards: four hundred steps to school, nine questions, one very long minute."}},

	// Texts of the robot are drafts until they are reviewed.
	{bundle: 24, writing: writing{
		by: robot, at: "2026-11-06 02:00", language: "en", category: tea,
		title: "How to steep green tea", summary: "Three grams, eighty degrees, two minutes. Then look at the leaves before you pour."}},
	{bundle: 25, first: 24, from: 24, writing: writing{
		by: robot, at: "2026-11-13 02:00", language: "zh", category: tea,
		title: "怎样泡一杯绿茶", summary: "三克茶，八十度水，两分钟。倒出来之前，先看看叶子。"}},
	{bundle: 26, writing: writing{
		by: robot, at: "2026-11-06 02:00", language: "en", category: cycling,
		title: "How to oil a bicycle chain", summary: "Clean first, oil sparingly, turn the pedals backwards for one song, wipe off what is left."}},
	{bundle: 27, writing: writing{
		by: robot, at: "2026-11-09 02:00", updated: "2026-11-16 02:00", language: "es", category: clay, draft: true,
		title: "Cómo centrar el barro", summary: "Codos apoyados, manos mojadas, presión firme y lenta."}},
	{bundle: 28, writing: writing{
		by: robot, at: "2026-11-10 02:00", language: "fr", category: breakfast, draft: true,
		title: "Comment pétrir sans pétrin", summary: "Quatre rabats, un repos, et l’on recommence trois fois."}},
	{bundle: 29, writing: writing{
		by: robot, at: "2026-11-12 02:00", language: "en", category: mountains,
		title: "How to pack for a day in the hills", summary: "Water, a dry layer, something sweet, a light, and the name of somebody who knows where you went."}},
	{bundle: 30, first: 29, from: 29, writing: writing{
		by: robot, at: "2026-11-17 02:00", language: "fr", category: mountains, draft: true,
		title: "Préparer son sac pour une journée en montagne", summary: "De l’eau, un vêtement sec, du sucré, une lampe, et quelqu’un qui sait où vous allez."}},
}

// parts are the nodes: chapters of texts, and notes that belong to none.
var parts = []part{
	{id: 1, bundle: 5, writing: writing{
		by: ines, at: "2026-10-11 10:05", language: "es", category: clay,
		title: "Primera tarde: amasar", summary: "Cien veces, como quien despierta a alguien con cuidado."}},
	{id: 2, bundle: 5, writing: writing{
		by: ines, at: "2026-10-18 10:00", language: "es", category: clay,
		title: "Segunda tarde: centrar", summary: "El barro encuentra su centro cuando tú encuentras el tuyo. O al revés."}},
	{id: 3, bundle: 5, writing: writing{
		by: ines, at: "2026-11-02 18:00", language: "es", category: clay,
		title: "Tercera tarde: equivocarse", summary: "Siete cuencos que fueron platos, y por qué no tiré ninguno."}},
	{id: 4, bundle: 11, writing: writing{
		by: qing, at: "2026-10-13 21:05", language: "zh", category: buildings,
		title: "檐口", summary: "雨从这里离开房子。先看它走得顺不顺。"}},
	{id: 5, bundle: 11, writing: writing{
		by: qing, at: "2026-11-11 20:00", language: "zh", category: buildings,
		title: "屋脊", summary: "全屋最高的一条线，也是最怕孤单的一条。"}},
	{id: 6, writing: writing{
		by: meera, at: "2026-10-27 19:00", language: "en", category: neighbours,
		title: "A lift, a ladder, a lamp", summary: "Three things on our landing that belong to nobody, and who looks after them."}},
	{id: 7, writing: writing{
		by: camille, at: "2026-11-01 13:00", language: "fr", category: outdoors,
		title: "Le banc du quai", summary: "Orienté à l’ouest, deux places, une troisième si l’on s’aime bien."}},
	{id: 8, writing: writing{
		by: yuan, at: "2026-11-13 20:10", updated: "2026-11-14 08:00", language: "zh",
		title: "路口的三种落叶", summary: "银杏直着落，梧桐绕着落，香樟不落。"}},
	{id: 9, writing: writing{
		by: owen, at: "2026-11-15 20:00", language: "en",
		title: "Seventy-three steps", summary: "The tower stairs, counted going up. Going down nobody counts."}},
	{id: 10, writing: writing{
		by: amal, at: "2026-11-17 18:00", language: "fr", category: craft, draft: true,
		title: "L’encre du soir", summary: "Noix de galle, gomme, patience. À relire."}},
}
