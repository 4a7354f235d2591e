package gazetteer

import "strings"

// What follows is what tells a place's name from characters that only look like
// it. Each list says why it is there; a word that misleads belongs into one.

// words are longer than the name inside them, or take its first character: text
// is read from left to right, so that 深海口味 is 深海, not 海口.
var words = strings.Fields(`
	经济 起来 出来 下来 原来 后来 回来 过来 进来 看来 未来 将来 从来 本来 带来
	决定 一定 不定 规定 制定 稳定 确定 肯定 固定 特定 约定 坚定 说定 商定
	变成 完成 形成 组成 造成 构成 建成 制成 生成 合成 分成 达成 赞成 不成 结成 做成 养成 看成 写成 当成 换成 改成 弄成 冻成 化成 长成 现成 笑成 挤成 搭成
	日本 基本 根本 版本 成本 课本 书本 剧本
	晚上 早上 路上 海上 身上 脸上 网上 马上 桌上 地上 加上 手上 床上 山上 车上 街上 天上 船上 岸上 湖上 头上 墙上 楼上 世上 实际上 基本上 坐上 赶上 追上 迷上 配上 穿上 爬上
	增长 成长 校长 家长 班长 队长 店长 院长 局长 生长 市长 部长 船长 团长 组长 特长 擅长 漫长 细长 延长
	长江 珠江 嘉陵江 汉江 松花江 湘江
	东西 中西 巴西 西西
	最大 很大 巨大 重大 扩大 伟大 强大 较大 放大 加大 不大 太大 好大 多大 老大 长大 加拿大 意大利 澳大利亚
	今天 明天 昨天 前天 后天 每天 那天 这天 春天 夏天 秋天 冬天 白天 半天 整天 几天 一天 两天 三天 聊天 当天 阴天 晴天 露天 航天
	非常 经常 平常 正常 日常 异常 时常 通常 家常
	投资 工资 物资 水平 公平 和平 太平 精神
	国内 室内 市内 以内 车内 屋内 校内 体内 省内 交通 普通 沟通 卡通 打通
	明白 雪白 洁白 苍白 严重 隆重 注重 沉重 尊重 郑重 体重 加重 慎重
	生日 今日 节日 假日 往日 昨日 每日 近日 抗日 宝宝 财宝 珠宝
	展开 离开 公开 打开 拉开 推开 召开 避开 分开 解开 放开 盛开 撕开 揭开 躲开 裂开 刚开 新开
	股东 房东 介绍 联合 结合 综合 符合 配合 适合 组合 混合 场合 集合 融合 整合 百合 清楚
	利益 有益 收益 效益 重新 更新 创新 全新 崭新 经营 露营 军营 也许 或许 允许 不许
	来自 亲自 独自 各自 相信 微信 短信 通信 来信 自信 写信 资金 基金 黄金 奖金 现金 押金 租金 美金
	紧张 主张 夸张 慌张 快乐 音乐 欢乐 娱乐 可乐 西北 东北 华北 城北 南北 发达 到达 表达 抵达 雷达 马达
	西南 东南 越南 以南 指南 江南 城南 高兴 新兴 尽兴 扫兴 平安 公安 早安 晚安 保安 不安 治安 心安
	太阳 夕阳 骄阳 森林 园林 雨林 树林 竹林 山林 第三 十三 面临 来临 光临 降临 平衡 均衡
	国防 预防 平台 阳台 舞台 柜台 前台 吧台 站台 窗台 电台 讲台 看台 月台
	大海 深海 沿海 南海 东海 航海 黄海 渤海 近海 出海口 入海口 太太 背景 风景 情景 夜景 盆景
	幸福 祝福 火山 登山 爬山 高山 雪山 下山 黄河 运河 银河 过河 小河 道德 美德 品德 大佛 仿佛 好运 命运 幸运
	地图 试图 企图 美丽 秀丽 壮丽 气温 高温 低温 体温 降温 升温 保温 室温 宝石 岩石 化石 钻石 推广
	四周 一周 每周 上周 下周 周周 整齐 一齐 江湖 东湖 南湖 绕湖 环湖 大湖 小湖 钢铁 地铁 高铁 继承 毫无 英文 中文 作文 语文 课文 论文 荷兰 波兰 挪威
	适宜 便宜 相宜 事宜 愤怒 城镇 集镇 棋盘 键盘 光盘 巩固 接连 相连 加深 深深 轻松 放松 蓬松 环保 确保 暖和 温和 柔和 缓和
	哈哈 工商 协商 智商 情商 招呼 称呼 欢呼 喝酒 啤酒 白酒 红酒 敬酒 醉酒 珍贵 昂贵 完毕 跟随 弯曲 歌曲 优惠 通红 大红 发扬 飘扬 表扬
	如果 结果 效果 成果 后果 水果 苹果 糖果 资本 样本 脚本 标本 脸盘 硬盘 楼盘 算盘 坦克 巧克力 流通 贯通 畅通 疏通 精通 最佳 最新 清新 刷新 翻新
	会上 当上 走上 登上 遇上 背上 带上 碰上 踏上 镇上 肩上 换上 关上 门上 边上 考上 跟上 看上 树上 水上 台上 岛上 心上 面上 府上 戴上 贴上 盖上 点上 写上 合上 闭上 送上 扛上 染上 算上 喝上 吃上 住上 用上 锁上 缝上 沙发上
	家乡 故乡 老乡 乡长 科长 处长 镇长 县长 会长 所长 村长 馆长 年长 身长 多长 全长 最长 伸长 狭长 拉长 助长 长廊 站长 学长 兄长 社长 车长 机长 总长 长长 修长 成天 天天
	日子 末日 整日 平日 当日 夏日 白日 昔日 次日 烈日 终日 早日 周日 元旦 假日
	广大 宽广 增大 壮大 宏大 盛大 粗大 肥大 浩大 夸大 高大 庞大 偌大 特大 胆大 四大 十大 五大 两大 光大 北大 老太
	奠定 测定 必定 否定 假定 安定 认定 鉴定 预定 注定 评定 限定 锁定 判定 淡定 搞定 设定 坐定 镇定
	贵重 繁重 着重 看重 偏重 惨重 凝重 厚重 笨重 稳重 负重 肿大 多重 最重 双重 庄重 病重 载重
	可可 认可 许可 即可 眼神 留神 走神 女神 心神 迷信 书信 确信 坚信 可信 听信 感恩 报恩 积温 水温 常温 恒温 大小 小麦 庆贺 节庆 校庆 国庆 喜庆
	合金 薪金 礼金 水银 面包 背包 书包 钱包 红包 荷包 沙包 提包 打包 承包 肉包 豆包 香包 骑马 赛马 落马 野马 骏马 小马 老马 飞马 木马 斑马 河马 白马
	嘴巴 尾巴 下巴 哑巴 锅巴 巴巴 荒唐 糖醋 成熟 打成 落成 收成 先天 满天 全天 冲天 飞天 漫天 多天 几天 十天 七天 周五 周六 周四 周日 礼乐 享乐 欢庆
	风云 白云 星云 宽大 宽松 纸张 几张 两张 开张 嚣张 扩张 一张 吸烟 抽烟 香烟 冒烟 炊烟 浓烟 硝烟 青铜 古铜 黄铜 绵绵 海绵 缠绵 连绵 公鸡 母鸡 烤鸡 炸鸡 卤鸡 肉鸡 火鸡 猎鹰 老鹰
	雪莲 香港脚 聊聊 无聊 衣衫 亮丽 艳丽 绮丽 绚丽 华丽 典雅 优雅 文雅 淡雅 惊呼 传呼 呼呼 情怀 关怀 心怀 胸怀 泪珠 眼珠 汗珠 念珠 串珠 圆珠 浪潮 高潮 退潮 涨潮 热潮 回潮
	消防 设防 提防 预防 边防 海防 传承 奉承 轴承 转达 直达 传达 下达 豁达 抵达 送达 造福 有福 口福 享福 眼福 托福 走廊 画廊 发廊 长廊 游廊 清白 空白 漆黑 黑白 惨白 灰白 发白 纯白 坦白 告白 表白 蛋白
	大意失荆州 骑鹤下扬州 下扬州 芜湖起飞 上海青 甲天下 石家庄人 宁德时代 上海药皂 上海硫磺皂 北京方便面 南京虫 湘潭槟榔 桂林山水甲天下 南京到北京 直把杭州作汴州 温州鞋 莆田系 莆田鞋 兰州烟 南京烟 上海故事 衡水体 衡水模式 吐鲁番葡萄 保定能 湘西赶尸
	大厦 牡丹 珍珠 多云 乌云 白云山 彩云 荒凉 清凉 冰凉 着凉 乘凉 安宁 复苏 流苏 蛋黄 金黄 两岸 大奖 肥胖
	长春藤 长春花 常春藤 大连续 大理石 大理寺 大理想 大同小异 大庆典 三明治 海东青 黄山药 黄山谷 白山黑水 白山羊 河源头
	四平八稳 四平方 洛阳纸贵 邯郸学步 玉树临风 长治久安 乐山乐水 仁者乐山 天南海北 山南海北 五湖四海 来宾席 文山会海 朝阳产业 夸海口 夸下海口
	峨眉山 长白山 太白山 清凉山 大佛山 千佛山 歌乐山 巴丹吉林 阿里山 阿里巴巴 兴安岭 大兴安岭 小兴安岭 青海湖 昆明湖 大同江 南天门 朝天门 临江门 广安门
	中山装 中山狼 孙中山 东方红 新东方 超新星 新星球 复合肥 哈密瓜 大明湖 中南海 上海滩 苏州河 苏州码子 杭州湾 北京时间 北京猿人 南京条约 重庆森林 德州扑克 德州仪器 普洱茶
	烟台苹果 兰州军区 贵州茅台 云南白药 遵义会议 西安事变 南昌起义 百色起义 周口店 雷州话 扬州八怪 延安精神 南京大屠杀 海南鸡饭 扬州炒饭 天津饭 星洲炒米 武昌起义 平遥牛肉
	湖北岸 湖南岸 湖北边 湖南边`)

