package catalogue

// simplifiedChinesePages has the texts of the pages for staff. Terms beyond those of simplifiedChinese: 后台 back office, 工作人员
// staff, 举报 report, 会话 session, 停用 disabled, 退款 refund, 账单 bill of the wallet, 导入 import, 操作 act.
var simplifiedChinesePages = map[string]string{
	// Every page.
	"Plaza back office": "Plaza 后台", "Skip to the content": "跳到正文", "Sections": "栏目", "Overview": "概览", "Money": "资金",
	"People": "用户", "Reports": "举报", "Imports": "导入", "Audit": "操作记录", "Log out": "退出登录", "Times are in %s.": "时间均为 %s 时区。",
	"This form is out of date, or it came from elsewhere. Nothing was changed. Go back, load the " +
		"page again, and send it once more.": "此表单已失效，或来自其他网站。没有做任何更改。请返回，重新加载页面后再提交。",
	"There is no such page.": "没有这个页面。", "This account does not work in the back office.": "此账号不能使用后台。",
	"Something went wrong on the server. Its log says what.": "服务器出错，原因见其日志。",
	"This took too long. Try again in a moment.":             "操作超时，请稍后再试。", "(in %v)": "（%v 后）", "Not allowed": "不允许", "Not found": "未找到",
	"Too many requests": "请求过多", "Something went wrong": "出错了", "Not possible": "无法操作", "Log in": "登录", "Too large": "过大",
	"Not possible now": "暂时无法操作", "The wallet fails": "钱包故障", "This took too long": "操作超时", "Please correct this:": "请更正：",
	"The account is enabled.": "账号已启用。", "The rights were changed.": "权限已更改。", "All sessions have ended.": "所有会话已结束。",
	"It is hidden.": "已隐藏。", "The report is dismissed.": "举报已驳回。", "It is shown again.": "已恢复显示。",
	"The refund was ordered.": "已发起退款。", "The account is disabled.": "账号已停用。", "Pages": "分页", "Previous": "上一页", "Next": "下一页",
	"Page %d of %d; %d in all": "第 %d 页，共 %d 页，%d 项", "Keyboard shortcuts": "键盘快捷键",
	"Use these keys in this browser": "在此浏览器中使用这些快捷键", "1 2 3 …": "1 2 3 …", "go to a section": "转到栏目", "/": "/", "search": "搜索",
	"j k": "j k", "next and previous line of a list": "列表的下一行、上一行", "Enter": "Enter", "open it": "打开", "h d r": "h d r",
	"hide, dismiss or restore what is reported: type the reason, and press Enter": "隐藏、驳回或恢复被举报的内容：输入原因后按 Enter", "?": "?",
	"show or hide this": "显示或收起此说明", "Reason": "原因", "By": "操作人", "When": "时间", "State": "状态", "Name": "姓名",
	"Find": "查找", "What": "项目", "The order was created.": "订单已创建。", "The order is closed.": "订单已关闭。",
	"The phone number was changed.":                                         "手机号已更改。",
	"A code for a new password is on its way to the person’s phone number.": "重设密码的验证码正在发往该用户的手机号。",
	"The account is closed, and the data of the person is being erased.":    "账号已关闭，正在清除该用户的数据。",
	"The difference is settled.":                                            "差异已了结。",

	// The login.
	"Phone number": "手机号", "Like +86-13800000001": "例如 +86-13800000001", "Password": "密码",
	"For accounts that work in the back office.": "供可使用后台的账号登录。", "Your session has ended.": "您的会话已结束。",
	"Your session had ended when you sent the form. Nothing was changed. Log in, and the form " +
		"comes back with what you entered.": "提交表单时您的会话已结束，没有做任何更改。登录后，表单会带着您输入的内容回来。",
	"This is the form that you sent when your session had ended. Nothing was changed: " +
		"check it, and send it again.": "这是会话结束时您提交的表单，没有做任何更改。请检查后再次提交。",

	"Code": "验证码", "From your app, or a recovery code. Leave it empty at the first login.": "来自验证器应用，或恢复码。首次登录时留空。",
	"Set up a second factor": "设置第二重验证", "QR code with the key": "含密钥的二维码", "Or enter this key:": "或输入此密钥：",
	"Confirm": "确认", "Keep these recovery codes": "请保存这些恢复码", "Continue to the back office": "进入后台",
	"The back office needs a code besides the password. Scan this with an authenticator app, and enter the code that it " +
		"shows.": "除密码外，后台还需要验证码。请用验证器应用扫描此码，并输入它显示的验证码。",
	"Each replaces one code when your telephone is lost. They are not shown again.": "手机丢失时，每个恢复码可代替一次验证码。不会再次显示。",

	// The overview.
	"What waits": "待办事项", "Budgets of today": "今日额度", "Background jobs": "后台任务",
	"All background jobs of this server work.": "本服务器的后台任务均正常。", "%d failures, the first at": "失败 %d 次，首次于",
	"The last 14 days": "最近 14 天", "Differences from the wallet’s bills": "与钱包账单的差异", "Open reports": "待处理举报",
	"Payments to be refunded": "待退款的支付", "Payments that match no order": "与订单不符的支付", "Refunds that went wrong": "异常退款",
	"Refunds in progress": "进行中的退款", "Open orders": "待支付订单", "Payments without an answer of the wallet": "钱包尚无结果的支付",
	"Events": "事件", "Comments": "评论", "People who joined": "新用户", "%d or more": "%d 或更多",
	"%s by day since %s: %d in all, %d today": "%s：自 %s 起每日数量，共 %d，今天 %d", "%d today": "今天 %d", "%d in 14 days": "14 天 %d",
	"Translator %s": "翻译服务 %s", "No translator": "无翻译服务", "Messages with codes": "验证码短信", "%d of %d left": "剩余 %d，共 %d",
	"%d used": "已用 %d", "no limit": "不限", "Imports with rejected lines, in 7 days": "7 天内有被拒行的导入",

	// Money.
	"Without a matching order": "与订单不符", "Refunds": "退款", "Paid orders": "已支付订单", "Closed orders": "已关闭订单", "To be refunded": "待退款",
	"Payments": "支付",
	"Payments for orders that needed none: most came in twice, or after the order had ended. " +
		"The money belongs to the payer.": "订单并不需要的支付：多为重复支付，或在订单结束后到账。这笔钱属于付款人。",
	"Payments that do not match their order, or belong to no order. Compare them with the " +
		"wallet before you refund them.": "与订单不符、或不属于任何订单的支付。退款前请与钱包核对。",
	"The money left and did not arrive, or the wallet contradicts itself. " +
		"See to these at the wallet.": "款项已转出但未到账，或钱包的说法自相矛盾。请在钱包处理。",
	"The wallet has these, or is asked again until it has answered.": "钱包已受理，或正在反复询问直到有结果。", "refund ordered": "已发起退款",
	"open": "待支付", "to be refunded": "待退款", "without a matching order": "与订单不符", "refunded": "已退款", "paid": "已支付", "closed": "已关闭",
	"paid the order": "已支付订单", "in progress": "进行中", "went wrong": "异常", "The wallet waits for the payer": "钱包等待付款人付款",
	"The wallet gave no answer": "钱包没有回应", "The wallet is asked to take no payment": "正在请钱包停止收款",
	"The wallet takes no payment any more": "钱包已停止收款", "Money came in that the order did not need": "收到订单并不需要的款项",
	"Refunded": "已退款", "Money came in that does not match": "收到不符的款项", "The wallet has not taken the refund yet": "钱包尚未受理退款",
	"Ordered": "下单", "Refund ordered": "已发起退款", "The refund is in progress": "退款进行中",
	"The refund ended; nothing was returned": "退款已结束，款项未退回", "The wallet is asked to take the payment": "正在请钱包收款",
	"The wallet goes on waiting for the payer": "钱包继续等待付款人付款", "Paid": "已支付", "The order has ended": "订单已结束",
	"The refund went wrong": "退款异常", "Lists": "列表",

	"Nothing here.": "这里什么都没有。", "Order %d": "订单 %d",
	"Payment %d": "支付 %d", "Refund %d": "退款 %d", "Person": "用户", "Subject": "商品", "Amount": "金额", "Left": "可退余额", "Expires": "到期",
	"Received": "到账", "Number at the wallet": "钱包单号", "Number of the prepayment": "预支付单号", "none": "无",
	"No payment is recorded.": "没有支付记录。", "What happened": "经过", "Nothing was refunded.": "没有退款。", "Refund…": "退款…",
	"Refund this payment": "退还此笔支付",
	"The payer may see it. A short sentence, of at most 26 Chinese characters.": "付款人可能看到。请写一句话，最多 26 个汉字。",
	"Enter an amount like 12.50.": "请输入金额，例如 12.50。", "At most %s is left of this payment.": "此笔支付最多还可退 %s。", "Continue": "继续",
	"Refund %s now": "立即退款 %s", "The wallet returns %s to the payer. This cannot be undone.": "钱包将退还 %s 给付款人，此操作无法撤销。",
	"Refund this?": "确认退款？", "Change it": "修改", "expired": "已过期", "the command line": "命令行",
	"the server itself": "服务器", "All of it is refunded.": "已全部退款。", "Without an answer of the wallet": "钱包尚无结果",
	"Differences from bills": "账单差异",
	"Orders for which the wallet has not told whether they are paid. The server goes on asking.": "钱包尚未告知是否已支付的订单，服务器会继续询问。",
	"What the wallet’s bill of a day has and the orders here have not, or the other way round. Settle " +
		"one when the wallet and you agree about it.": "钱包某日账单有而此处订单没有的内容，或相反。与钱包核对一致后再了结。",
	"Enter an amount like 12.50, of at most %s.": "请输入金额，例如 12.50，最多 %s。", "Enter whole hours, from 1 to %d.": "请输入整数小时，从 1 到 %d。",
	"Close this order…": "关闭此订单…", "The wallet takes no payment for it any more. This cannot be undone.": "钱包不再为其收款，此操作无法撤销。",
	"Close the order": "关闭订单", "A payment that only the bill has": "只在账单中的支付", "A payment that the bill has not": "账单中没有的支付",
	"Another amount": "金额不同", "A refund that differs": "不一致的退款", "Day of the bill": "账单日期", "Here": "此处", "In the bill": "账单中",
	"Settle it": "了结", "settled": "已了结", "greatest amount first": "金额从大到小",
	"an unknown application": "未知应用", "given back by the wallet": "已由钱包退回", "something else went wrong": "发生了其他错误",
	"by the command line": "由命令行", "by the server itself": "由服务器", "another merchant’s": "属于其他商户", "no time": "没有时间",
	"the wallet reports another refund under this number": "钱包以此单号报告了另一笔退款",
	"it is too long, or has another number of values":     "过长，或值的数量不符", "an unknown state": "未知状态",
	"no number or no currency": "没有单号或币种", "a refund without a number or a state": "退款没有单号或状态", "no amount in yuan": "没有以元计的金额",

	// People.
	"moderator": "审核员", "cashier": "出纳", "support": "客服", "admin": "管理员", "any role": "任一角色",
	"Find people": "查找用户", "Phone number like +86-13800000001, uid, or a name": "手机号（例如 +86-13800000001）、uid 或姓名",
	"Nobody was found.": "没有找到用户。", "uid": "uid", "Account": "账号", "Joined": "注册时间", "Last seen": "最近活动", "never": "从未",
	"Scopes": "权限", "Roles in the back office": "后台角色", "Sessions": "会话", "enabled": "正常",
	"disabled": "已停用", "Orders": "订单", "Change this account": "更改此账号",
	"Colleagues read it later. At most 500 characters.": "同事之后会看到，最多 500 个字符。", "Leave it": "放弃",
	"This is your own account.": "这是您自己的账号。", "Disable this account?": "停用此账号？",
	"Disable…": "停用…",
	"The person cannot log in, and all sessions stop working. What they wrote stays.": "该用户无法登录，所有会话失效，其发布的内容保留。",
	"Disable the account": "停用账号", "Enable this account?": "启用此账号？", "Enable…": "启用…",
	"The person can log in again, and sessions that have not expired work again.": "该用户可以重新登录，未过期的会话恢复有效。",
	"Enable the account": "启用账号", "Change the rights of this account?": "更改此账号的权限？", "Change rights…": "更改权限…",
	"Sessions lose rights that are taken away at once.": "被取消的权限在会话中立即失效。", "Change the rights": "更改权限",
	"End all sessions of this account?": "结束此账号的所有会话？", "End sessions…": "结束会话…",
	"The person has to log in again everywhere.": "该用户须在各处重新登录。", "End all sessions": "结束所有会话",
	"This is not the uid of the person.": "这不是该用户的 uid。", "Hours until it expires": "有效小时数", "New phone number": "新手机号",
	"The uid of the person, to confirm": "输入该用户的 uid 以确认", "In yuan, like 12.50": "单位为元，例如 12.50",
	"What the person pays for, as the wallet shows it": "付款内容，在钱包中显示", "Whole hours": "整数小时", "It stands above.": "见上方。",
	"Create an order?": "创建订单？", "Create an order…": "创建订单…",
	"The person can pay it in the wallet until it expires.": "该用户可在到期前用钱包支付。", "Create the order": "创建订单",
	"Change the phone number?": "更改手机号？", "Change the phone number…": "更改手机号…",
	"The person logs in with the new number. All sessions end, and the former number is told.": "该用户用新号码登录，所有会话结束，并通知原号码。",
	"Change the number": "更改号码", "Send a code for a new password?": "发送重设密码的验证码？", "New password…": "新密码…",
	"The person gets a code by SMS, and sets a password with it in the app within ten " +
		"minutes. Nobody else learns either.": "该用户会收到短信验证码，须在十分钟内用它在应用中设置密码，其他人都不会知道。",
	"Send the code": "发送验证码", "Export all data of this person?": "导出该用户的全部数据？", "Export…": "导出…",
	"Only because the person asked for it. Give the file to nobody else.": "仅在本人要求时进行，文件不得交给他人。", "Download the data": "下载数据",
	"Erase this person?": "注销该用户？", "Erase…": "注销…",
	"Only because the person asked for it. What they wrote and their pictures are deleted; of payments, " +
		"amounts and numbers stay. This cannot be undone.": "仅在本人要求时进行。其发布的内容和图片会被删除；支付的金额和编号保留。此操作无法撤销。",
	"Erase the person": "注销用户",

	// Imports.
	"Import %d": "导入 %d", "Files": "文件", "Began": "开始", "Ended": "结束", "Lines": "行数", "Stored": "已保存",
	"%d new, %d changed, %d unchanged": "新增 %d，更改 %d，未变 %d", "Rejected": "被拒", "Replaced": "已替换",
	"Nothing was imported so far.": "尚未导入任何内容。", "interrupted; the same command resumes it": "已中断，同一命令可继续", "failed": "失败",
	"not finished: it reads still, or was killed; the same command resumes it": "未完成：仍在读取或已被终止，同一命令可继续", "completed": "完成",
	"Rejected lines": "被拒的行", "No line was rejected.": "没有被拒的行。", "Download as CSV": "下载 CSV", "Line": "行", "File": "文件",
	"The first 1000 are kept here. The files of rejects beside the imported files have " +
		"all of them, with their lines.": "此处保留前 1000 行。导入文件旁的 rejects 文件包含全部及其原文。",
	"Imported how-tos": "导入的指南", "No how-tos were imported.": "没有导入指南。", "Category": "分类", "Show": "显示", "Bundles": "合集",
	"Imported": "导入时间", "Changed": "更改时间", "Imports are started at the command line: plaza import.": "导入由命令行启动：plaza import。",

	// Reports.
	"Open": "待处理", "Decided": "已处理", "No report is open.": "没有待处理的举报。", "No report was decided so far.": "尚无已处理的举报。", "Why": "理由",
	"First reported": "首次举报", "any": "不限", "comment": "评论", "image": "图片", "person": "用户", "node": "节点", "demand": "需求",
	"event": "事件", "plate": "插图", "profile": "资料", "publication": "文章", "Demand %d": "需求 %d", "Person %d": "用户 %d",
	"Event %d": "事件 %d", "Comment %d": "评论 %d", "Image %d": "图片 %d", "Plate %d": "插图 %d", "Profile of account %d": "账号 %d 的资料",
	"Publication %d": "文章 %d", "Node %d": "节点 %d", "abuse": "辱骂", "illegal": "违法", "another reason": "其他原因", "spam": "垃圾信息",
	"%s × %d": "%s × %d", "more than a day ago": "超过 1 天", "more than 3 days ago": "超过 3 天", "more than a week ago": "超过 1 周",
	"As it was reported": "举报时", "Reported once more, changed": "更改后再次被举报", "As it is now": "现在",
	"As it was reported, and still is": "举报时，至今未变", "Formatted text": "带格式的文本", "Author": "作者", "On event %d": "所属事件 %d",
	"The comments before it, the latest first:": "此前的评论，最新的在前：", "Report": "举报说明", "Reported": "举报时间", "hidden": "已隐藏",
	"shown": "显示中", "Day": "日期", "a draft": "草稿", "for everyone": "所有人可见", "for contacts": "联系人可见", "private": "仅自己可见",
	"Hidden": "已隐藏", "Dismissed": "已驳回", "Account disabled": "已停用账号", "It was deleted.": "已被删除。", "Show this picture": "显示此图片",
	"A reported picture": "被举报的图片", "The file is lost.": "文件已丢失。", "an erased person": "已注销的用户", "Disable the account…": "停用账号…",
	"Its author reads why it is hidden, and colleagues read every reason. " +
		"At most 500 characters.": "作者会看到隐藏的原因，同事会看到所有原因，最多 500 个字符。",
	"Hide something without a report": "隐藏未被举报的内容", "Its number": "编号",
	"Of a profile, the uid. Or the address of its picture.": "资料填 uid，也可填图片地址。", "Dismiss the report": "驳回举报",
	"Show it again": "恢复显示", "Hide it": "隐藏",

	// What staff did.
	"Act": "操作", "On": "对象", "Nothing is recorded.": "没有记录。",
	"%s, at the command line": "%s（命令行）", "issued a token": "签发了令牌",
	"compared a bill of the wallet": "核对了钱包账单", "repaired derived data": "修复了派生数据", "dismissed a report": "驳回了举报",
	"created an account": "创建了账号", "erased the person": "注销了用户", "exported the person’s data": "导出了用户数据",
	"set the phone number": "更改了手机号", "changed the rights": "更改了权限",
	"set up a second factor": "设置了第二重验证", "used a recovery code": "使用了恢复码", "removed the second factor": "移除了第二重验证",
	"ended all sessions":    "结束了所有会话",
	"migrated the database": "迁移了数据库", "gave the pictures to the database": "将图片归属此数据库", "took the back office away": "取消了后台权限",
	"revoked a token": "撤销了令牌", "imported files": "导入了文件", "removed the demo data": "删除了演示数据", "copied the database": "备份了数据库",
	"hid": "隐藏了内容", "restored": "恢复了内容", "created an order": "创建了订单", "ordered a refund": "发起了退款",
	"loaded the demo data": "载入了演示数据", "disabled the account": "停用了账号", "enabled the account": "启用了账号", "set the password": "设置了密码",
	"gave access to the back office": "授予了后台权限", "report": "举报", "account": "账号", "payment": "支付", "refund": "退款",
	"profile of account": "账号资料", "file": "文件", "token": "令牌", "order": "订单", "bill of": "账单", "database": "数据库",
	"closed an order": "关闭了订单", "settled a difference": "了结了差异", "sent a code for a new password": "发送了重设密码的验证码",
	"difference": "差异",

	// Lists, people and events.
	"Filter, sort, download": "筛选、排序、下载", "From": "从", "To": "到", "Order": "排序", "Lines on a page": "每页行数",
	"The first 10,000 of the list. Narrow it by its days for the others.": "仅含列表的前 10,000 项。要得到其余部分，请缩小日期范围。", "Picture": "图片",
	"newest first": "最新在前", "oldest first": "最早在前", "Open reports about them": "关于此人的待处理举报",
	"Decided reports about them": "关于此人的已处理举报", "Reports by them": "此人的举报", "Hidden by staff": "被工作人员隐藏",
	"What staff did about them": "工作人员对此人的操作", "Images": "图片", "valid": "有效", "ended": "已结束", "taken down": "已下架",
	"dismissed": "已驳回", "account disabled": "账号已停用", "not decided": "待处理", "All…": "全部…", "None.": "无。", "Plates": "图片",
	"It has no plates.": "没有图片。", "It has no comments.": "没有评论。", "Payments of orders": "订单的支付", "All payments": "全部支付",
	"All orders": "全部订单", "Find money": "查找资金",
	"Number of the order, the wallet’s number of the payment, or who paid: phone number, " +
		"uid or name": "订单号、钱包的支付号，或付款人：手机号、uid 或姓名",
	"No order, no payment and no person has this number or name.": "没有订单、支付或用户使用此号码或姓名。", "Found": "查找结果", "Money of": "资金所属：",
	"Show everyone’s": "显示所有人的", "uid, or the name at the command line": "uid，或命令行的姓名", "About (uid)": "关于（uid）",
}
