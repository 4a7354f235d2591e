package demo

import (
	"slices"
	"time"
)

const (
	minute = time.Minute
	hour   = time.Hour
)

// talk has the comments on an entry and its likes.
type talk struct {
	on       string
	comments []comment
	likedBy  []handle
}

type comment struct {
	by    handle
	after time.Duration // since the entry was published
	says  string
}

// talks has the talk of all entries.
var talks = slices.Concat(octoberTalks, novemberTalks)

var octoberTalks = []talk{
	{
		on: "hundred-days",
		comments: []comment{
			{qing, 20 * minute, "本地人，恭喜。桂花糖分我一勺。"},
			{yuan, 31 * minute, "给你留着，月底来换红叶。"},
			{ines, 20 * hour, "A hundred days! In my town that makes you a cousin."},
		},
		likedBy: []handle{qing, ines, nagi, seoyun},
	},
	{
		on: "niangao",
		comments: []comment{
			{yuan, 15 * minute, "第四个路口，是它选的你。"},
			{qing, 22 * minute, "它已经选好了枕头。"},
			{seoyun, 12 * hour, "고양이가 집을 고르는 거군요."},
		},
		likedBy: []handle{yuan, seoyun, owen, beatriz},
	},
	{
		on: "taro",
		comments: []comment{
			{camille, 2 * hour, "Just off the heat, like orange blossom water! The same rule here."},
			{qing, 3 * hour, "芋艿蒸熟再剥，记下了，我上次手痒了一天。"},
		},
		likedBy: []handle{qing, camille, meera},
	},
	{
		on: "rain",
		comments: []comment{
			{nagi, 40 * minute, "雨の日の金木犀は、傘の中まで香りますね。"},
			{qing, 1 * hour, "北京没有下雨，也没有桂花，只有我。"},
		},
		likedBy: []handle{qing, nagi, ines, owen, amal},
	},
	{
		on:       "roofs",
		comments: []comment{{yuan, 1 * hour, "鸽哨！下次打电话，把手机举高一点。"}},
		likedBy:  []handle{yuan, seoyun},
	},
	{
		on: "barro",
		comments: []comment{
			{camille, 30 * minute, "¡Un cuenco para mi pan, por favor!"},
			{yuan, 10 * hour, "What did it want to be in the morning?"},
			{ines, 12 * hour, "A jug. It was quite sure."},
		},
		likedBy: []handle{camille, yuan, amal},
	},
	{
		on:      "pain",
		likedBy: []handle{ines, owen, nora},
	},
	{
		on:       "kinmokusei",
		comments: []comment{{yuan, 1 * hour, "あの小さな花が、二つの町をつなぎますね。"}},
		likedBy:  []handle{yuan, seoyun, amal},
	},
	{
		on:      "ringing",
		likedBy: []handle{camille, beatriz, nora},
	},
	{
		on:      "cold-dew",
		likedBy: []handle{nagi, qing},
	},
	{
		on:       "nou",
		comments: []comment{{camille, 10 * hour, "Avec un œil ouvert, comme les boulangers."}},
		likedBy:  []handle{camille, amal, beatriz},
	},
	{
		on:       "wall",
		comments: []comment{{yuan, 1 * hour, "换手的时候没灭就好。"}},
		likedBy:  []handle{yuan, owen},
	},
	{
		on:       "welcome",
		comments: []comment{{owen, 3 * hour, "Not interesting today. Reporting as instructed."}},
		likedBy:  []handle{owen, ines, yuan, meera, beatriz, seoyun},
	},
	{
		on:       "call",
		comments: []comment{{qing, 5 * minute, "二十三天半。"}},
		likedBy:  []handle{qing, nagi},
	},
	{
		on:       "beasts",
		comments: []comment{{yuan, 2 * hour, "最后那位，我要去当面问好。"}, {nora, 25 * hour, "I read this aloud at breakfast. We now have names for all the kitchen magnets."}},
		likedBy:  []handle{yuan, nora, nagi, seoyun, vera},
	},
	{
		on:       "hangul",
		comments: []comment{{qing, 2 * hour, "“还没”——我也最喜欢这个词。"}, {nagi, 3 * hour, "「まだ」。いいことばですね。"}},
		likedBy:  []handle{qing, nagi, amal},
	},
	{
		on: "bowl",
		comments: []comment{
			{ines, 25 * minute, "A whole minute is a very good bowl. The next one will be two."},
			{yuan, 40 * minute, "Two minutes. I will set an alarm for hurry."},
		},
		likedBy: []handle{ines, camille, qing},
	},
	{
		on:       "arroz",
		comments: []comment{{beatriz, 1 * hour, "Meu tio faz o mesmo com o feijão!"}, {camille, 4 * hour, "On entend le pain aussi, quand il refroidit."}},
		likedBy:  []handle{beatriz, camille, amal, nora},
	},
	{
		on:       "roll-call",
		comments: []comment{{vera, 2 * hour, "Жасмин всегда опаздывает. Передайте ему привет."}, {nagi, 3 * hour, "茉莉、おかえりなさい。"}},
		likedBy:  []handle{vera, nagi, qing},
	},
	{
		on:       "sweater",
		comments: []comment{{qing, 30 * minute, "我妈寄的是三双，左脚都大一点。"}},
		likedBy:  []handle{qing, nagi},
	},
	{
		on:       "exhibition",
		comments: []comment{{amal, 5 * hour, "“Where nobody was looking” — I would like to write that in ink."}},
		likedBy:  []handle{amal, qing, nagi},
	},
	doubleNinth,
	{
		on:       "apples",
		comments: []comment{{amal, 1 * hour, "تفّاحة بحجم المزهريّة! أرسلي ظلّها على الأقلّ."}, {meera, 2 * hour, "Standing, taking turns: the only right way."}},
		likedBy:  []handle{amal, meera, camille},
	},
	{
		on:       "ink",
		comments: []comment{{ines, 11 * hour, "Como mis esmaltes: nunca el color que dije. ¡Mándame una gota!"}},
		likedBy:  []handle{ines, vera, nagi, yuan},
	},
	{
		on:       "kurigohan",
		comments: []comment{{yuan, 30 * minute, "七分間のために二時間。よくわかります。"}},
		likedBy:  []handle{yuan, seoyun, camille},
	},
	{
		on:      "cake",
		likedBy: []handle{yuan, seoyun},
	},
	{
		on:       "tower",
		comments: []comment{{camille, 90 * minute, "Neuf hivers ! Gardez-lui la dernière marche au chaud."}},
		likedBy:  []handle{camille},
	},
	{
		on:       "look-up",
		comments: []comment{{ines, 14 * hour, "Clouds count! I am saving that one."}},
		likedBy:  []handle{ines, yuan, meera, owen, vera, beatriz},
	},
	{
		on:       "clocks",
		comments: []comment{{meera, 1 * hour, "The average of four opinions is still an opinion."}},
		likedBy:  []handle{meera, beatriz, camille},
	},
	{
		on:       "zero",
		comments: []comment{{owen, 2 * hour, "Because somebody has to keep the place."}, {meera, 14 * hour, "That was her answer, too. Word for word."}},
		likedBy:  []handle{owen, vera, nora, yuan},
	},
	{
		on:       "caja",
		comments: []comment{{camille, 2 * hour, "No he visto nada. Nada. (¿Seis?)"}},
		likedBy:  []handle{camille},
	},
	{
		on:       "frost",
		comments: []comment{{vera, 3 * hour, "У нас хурму называют «корольком». Король на подоконнике!"}, {qing, 2 * hour, "给我留最后两盏。"}},
		likedBy:  []handle{qing, vera, beatriz},
	},
	{
		on:       "wind",
		comments: []comment{{owen, 6 * hour, "Headwind both ways is a London invention. We want it back."}},
		likedBy:  []handle{owen, qing},
	},
	{
		on: "moon-yuan",
		comments: []comment{
			{qing, 50 * minute, "我这边也没有云。隔着一千三百公里，同一个。"},
			{nagi, 1 * hour, "こちらの月も、いま茉莉を見ていると思います。"},
			{beatriz, 4 * hour, "Aqui ainda não! Guardem um pouco."},
			{ines, 6 * hour, "It has just arrived here. Slightly used, still very good."},
			{beatriz, 11 * hour, "Chegou. Obrigada."},
		},
		likedBy: []handle{qing, ines, nora, camille, nagi, owen, seoyun, vera, amal, beatriz, meera},
	},
	{
		on:       "moon-qing",
		comments: []comment{{yuan, 20 * minute, "替我向第一高的那位问好。"}, {seoyun, 35 * minute, "그 작은 짐승이 부럽네요."}},
		likedBy:  []handle{yuan, seoyun},
	},
	{
		on:       "moon-nora",
		comments: []comment{{owen, 9 * hour, "Dogs are peer-reviewed."}},
		likedBy:  []handle{owen, camille, meera},
	},
	{
		on:       "moon-meera",
		comments: []comment{{nora, 4 * hour, "Full marks."}, {amal, 5 * hour, "إبهامي أنا أيضًا أكبر منه!"}},
		likedBy:  []handle{nora, amal, vera, yuan, qing},
	},
	{
		on:       "moon-ines",
		comments: []comment{{camille, 30 * minute, "À celle de l’eau : elle est plus près."}, {nagi, 13 * hour, "舟の上の三つ目の月は、舟のひとですね。"}},
		likedBy:  []handle{camille, amal, nagi, yuan, beatriz},
	},
	{
		on:      "moon-amal",
		likedBy: []handle{vera, ines, meera},
	},
	{
		on:       "moon-vera",
		comments: []comment{{amal, 3 * hour, "وهذا ضوءٌ بلا فاتورة!"}},
		likedBy:  []handle{amal, meera, owen},
	},
	{
		on:      "moon-beatriz",
		likedBy: []handle{ines, owen, nora, nagi},
	},
	{
		on:       "tide",
		comments: []comment{{beatriz, 3 * hour, "Um rio que sobe! O mar daqui mandou respeitos."}},
		likedBy:  []handle{beatriz, qing, ines},
	},
	{
		on:       "train",
		comments: []comment{{qing, 4 * minute, "猫表示知道了，没有起身。"}},
		likedBy:  []handle{qing, seoyun, nagi},
	},
	{
		on: "red-leaves",
		comments: []comment{
			{qing, 10 * minute, "其中排队那一小时，是我在讲屋顶。"},
			{meera, 3 * hour, "More people than leaves, and everybody looked up. I count that as a lesson."},
			{nagi, 5 * hour, "京都も、あと二週間です。"},
		},
		likedBy: []handle{qing, nagi, meera, ines, vera},
	},
	{
		on:       "guest",
		comments: []comment{{yuan, 9 * hour, "会转的碗，世上只有一只。现在有猫毛了。"}},
		likedBy:  []handle{yuan, seoyun},
	},
}