// abroad are places elsewhere. A name right behind one isn't in China either:
// 首尔江西区. Those that contain a name of ours matter most.
var abroad = strings.Fields(`
	首尔 韩国 釜山 光州 东京 东京都 京都 大阪 神户 福冈 名古屋 横滨 奈良 札幌 北海道 冲绳 日本 越南 河内 胡志明市 岘港 新加坡 泰国 曼谷 清迈 普吉
	马来西亚 吉隆坡 槟城 印度 印尼 雅加达 巴厘岛 菲律宾 马尼拉 缅甸 仰光 柬埔寨 金边 老挝 万象 朝鲜 平壤 蒙古国 乌兰巴托
	美国 纽约 洛杉矶 旧金山 芝加哥 西雅图 波士顿 华盛顿 昆士兰州 马里兰州 德克萨斯州 内华达州 佛罗里达州 明尼苏达州 黄石公园 黄石国家公园
	加拿大 温哥华 多伦多 墨西哥 巴西 阿根廷 智利 秘鲁 英国 伦敦 牛津 剑桥 爱丁堡 法国 巴黎 马赛 里昂 德国 柏林 慕尼黑 汉堡 意大利 罗马 米兰 威尼斯
	西班牙 巴塞罗那 马德里 葡萄牙 里斯本 荷兰 阿姆斯特丹 比利时 瑞士 瑞典 挪威 丹麦 芬兰 俄罗斯 莫斯科 澳大利亚 澳洲 悉尼 墨尔本 新西兰 南京町`)

