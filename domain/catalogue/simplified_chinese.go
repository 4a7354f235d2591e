package catalogue

// simplifiedChinese has Chinese as it is written in mainland China and Singapore. Terms: 登录名 username, 令牌 token, 权限
// scope, 事件 event, 插图 plate, 图片 image and picture, 关注 subscription, 合集 bundle, 密钥 key.
var simplifiedChinese = map[string]string{
	// Kinds of errors, and any request.
	"Internal server error.":                                         "服务器内部错误。",
	"The request is not valid.":                                      "请求无效。",
	"Authentication credentials were not provided.":                  "未提供身份凭证。",
	"You do not have permission to do this.":                         "您没有权限执行此操作。",
	"Not found.":                                                     "未找到。",
	"The request conflicts with the current state.":                  "请求与当前状态冲突。",
	"The body is too large.":                                         "请求体过大。",
	"Unsupported media type.":                                        "不支持的媒体类型。",
	"Too many requests. Try again later.":                            "请求过于频繁，请稍后再试。",
	"An upstream service is failing.":                                "上游服务出现故障。",
	"The service is temporarily unavailable. Try again soon.":        "服务暂时不可用，请稍后再试。",
	"The request timed out.":                                         "请求超时。",
	"The body arrived too slowly.":                                   "请求体上传过慢。",
	"Method %s not allowed. This path takes %s.":                     "不支持 %s 方法，此路径支持 %s。",
	"This path does not exist. The page /docs/ describes all paths.": "此路径不存在，所有路径请见 /docs/ 页面。",
	"The server is overloaded. Try again soon.":                      "服务器繁忙，请稍后再试。",
	"The server's disk is full. Try again later.":                    "服务器磁盘已满，请稍后再试。",
	"The data can't be reached right now. Try again soon.":           "暂时无法访问数据，请稍后再试。",
	"Nothing can be stored right now. Try again later.":              "暂时无法保存数据，请稍后再试。",
	"Too many requests without a valid token from your address. " +
		"Log in, or try again later.": "您所在的网络地址未登录请求过多，请登录或稍后再试。",

	// Bodies, forms and queries.
	"Send the body as application/json.":                                  "请以 application/json 格式发送请求体。",
	"Send the body as application/json or multipart/form-data.":           "请以 application/json 或 multipart/form-data 格式发送请求体。",
	"Send the body without a Content-Encoding.":                           "请勿对请求体使用 Content-Encoding。",
	"The body could not be read to its end.":                              "请求体未能完整读取。",
	"The body is empty. Send a JSON object.":                              "请求体为空，请发送 JSON 对象。",
	"The body is larger than %d MiB.":                                     "请求体超过 %d MiB。",
	"The body is not a JSON object.":                                      "请求体不是 JSON 对象。",
	"The body is not valid JSON.":                                         "请求体不是有效的 JSON。",
	"The body is not valid UTF-8.":                                        "请求体不是有效的 UTF-8 编码。",
	"The body is not a valid form.":                                       "请求体不是有效的表单。",
	"Send one file.":                                                      "请只发送一个文件。",
	"Send a text, not a file.":                                            "请发送文本，而不是文件。",
	"Name this field without brackets, also if it is sent several times.": "此字段名不要加方括号，多次发送时也一样。",
	"The query is malformed.":                                             "查询参数格式错误。",
	"Only one value is allowed.":                                          "只允许一个值。",
	"The line is too long.":                                               "此行过长。",

	// Values of fields.
	"This field is required.":                                    "此项必填。",
	"This field may not be blank.":                               "此项不能为空。",
	"This field may not be null.":                                "此项不能为 null。",
	"This list may not be empty.":                                "此列表不能为空。",
	"Text must be valid UTF-8.":                                  "文本必须是有效的 UTF-8 编码。",
	"Null characters are not allowed.":                           "不能包含空字符（NUL）。",
	"Not a valid string.":                                        "请输入有效的字符串。",
	"A valid integer is required.":                               "请输入有效的整数。",
	"A positive integer is required.":                            "请输入正整数。",
	"A valid number is required.":                                "请输入有效的数字。",
	"Must be a valid boolean.":                                   "请输入有效的布尔值。",
	"Expected a list of items.":                                  "请提供列表。",
	"Expected an object.":                                        "请提供对象。",
	"“%v” is not a valid choice. Use one of: %s.":                "“%v”不是有效的选项，可选：%s。",
	"Enter %d or %d.":                                            "请输入 %d 或 %d。",
	"Ensure this field has no more than %d bytes.":               "此项不能超过 %d 个字节。",
	"Ensure this field has no more than %d characters.":          "此项不能超过 %d 个字符。",
	"Ensure this field has at least %s characters.":              "此项不能少于 %s 个字符。",
	"Ensure this field has no more than %d elements.":            "此项不能超过 %d 个元素。",
	"Ensure this field has at least %s elements.":                "此项不能少于 %s 个元素。",
	"Ensure this value is no more than %s.":                      "此值不能大于 %s。",
	"Ensure this value is at least %s.":                          "此值不能小于 %s。",
	"Ensure this value is between -%[1]v and %[1]v.":             "此值须在 -%[1]v 和 %[1]v 之间。",
	"Ensure this value is greater than 0 and at most %v.":        "此值须大于 0 且不超过 %v。",
	"Enter a whole number of 1 or greater.":                      "请输入不小于 1 的整数。",
	"Enter a full address that begins with http:// or https://.": "请输入以 http:// 或 https:// 开头的完整网址。",
	"Enter a language tag, like en or zh-CN.":                    "请输入语言标签，例如 en 或 zh-CN。",
	"Use one line.":                                              "请只写一行。",

	// Times and days.
	"Date has wrong format. Use YYYY-MM-DD.":        "日期格式错误，请使用 YYYY-MM-DD。",
	"There is no such day. Use YYYY-MM-DD.":         "该日期不存在，请使用 YYYY-MM-DD。",
	"Enter a day like 2026-11-20.":                  "请输入日期，例如 2026-11-20。",
	"Enter a time between the years 1000 and 9999.": "请输入 1000 年至 9999 年之间的时间。",
	"The end must not be before the start.":         "结束时间不能早于开始时间。",
	"The update must not be before the creation.":   "更新时间不能早于创建时间。",
	"This day is in the future.":                    "该日期尚未到来。",
	"Unknown time zone %q.":                         "未知的时区：%q。",

	// Logging in, accounts and codes.
	"Authentication credentials were not provided. " +
		"Send the header Authorization: Token KEY.": "未提供身份凭证，请发送请求头 Authorization: Token KEY。",
	"Invalid token. Log in again.":                                         "令牌无效，请重新登录。",
	"Token not found.":                                                     "令牌不存在。",
	"The token lacks the scope %s.":                                        "令牌缺少权限 %s。",
	"This needs a token whose login named no scopes.":                      "此操作需要登录时未指定权限的令牌。",
	"Back-office login permission and the scope back_office are required.": "需要后台登录许可和 back_office 权限。",
	"Unknown scope %s.":                                                    "未知的权限%s。",
	"This account does not have the scope %s.":                             "此账号没有权限%s。",
	"Unable to log in with provided credentials.":                          "登录名或密码错误。",
	"Too many failed logins. Try again later.":                             "登录失败次数过多，请稍后再试。",
	"Too many logins at once. Try again in a moment.":                      "当前登录人数过多，请稍后再试。",
	"You are logging in too often. Try again later.":                       "您登录过于频繁，请稍后再试。",
	"Enter a phone number in the form +{country dialling code}-{phone " +
		"number}, like +86-13800000001.": "请按“+国家/地区代码-手机号”的格式输入，例如 +86-13800000001。",
	"No country has this dialling code. Enter the code before the dash and the rest of the number after it, like " +
		"+86-13800000001.": "国家/地区代码不存在。请在短横线前输入代码，其后输入其余号码，例如 +86-13800000001。",
	"Leave out the 0 before the number: it is dialled only within the country.": "请去掉号码开头的 0，它只在境内拨号时使用。",
	"An account with this phone number exists.":                                 "此手机号已注册。",
	"Account not found.":                                                  "账号不存在。",
	"The data of this account was erased.":                                "此账号的数据已清除。",
	"The password is wrong.":                                              "密码错误。",
	"The password has just been changed by another request.":              "密码刚刚已被另一个请求修改。",
	"This password is too short. It must contain at least %d characters.": "密码过短，至少需要 %d 个字符。",
	"This password is too common.":                                        "此密码过于常见。",
	"This password is too easy to guess.":                                 "此密码太容易被猜到。",
	"Enter the code of six digits.":                                       "请输入 6 位数字验证码。",
	"The code is wrong or has expired.":                                   "验证码错误或已过期。",
	"Too many codes were requested. Try again later.":                     "获取验证码过于频繁，请稍后再试。",
	"Too many wrong codes were tried. Try again later.":                   "验证码错误次数过多，请稍后再试。",
	"Codes are not sent to numbers with this dialling code.":              "暂不支持向此国家/地区代码的号码发送验证码。",
	"No more codes are sent today. Try again tomorrow.":                   "今日验证码发送量已达上限，请明天再试。",

	// People, and following.
	"User not found.":                                         "用户不存在。",
	"Subscription not found.":                                 "关注不存在。",
	"You cannot follow yourself.":                             "不能关注自己。",
	"Follow either a user or a category, not both.":           "只能关注用户或分类中的一个，不能同时关注。",
	"One of followed_user and followed_category is required.": "followed_user 和 followed_category 必须提供一项。",
	"You are following too often. Try again later.":           "您关注过于频繁，请稍后再试。",

	// Events, plates and comments.
	"Event not found.":                                                   "事件不存在。",
	"Only the author may change an event.":                               "只有作者可以修改事件。",
	"A published event may not be blank.":                                "已发布的事件不能为空。",
	"A published event may not be blank. Make it a draft, or delete it.": "已发布的事件不能为空，请改为草稿或删除。",
	"The event is being changed by other requests. Try again.":           "该事件正被其他请求修改，请重试。",
	"Order by event_time or create_time, with a leading - for " +
		"descending order.": "请按 event_time 或 create_time 排序，降序时在前面加 -。",
	"You are changing events too often. Try again later.":     "您修改事件过于频繁，请稍后再试。",
	"You may have at most %d drafts. Publish or delete some.": "您最多可有 %d 份草稿，请先发布或删除一些。",
	"Plate not found.":                "插图不存在。",
	"An event has at most %d plates.": "每个事件最多可有 %d 张插图。",
	"Comment not found.":              "评论不存在。",
	"Only the author of the comment or of the event may delete a comment.": "只有评论的作者或事件的作者可以删除评论。",
	"You are commenting too often. Try again later.":                       "您评论过于频繁，请稍后再试。",
	"You may write at most %d comments on an event. Delete some.":          "每个事件下您最多可发表 %d 条评论，请先删除一些。",
	"You are liking too often. Try again later.":                           "您点赞过于频繁，请稍后再试。",

	// The feed and publications.
	"Category not found.": "分类不存在。",
	"Category not found. The path takes its id, not its slug, or %s.": "分类不存在。路径中请使用分类的 id（不是 slug），或 %s。",
	"Category IDs must be 1 or greater.":                              "分类 ID 不能小于 1。",
	"Enter a category ID, or null.":                                   "请输入分类 ID 或 null。",
	"Enter the ID of another category, or null.":                      "请输入另一个分类的 ID 或 null。",
	"Enter letters and digits, separated by single hyphens or " +
		"underscores.": "请输入字母和数字，可用单个连字符或下划线分隔。",
	"The parents form a cycle.": "上级分类形成了循环。",
	"Page not found.":           "页码不存在。",
	"Too many wide areas are being searched at once. " +
		"Try again in a moment.": "当前大范围搜索过多，请稍后再试。",
	"The server is sending too many large lists. Try again soon.": "服务器正在发送过多的大列表，请稍后再试。",
	"A bundle cannot be a translation of itself.":                 "合集不能是自身的译文。",

	// Pictures.
	"Picture not found.":                                             "图片不存在。",
	"Image not found.":                                               "图片不存在。",
	"Only the owner may change an image.":                            "只有所有者可以修改图片。",
	"A user may have at most %d images.":                             "每位用户最多可有 %d 张图片。",
	"A tag may not contain a comma.":                                 "标签不能包含逗号。",
	"Filter by at most %d tags.":                                     "最多按 %d 个标签筛选。",
	"Upload a valid image: JPEG, PNG, GIF or WebP.":                  "请上传有效的图片：JPEG、PNG、GIF 或 WebP。",
	"The image is larger than 10 MiB.":                               "图片超过 10 MiB。",
	"The image has more than 40 megapixels.":                         "图片超过 4000 万像素。",
	"Send the picture as base64 or as a base64 data URI.":            "请以 base64 或 base64 data URI 发送图片。",
	"Enter a number of pixels between 1 and %d.":                     "请输入 1 到 %d 之间的像素数。",
	"The link is invalid or has expired.":                            "链接无效或已过期。",
	"Your pictures may take at most %s. Delete some.":                "您的图片最多可占用 %s，请先删除一些。",
	"You are uploading too many pictures. Try again later.":          "您上传的图片过多，请稍后再试。",
	"You are uploading too much data. Try again later.":              "您上传的数据过多，请稍后再试。",
	"The server is processing too many pictures. Try again soon.":    "服务器正在处理过多的图片，请稍后再试。",
	"The server is reading too many large pictures. Try again soon.": "服务器正在接收过多的大图片，请稍后再试。",
	"The server can't store pictures right now. Try again later.":    "服务器暂时无法保存图片，请稍后再试。",
	"Picture storage is failing.":                                    "图片存储出现故障。",
	"Picture storage is unavailable. Try again soon.":                "图片存储暂时不可用，请稍后再试。",

	// Orders, payments and refunds.
	"Order not found.":     "订单不存在。",
	"No open order found.": "没有待支付的订单。",
	"Several orders are open. Choose one with order_id.": "有多个待支付的订单，请用 order_id 指定一个。",
	"This order is already paid.":                        "此订单已支付。",
	"This order is closed.":                              "此订单已关闭。",
	"This order has expired.":                            "此订单已过期。",
	"This order expires within a minute. " +
		"It is too late to begin a payment.": "此订单即将在一分钟内过期，无法再发起支付。",
	"A payment of this order is being prepared. Try again soon.": "此订单的支付正在准备中，请稍后再试。",
	"Another way of paying this order is active. " +
		"It can be cancelled only after five minutes.": "此订单正在使用另一种支付方式，五分钟后才能取消。",
	"The only supported currency is %s.":                   "仅支持货币 %s。",
	"The only supported method is 200, the mobile wallet.": "仅支持支付方式 200（手机钱包）。",
	"The end_type %d requires %s.":                         "end_type %d 需要 %s。",
	"The end_type %d requires the payer's open_id.":        "end_type %d 需要付款人的 open_id。",
	"Ensure this value is between %d and %d, in the currency's minor " +
		"units.": "此值须在 %d 和 %d 之间，以货币最小单位计。",
	"Ensure this value is 1 or greater, in the currency's minor units.": "此值不能小于 1，以货币最小单位计。",
	"Ensure this value is between 1 second and 366 days.":               "此值须在 1 秒到 366 天之间。",
	"Payment not found.":                         "支付记录不存在。",
	"Refund not found.":                          "退款不存在。",
	"Refunds are not configured.":                "未配置退款。",
	"A payment has at most %d refunds.":          "每笔支付最多 %d 次退款。",
	"Nothing is left of this payment to refund.": "此笔支付已无可退金额。",
	"Only %d is left of this payment to refund, in the currency's " +
		"minor units.": "此笔支付仅剩 %d 可退，以货币最小单位计。",

	// The wallet.
	"No wallet is configured.":                                      "未配置钱包。",
	"The wallet is busy. Try again soon.":                           "钱包繁忙，请稍后再试。",
	"The wallet did not answer. It is safe to try again.":           "钱包没有响应，可以放心重试。",
	"The wallet sent an invalid response. It is safe to try again.": "钱包返回了无效的响应，可以放心重试。",
	"The wallet refuses requests from this service.":                "钱包拒绝了本服务的请求。",
	"The wallet has already received the payment of this order.":    "钱包已收到此订单的付款。",
	"The wallet has closed this payment.":                           "钱包已关闭此笔支付。",
	"The wallet did not close this payment.":                        "钱包未能关闭此笔支付。",
	"The wallet does not know this payment.":                        "钱包中没有此笔支付。",
	"The wallet has another payment with this number.":              "钱包中此单号对应另一笔支付。",
	"The wallet has insufficient funds.":                            "钱包余额不足。",
	"The merchant's balance at the wallet is too low.":              "商户在钱包的余额不足。",
	"The wallet does not know this refund.":                         "钱包中没有此笔退款。",
	"The wallet has another refund with this number.":               "钱包中此单号对应另一笔退款。",
	"The wallet does not refund so much of this payment, or no longer " +
		"refunds it.": "钱包不支持退还此金额，或此笔支付已不能退款。",
	"The wallet has not made the bill of this day yet.": "钱包尚未生成当日账单。",
	"No bill of this day.":                              "当日没有账单。",
	"Not a valid wallet identifier.":                    "请输入有效的钱包标识。",
	"This notification is not from the wallet.":         "此通知并非来自钱包。",
	"This notification reports a failed payment.":       "此通知报告的是支付失败。",

	// Idempotency keys.
	"Send exactly one key.":                                       "请只发送一个密钥。",
	"A request with this Idempotency-Key is in progress.":         "使用此 Idempotency-Key 的请求正在处理中。",
	"This Idempotency-Key was already used with another request.": "此 Idempotency-Key 已用于另一个请求。",
	"The response for this Idempotency-Key has expired. " +
		"Retry with a new key.": "此 Idempotency-Key 的响应已过期，请使用新的密钥重试。",
	"What the request with this Idempotency-Key created is no longer " +
		"available.": "使用此 Idempotency-Key 创建的内容已不可用。",

	// Imported records.
	"Not found: %s %s.": "未找到：%s %s。",
	"File not found.":   "文件不存在。",
	"Enter a relative path with slashes to a file in the same folder " +
		"or below it.": "请输入用斜杠分隔的相对路径，文件须在同一文件夹或其子文件夹中。",
	"Enter either a file, or a url with width and height.": "请提供文件，或提供 url 以及宽和高。",
	"Another imported user has this phone number.":         "另一位导入的用户已使用此手机号。",
	"This user has another phone number. " +
		"An import does not change phone numbers.": "此用户已有其他手机号，导入不会更改手机号。",
	"The data of this user was erased. An import does not bring it back.": "此用户的数据已清除，导入不会恢复。",

	// Texts of SMS. With the line for browsers, each fits into one SMS of 70 characters.
	"%s is your code to join Plaza. It expires in %d minutes.": "您注册 Plaza 的验证码是 %s，%d 分钟内有效。",
	"%s is your code to reset your Plaza password. " +
		"It expires in %d minutes. Never tell it to anyone.": "您重设 Plaza 密码的验证码是 %s，%d 分钟内有效，请勿告诉他人。",
	"%s is your code to use this number with Plaza. " +
		"It expires in %d minutes.": "您更换 Plaza 手机号的验证码是 %s，%d 分钟内有效。",
	"%s is your code to erase your Plaza account. " +
		"It expires in %d minutes. Never tell it to anyone.": "您注销 Plaza 账号的验证码是 %s，%d 分钟内有效，请勿告诉他人。",
}
