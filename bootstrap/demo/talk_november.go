package demo

var novemberTalks = []talk{
	{
		on: "douzhi-yuan",
		comments: []comment{
			{qing, 45 * minute, "焦圈的事不必写进来。"},
			{ines, 6 * hour, "What does it taste of?"},
			{yuan, 7 * hour, "Of honesty."},
			{seoyun, 8 * hour, "저는 도전하지 않겠습니다. 존경합니다."},
		},
		likedBy: []handle{qing, ines, seoyun, owen},
	},
	{
		on:       "douzhi-qing",
		comments: []comment{{yuan, 12 * minute, "秘密很安全，只有全世界知道。"}},
		likedBy:  []handle{yuan, nora},
	},
	{
		on:       "mar",
		comments: []comment{{vera, 2 * hour, "У нас минус два. Плаваю вместе с вами, мысленно."}},
		likedBy:  []handle{vera, ines, owen},
	},
	{
		on:      "flores",
		likedBy: []handle{camille, yuan, amal, seoyun},
	},
	{
		on:       "cat",
		comments: []comment{{qing, 8 * hour, "它从来没给过我三分钟。我们要谈谈。"}},
		likedBy:  []handle{qing, nagi},
	},
	{
		on:       "chestnuts",
		comments: []comment{{nagi, 1 * hour, "One kilo for the train is only fair."}, {qing, 2 * hour, "出发时是我称的，两公斤半。"}},
		likedBy:  []handle{qing, nagi, camille},
	},
	{
		on:       "bunka",
		comments: []comment{{seoyun, 2 * hour, "전 주인도 누군가 찾아 주길 기다렸을 거예요."}},
		likedBy:  []handle{seoyun, yuan, meera},
	},
	{
		on:       "letter",
		comments: []comment{{yuan, 1 * hour, "三つとも見当がつきました。最初の名前は、手紙で。"}},
		likedBy:  []handle{yuan},
	},
	{
		on: "bonfire",
		comments: []comment{
			{camille, 10 * hour, "Comme le four : il n’écoute que le silence."},
			{rex, 327 * hour, "Great post!!! Gold watches, 90 % off, today only: https://watches.example.com"},
		},
		likedBy: []handle{camille, beatriz, nora},
	},
	{
		on:       "winter",
		comments: []comment{{qing, 1 * hour, "四十个我数过照片了，三十八个。"}, {yuan, 2 * hour, "包的时候尝了两个。"}},
		likedBy:  []handle{qing, nagi, seoyun, meera},
	},
	{
		on:       "snow",
		comments: []comment{{meera, 3 * hour, "Please describe it to my class. They have follow-up questions."}},
		likedBy:  []handle{meera, amal, nora, yuan},
	},
	{
		on:       "diwali",
		comments: []comment{{vera, 5 * hour, "С праздником света!"}, {nora, 12 * hour, "Fifty-one! Happy Diwali to the whole roof."}},
		likedBy:  []handle{nora, vera, yuan, owen, seoyun},
	},
	{
		on:       "far-bowl",
		comments: []comment{{yuan, 6 * hour, "Number four! Please tell it that number nine is on its way to the kiln."}},
		likedBy:  []handle{yuan, camille, amal},
	},
	{
		on:       "suzhou",
		comments: []comment{{qing, 30 * minute, "你开始看窗子了。恭喜，这病治不好。"}},
		likedBy:  []handle{qing, nagi, amal},
	},
	{
		on:       "bolo",
		comments: []comment{{camille, 3 * hour, "Douze tours sans sucre : c’est de la sculpture."}},
		likedBy:  []handle{camille, ines, nora},
	},
	{
		on:       "library",
		comments: []comment{{seoyun, 2 * hour, "그 책을 덮는 사람이 바로 접니다."}},
		likedBy:  []handle{seoyun, nagi, qing, meera},
	},
	{
		on:       "datong",
		comments: []comment{{yuan, 1 * hour, "替我也说一声“早”。"}},
		likedBy:  []handle{yuan, nagi},
	},
	{
		on:       "kimjang",
		comments: []comment{{qing, 20 * minute, "向最忙的那位致敬。"}},
		likedBy:  []handle{qing},
	},
	{
		on: "spanish",
		comments: []comment{
			{ines, 30 * minute, "Cero faltas. Bueno, una, pero es preciosa y no te la digo."},
			{beatriz, 2 * hour, "Que lindo! O gato concorda."},
			{qing, 3 * hour, "我只看懂了“gato”。它说它不是你的。"},
			{yuan, 4 * hour, "Gracias, maestra. Lo del gato ya lo sabía."},
		},
		likedBy: []handle{ines, beatriz, qing, camille},
	},
	{
		on:       "alumna",
		comments: []comment{{yuan, 10 * hour, "El trazo largo se va a la derecha. Así está bien."}},
		likedBy:  []handle{yuan, camille, amal},
	},
	{
		on:       "heating",
		comments: []comment{{yuan, 25 * minute, "它选得对，那组旁边有人。"}},
		likedBy:  []handle{yuan, seoyun, vera},
	},
	{
		on:       "grandmother",
		comments: []comment{{qing, 20 * minute, "替我也向手机道个早安。"}, {nagi, 1 * hour, "おばあさまと話せる携帯は幸せ者です。"}},
		likedBy:  []handle{qing, nagi},
	},
	{
		on:      "ginkgo",
		likedBy: []handle{nagi, amal, qing, vera},
	},
	{
		on: "kiln",
		comments: []comment{
			{qing, 15 * minute, "外婆说“像样”，等于别人说“国宝”。"},
			{ines, 1 * hour, "¡De pie! I am running round the workshop."},
			{camille, 4 * hour, "Bravo ! Il faut une soupe à la hauteur."},
			{yuan, 5 * hour, "谢谢大家。第十只已经在转了。"},
			{owen, 22 * hour, "It stands! We rang for it last night."},
		},
		likedBy: []handle{qing, ines, camille, nagi, amal, owen},
	},
	{
		on:       "nouveau",
		comments: []comment{{owen, 2 * hour, "Send the second verse; we can harmonise."}},
		likedBy:  []handle{owen, ines},
	},
	{
		on:       "momiji",
		comments: []comment{{yuan, 2 * hour, "橋の下の七分、いちばんいい席ですね。"}},
		likedBy:  []handle{yuan, qing, seoyun, meera},
	},
	{
		on:       "names",
		comments: []comment{{yuan, 30 * minute, "最後のひとつは、春まで待ちましょう。"}},
		likedBy:  []handle{yuan},
	},
	{
		on:       "door",
		comments: []comment{{yuan, 10 * minute, "它在我肚子上的时候，只学会了看窗外。"}, {seoyun, 40 * minute, "다음은 냉장고입니다. 조심하세요."}},
		likedBy:  []handle{yuan, seoyun},
	},
	{
		on:       "practice",
		comments: []comment{{camille, 2 * hour, "Et le bol, il a répondu ?"}},
	},
}