// doubleNinth has more comments than an event shows.
var doubleNinth = talk{
	on: "double-ninth",
	comments: []comment{
		{qing, 10 * minute, "外婆威武！九歇登顶，比我量屋顶还稳。"},
		{nagi, 18 * minute, "八十一歳で宝石山！おばあさま、すてきです。"},
		{meera, 35 * minute, "Nine rests for the ninth of the ninth. She knows her arithmetic."},
		{vera, 50 * minute, "Двести ступенек! Я после своих тридцати сижу и пью чай."},
		{seoyun, 1 * hour, "할머니 건강하세요!"},
		{yuan, 2 * hour, "念给外婆听了，她问“威武”是哪位邻居。"},
		{qing, 2*hour + 5*minute, "告诉她，是北京那位，爱吃她馄饨的。"},
		{ines, 3 * hour, "Mi abuela también contaba los descansos. Un abrazo a la tuya."},
		{amal, 4 * hour, "أطال الله عمرها. الجبل هو الذي صعد إليها."},
		{camille, 5 * hour, "Neuf pauses, c’est le rythme juste. Pour la brioche aussi."},
		{owen, 6 * hour, "Two hundred steps is two of our towers. Would she like to learn the treble?"},
		{beatriz, 7 * hour, "Que vista! E que avó!"},
		{nora, 9 * hour, "“Only there are more boats now.” I have pinned that over my desk."},
		{yuan, 14 * hour, "外婆说谢谢各位，明年九歇改八歇。"},
	},
	likedBy: []handle{qing, ines, nora, camille, nagi, owen, seoyun, vera, amal, beatriz, meera},
}