// behind a short name these make it something else's, wherever that is.
var behind = strings.Fields(`
	烤鸭 拉面 小面 米粉 米线 板鸭 盐水鸭 热干面 刀削面 牛肉面 拌面 炸酱面 担担面 燃面 臊子面 裤带面 面馆 粉面 凉皮 凉粉 肉夹馍 泡馍 羊肉串 大盘鸡 辣子鸡 烧鸡 扒鸡 白切鸡 文昌鸡 口水鸡
	小笼 生煎 臭豆腐 豆腐 豆皮 酸辣粉 螺蛳粉 肠粉 锅贴 煎饼 麻花 火腿 腊肠 腊肉 香肠 烤肉 烤鱼 烤全羊 火锅 冒菜 菜 早茶 老酸奶 酸奶 点心 小吃 大包 馄饨 饺子 汤包 粽子 月饼
	鸭脖 红肠 榨菜 泡菜 酱菜 腐乳 黄酒 啤酒 白酒 米酒 二锅头 老酒 陈醋 香醋 醋 辣酱 辣椒 花椒 苹果 蜜桔 橘子 橙 梨 枣 红枣 大枣 葡萄干 荔枝 芒果 椰子 西瓜 大米 面粉 红茶 绿茶 茶叶 白茶 龙井 毛尖 毛峰
	纯生 果脯 狗不理 炒米粉 切糕 馅饼 剁椒 口味虾 牛肉拉面 米饭 盖饭 馒头 花卷 小瓜 皂 药皂 老歌 女排 女篮 男篮 球迷
	陈醋 白干 火汤 路上的 街上班
	老乡 老板 老板娘 夫妻 夫妇 大叔 大妈 大爷 阿姨 姑娘 小伙 妹子 室友 留学生 女孩 男孩 大哥 大姐 师傅 厨师 媳妇 女婿 籍 口味 风味 风格
	老白干 老窖 老酒 过桥米线 汽锅鸡 鸡公煲 黄焖鸡 麻辣烫 麻辣 串串 干锅 烩面 板面 沙茶面 大盘 油泼面 胡辣汤 羊肉泡馍 羊杂 羊汤 酸汤鱼 醋鱼 鱼丸 肉丸 豆汁 驴打滚 糖葫芦 糖水 炒饭 煲仔饭 鸡饭 奶茶 葡挞 蛋挞
	鲜花饼 肉饼 烧饼 大饼 油饼 灌汤包 小笼包 生煎包 包子 春卷 瓦罐汤 牛肉丸 卤味 烧腊 烧麦 叉烧 白切 花雕 枸杞 滩羊 牦牛肉 羊肉 大葱 板栗 核桃 石榴 樱桃 蜜瓜 柚 蜜柚 香烟 烟丝
	格力 海尔 长虹 家化 吉普 红塔 牛奶 方便面 雪花膏 汽水 可乐 户口 舰 号舰 这首 这部 这本 这道 这个名字 这两个字 两个字 二字
	酒楼 茶楼 饭馆 大饭店 饭庄 火锅店 小吃店 商会 同乡会
	饭店 菜馆 餐馆 餐厅 酒家 小馆 面庄
	牌 制造 银行 证券 汽车 现代 大众 日报 晚报 早报 卫视 电视台 航空 国安 恒大 富力 万达 实德 泰达 鲁能 申花 上港 海港队 队 一汽 石化 白药 茅台 保险 信托
	话 方言 口音 腔 评弹 评书 梆子 坠子 快书 快板 越剧 川剧 剧 菜系 小调 民歌 织锦 刺绣 剪纸 年画 云锦 丝绸 红木 瓷器 陶瓷 保卫战 战役 会战 条约 大屠杀 猿人 时间 犬 虎 猫
	路 街 大街 大道 胡同口 弄 巷 高架 东路 西路 南路 北路 中路 东街 西街 南街 北街 中街 东大街 西大街 南大街 北大街 一路 二路 三路 东一路 东二路 西一路 西二路 北二路 南二路`)

// praise may stand before what they make: 重庆老火锅.
var praise = strings.Fields(`老 正宗 特色 本帮 地道`)

// tails begin with a name's last character, and are likelier than the name:
// 生上海拔高, 买长沙发.
var tails = strings.Fields(`海拔 海鲜 海绵 沙发 沙漠 沙滩 沙龙 苏打 徽章 肥胖 肥皂 肥料 阳光 阳台 阳伞 安静 安眠 宁静 宁愿 连衣裙 连锁 连任 庄稼 义务 庆祝 庆典 通风 通往 南瓜 西瓜 西装 岛屿 东西 德行
	昌盛 乡下 乡村 辽阔 陵墓 林子 芝麻 名字 波澜 明亮 感动 坊间 作业 水果 浮动 色彩 锡纸 京酱 江山 港湾 兴奋`)

// notTails begin like those.
var notTails = strings.Fields(`沙发生 沙发现 沙发展 沙发布 沙发货 沙发来 沙发了 沙发往 沙发出 东西部 东西两 西装修 作业务 庆典型 庆祝你`)

// notBehind begin like those above, but leave the name what it is.
var notBehind = strings.Fields(`路过 路上 路边 路况 路程 路好 路途 街头 街边 街上 街拍 街坊 菜场 菜市场 队友 剧场 剧院 话剧 梨花 枣园 橙色 巷子 巷口 弄堂 时间长 时间久 时间过 时间短 现代化 大众点评 汽车站 酒店
	航空港 航空展 保险箱 牌坊 牌楼 腔调 虎丘 猫咖 剧组 菜单 话费 话题`)

// areas behind a province's or city's short name are a homonym's: 江西区, 南京镇.
var areas = strings.Fields(`区 县 镇 村 乡`)

// notAreas begin like those.
var notAreas = strings.Fields(`区域 区号 区里 乡下 乡村 乡间 县城 村里 村民`)

// sides behind a name that ends in a direction are of the water or mountain
// before that: 江西边, 火山东侧.
var sides = strings.Fields(`边 侧 岸 坡 麓 端`)

var notSides = strings.Fields(`边境 边疆 边陲 边防`)

// weak are cities' short names that are words, rivers, or people's names too.
// They count only right behind their province.
var weak = strings.Fields(`
	朝阳 白银 日照 来宾 东方 中山 三明 和田 阿里 四平 白山 白城 白杨 新星 双河 文山 红河 怒江 海东 海西 海北 黄南 兴安 大兴安岭 安康 安顺 平凉 清远 长治 乐山 金华 保山 玉林 玉树
	德州 六安 吉安 泰安 天门 天水 内江 资阳 定西 固原 吴忠 中卫 山南 万宁 普洱 北海 河源 通化 开封 大同 贵港 黄石 塔城 永州 五指山 伊春 北屯 昆玉 黑河 巴中 文昌 眉山 广安 江门 南平 铁门关 武威 宜春 潜江 仙桃 随州`)

// landmarks are lakes, towers, ideals and directions before they are districts:
// 杭州西湖 is the lake. Such a district is named in full.
var landmarks = strings.Fields(`
	西湖 鼓楼 钟楼 雁塔 玄武 和平 新华 解放 人民 中山 文化 团结 友谊 先锋 建设 红旗 东风 前进 向阳 光明 长寿 平安 互助 民主 通道
	城关 城中 城东 城西 城北 城南 市中 市北 市南 路南 路北 新城 东湖 南湖 大观 临江 沿江 东方 太平 平房 天山 天涯 崇文 宣武 二道 西山 南山 东山 中原 站前 振兴 元宝
	乐业 大方 普定 清水 民和 民乐 永安 长乐 大同 上街 文峰 北关 工农 梨树 恒山 华山 泰山 嵩山 黄山 安宁 安居 开平 山城 北林 南郊 岭东`)

// surnames make a given name of the short name behind them, at the start of a
// phrase: 张北京.
var surnames = "王李赵刘陈杨吴孙郭宋唐邓冯曹彭蔡潘袁蒋魏吕沈姚卢傅崔谭廖汪贾邱侯邹孟秦尹薛张徐朱马胡何林罗郑梁谢许韩曾董余叶程苏丁任钟姜范陆金石方江黄周戴熊孔严龚郝"

// openSurnames make one in the middle of a phrase too, unlike 马, 何 or 江, which
// end other words: 同桌赵天津.
var openSurnames = "王李赵刘陈杨吴孙郭邓冯曹彭蔡潘袁蒋魏吕沈姚卢傅崔谭廖汪贾邱侯邹孟秦尹薛郑徐朱韩董姜范"

// namings before a short name make it what somebody or something is called.
var namings = strings.Fields(`小名 网名 艺名 笔名 本名 大名 取名 起名 改名 命名 队名 店名 书名 歌名 名字是 名为 昵称 绰号 外号 昵称是 外号是 网名是 小名是 唤作 称作 循环`)

// roles before a surname and a short name make these a person's: 歌手张杭州.
var roles = strings.Fields(`叫 姓 歌手 邻居 同事 同学 同桌 老师 老板 舅舅 叔叔 阿姨 室友 朋友 班长 队长 经理 主任 医生 司机 教练 演员 作家 导演 表哥 表姐 哥们 闺蜜`)

// origins before a short name and 人 behind it tell where somebody is from, not
// where this is: 他是四川人.
var origins = "是个位群对名两几"

// crowds begin like that 人, but are no origin.
var crowds = strings.Fields(`人民 人山 人多 人太 人真 人少 人口 人挤`)

// titles before a short name make it somebody's or something's: 叫苏州, 一首成都.
var titles = "叫首姓唱哼"

// followers and enders judge what stands behind a short name: misleading, or
// harmless though it begins like that. The longest that fits decides.
var (
	followers = judged(behind, notBehind)
	enders    = judged(tails, notTails)
)

const misleading = 1

func judged(bad, good []string) *trie {
	t := newTrie()
	for _, w := range bad {
		t.add(w, misleading)
	}
	for _, w := range good {
		t.add(w, 0)
	}
	return t
}
