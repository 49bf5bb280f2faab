package guard

import (
	"cmp"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/lazyregexp"
)

// class is a kind of harm: what it is called on buttons, in resource ids, in the text of a dialog
// that asks for it, and in a task that wants it done. English words stand between word boundaries;
// Chinese has none.
type class struct {
	name     string
	severity Severity
	en, zh   string // what it does, in words for people
	words    string // of buttons, in English
	han      string // of buttons, in Chinese
	not      string // what such words may also say, in either language
	ids      string // of resource ids, taken apart into words
	asks     string // of the text of a dialog, or of a page that leaves "OK" to be said
	task     string // of a task, in English
	taskHan  string // and in Chinese
}

// classes are the built-in rules, the gravest first.
var classes = []class{
	{name: "pay", severity: Critical, en: "it may pay money", zh: "可能会付款",
		words: `pay|repay|top ?up|recharge|donate|make (?:a )?payment|(?:confirm|submit|complete|` +
			`authori[sz]e|process|schedule|approve) (?:the |this |your )?payment|add (?:money|` +
			`funds)|settle (?:up|now|(?:the |your )?bill)|(?:upgrade|subscribe|unlock|renew|book|` +
			`reserve|request|join|tip|continue|start|get|donate)\b.*[$€£¥] ?\d.*|start (?:paid ` +
			`)?subscription|start (?:my |your |a )?(?:free )?trial|use (?:fingerprint|face|touch ` +
			`id|biometrics?) to pay`,
		han: `支付|付款|付钱|缴费|充值|买单|结账|还款|打赏|开通会员|续费`,
		not: `\bpay(?:ments?)? (?:attention|methods?|options?|history|settings)\b|\b(?:apple|` +
			`google|samsung) pay$|支付宝|(?:支付|付款)(?:方式|设置|管理|记录|成功|完成|码)|[待未已收]付款|已支付|待支付|微信支付$|` +
			`充值记录|还款记录`,
		ids: `(?:(?:confirm|submit|do|go|btn|button|to|and) )*pay(?: (?:now|button|btn|confirm|` +
			`order))*|(?:(?:confirm|submit|do|make|btn|button) )+payment(?: (?:button|btn))*|` +
			`payment (?:confirm|button|btn|submit)|(?:topup|recharge|donate)(?: button| btn| ` +
			`now)?|zhifu|fukuan`,
		asks: `\b(?:confirm|authori[sz]e|complete|make|approve) (?:the |this |your |a ` +
			`)?(?:payment|purchase|transaction)|\b(?:you|your card\b.{0,20})(?: will|['’]ll) be ` +
			`charged|\b(?:pay|buy|charge|tip|bid|book|reserve|order|rent|donate|subscri\w*|` +
			`upgrade|withdraw|sell|transfer|send|add|accept|use|` +
			`spend)\b[^.?]{0,60}?(?:[$€£¥] ?\d|\d[\d.,]* ?(?:usd|eur|gbp|btc|eth|元))[^?]{0,40}\?|` +
			`(?:^|本次|需|应|将|请)(?:支付|付款|扣款|扣除) ?¥? ?\d|\bpay (?:now|with|to|[$€£¥\d])|\b(?:enter|` +
			`type|confirm with|use) (?:the |your )?(?:payment (?:password|pin)|pin (?:of your ` +
			`wallet|to pay)|(?:fingerprint|face) to pay)|(?:确认|确定|立即|验证后?|是否)(?:要)?(?:支付|付款|充值|` +
			`缴费)|支付密码|(?:指纹|刷脸|面容)支付|将(?:从|扣)`},
	{name: "order", severity: Critical, en: "it may place an order", zh: "可能会下单",
		words: `place (?:your |the |my |an )?order|submit (?:the |your )?order|order now|buy(?: ` +
			`it)? now|buy(?: with| for)?(?: [$€£¥1].*)?|purchase(?: now)?|1-(?:click|tap) buy|` +
			`(?:confirm|complete|finali[sz]e) (?:the |your |my )?(?:order|purchase|booking|` +
			`reservation|check-?out|pick-?up|ride|uber\w*)|book now|bid now|place (?:a )?bid|` +
			`pre-?order|reserve now|order with .*|check ?out (?:now|[$€£¥].*)|(?:rent|bid)(?: ` +
			`for)? [$€£¥].*|request (?:a )?ride`,
		han: `提交订单|确认下单|立即下单|马上下单|去下单|^下单|确认订单|立即购买|确认购买|一键购买|马上抢|立即抢购|立即预订|确认预订|呼叫(?:专车|快车)|` +
			`确认呼叫|^购买$|马上买|立即订购|(?:立即|一键)叫车|确认用车|(?:确认|立即)(?:买入|卖出|申购|赎回)|下注|投注|立即出价`,
		not: `\bbuy (?:again$|list)|下单成功`,
		ids: `(?:place|submit|confirm) order|order submit|tijiao dingdan|tijiaodingdan|goumai|` +
			`(?:btn|button) order|order (?:btn|button)|buy(?: now| button| btn)?|order now|` +
			`purchase(?: button| btn| now)?`,
		asks: `\bplace (?:your |this |the )?order\b|\b(?:confirm|complete) (?:your |this |the ` +
			`)?(?:order|booking|purchase)|\b1-tap buy|(?:确认|确定|是否)(?:要)?(?:下单|购买|提交订单|预订|叫车|买入|` +
			`卖出|申购)`},
	{name: "transfer", severity: Critical, en: "it may send money", zh: "可能会转账",
		words: `transfer(?: now| money| funds)?|send (?:money|[$€£¥]\d.*|cash|payment)|withdraw|` +
			`cash out|wire(?: money)?|remit|(?:confirm|submit|make) (?:the |this |a )?transfer|` +
			`sell all|(?:approve|sign|confirm) (?:the |this )?transaction|(?:invest|swap|sell) now`,
		han: `转账|转钱|汇款|转出|提现|发红包|塞钱进红包|领取并转账`,
		not: `\b(?:file|data|photo) transfer|transfer (?:files?|photos?|data|history)|转账记录|提现记录`,
		ids: `transfer confirm|zhuanzhang|(?:confirm|submit|do|btn|button)? ?transfer(?: now| ` +
			`button| btn| money)?|send money|withdraw(?: button| btn)?|cash out`,
		asks: `\b(?:transfer|send|wire) (?:[$€£¥]\s?\d|\d+ ?(?:usd|eur|gbp|cny|dollars|euros))|` +
			`\b(?:confirm|complete) (?:the |this |your )?transfer|\b(?:sign|approve) (?:the |` +
			`this )?transaction|(?:确认|确定|是否)(?:要)?(?:转账|汇款|提现|转出)|向.{1,20}转账|塞钱`},
	{name: "factory reset", severity: Critical, en: "it may erase the phone",
		zh: "可能会清除整部手机",
		words: `factory(?: data)? reset|erase (?:all|everything)(?: .*)?|reset (?:phone|device|` +
			`tablet)|wipe (?:data|phone|device)(?: .*)?|delete all data|format (?:phone|sd card|` +
			`storage)(?: .*)?`,
		han: `恢复出厂设置|清除所有数据|抹掉所有|重置手机|还原手机|格式化|清空手机|恢复出厂`,
		ids: `factory reset|wipe (?:data|phone|device)|master clear|initiate master clear|` +
			`execute master clear|erase (?:all|everything)`,
		asks: `\bfactory (?:data )?(?:reset|defaults|settings)|\breset (?:this |your |the ` +
			`)?(?:phone|device|tablet)|\berase (?:all|everything)|\bformat\b.{0,30}\?|\ball ` +
			`(?:your |of your )?(?:data|personal information).{0,60}\b(?:erased|deleted|lost)|` +
			`恢复出厂|清除所有(?:数据|内容)|抹掉所有|格式化`},
	{name: "device admin", severity: Critical, en: "it may give an app power over the phone",
		zh: "可能会让应用控制手机",
		words: `activate(?: this)? device admin(?: app)?|(?:enable|add|set) (?:device|profile) ` +
			`(?:admin(?:istrator)?|owner)`,
		han: `激活(?:此)?设备管理.*|启用设备管理.*`,
		ids: `activate device admin|device admin (?:activate|add)`,
		asks: `\bdevice admin(?:istrator)?(?: app)?\?|\bactivat(?:e|ing) (?:this )?(?:device ` +
			`)?admin|\b(?:full control of your device)|设备管理(?:器|应用)|完全控制(?:您|你)的设备`},
	{name: "delete", severity: Sensitive, en: "it may delete something", zh: "可能会删除内容",
		words: `delete|erase|wipe|empty (?:the )?(?:trash|bin|recycle bin)|clear(?:$| (?:all|` +
			`data|storage|cache|history|chats?|conversations?|messages?))|remove|discard|` +
			`deactivate|close (?:my )?account|cancel (?:my |the |your )?(?:order|subscription|` +
			`booking|membership|account)|move to (?:trash|bin)|reset (?:all )?(?:settings|` +
			`preferences)|force stop|block(?:$| (?:user|contact|number))|unsend|purge|shred|` +
			`destroy|unfriend|forget (?:the |this )?(?:network|device)|(?:leave|exit) (?:the |` +
			`this )?(?:group|channel|server)|reset (?:network|app|wi-?fi)\b.*`,
		han: `删除|刪除|清空|清除|移除|注销账[号户]|取消(?:订单|订阅|预订|关注全部)|丢弃|强行停止|拉黑|解散|退群|退出群聊|` +
			`解除好友|(?:恢复默认|(?:还原|重置).{0,4})设置`,
		not: `\b(?:clear|remove|delete) (?:text|search|query|input|filters?|selection|from ` +
			`(?:the )?(?:cart|basket|favou?rites))|recently deleted|backspace|最近删除|清除(?:输入|搜索|` +
			`筛选)|已删除|回收站$`,
		ids: `(?:btn|button|menu|action|ic|icon)? ?(?:delete|erase|trash)(?: button| btn| all| ` +
			`confirm| forever| icon| note| item| message| conversation| account| chat| photo| ` +
			`file| row| post| comment| address| card| contact| event| user)?|del|shanchu|` +
			`deactivate|close account|block user|clear (?:all|data|history)|empty trash|(?:btn|` +
			`button|action) (?:remove|discard)`,
		asks: `\b(?:delete|erase|discard|clear|remove|wipe|empty|unfriend)\b[^.]{0,80}\?|` +
			`\b(?:block|forget|reset)\b (?:\w+ (?:and|or) \w+ )?(?:all|the|this|that|` +
			`your)\b.{0,60}\?|\bmove\b.{0,60}\b(?:trash|bin)\?|\b(?:quit|leave|exit) (?:the |` +
			`this |that )?(?:group|channel|server)\b.{0,30}\?|\bcancel (?:the |this |your |my ` +
			`)?(?:order|subscription|booking|membership|account|plan|ride|trip)\b.{0,30}\?|\band ` +
			`block\b.{0,60}\?|(?:清空|重置|拉黑|解除|退群|退出群聊?).{0,12}(?:\?|吗)|(?:是否|确定|` +
			`确认)(?:要)?.{0,10}(?:重置|拉黑|解除|退群|退出群)|\b(?:cannot|can't|can not|can’t) be undone|` +
			`\bpermanently|\bwill be (?:deleted|erased|removed|lost)|(?:确定|确认|是否|` +
			`要)(?:要)?.{0,30}(?:删除|清空|清除|移除|丢弃)|删除(?:这|此|该|所选|全部|吗).*|(?:无法|不可)(?:恢复|撤销)|将被(?:删除|` +
			`清除)`,
		task:    `delete|erase|remove|clear|wipe|empty|discard|cancel|deactivate|block|get rid of`,
		taskHan: `删除|删掉|删了|删去|刪除|清空|清除|移除|取消|注销|丢弃|拉黑`},
	{name: "send", severity: Sensitive, en: "it may send something", zh: "可能会发送内容",
		words: `send(?: now| message| sms| mms| email| anyway| to .*)?|reply all|forward (?:now|` +
			`to .*)|(?:hold|press(?: and hold)?) to (?:talk|speak|record)`,
		han: `发送|按住说话|發送|发出|發出|群发|确认转发`,
		not: `\b(?:re)?send (?:a |the |me (?:a )?|new )*(?:verification |login |sms )?(?:code|` +
			`otp)\b|[发發]送(?:新?[验驗][证證][码碼]|到(?:电脑|手机)$)|重新[发發]送|已[发發]送`,
		ids: `fasong|(?:btn|button|action|ic|chat|message|compose|fab)? ?send(?: msg| message| ` +
			`button| btn| icon| sms| mail| now| message button(?: container| icon)?)?`,
		asks: `\bsend\b[^.]{0,60}\?|(?:确定|确认|是否)(?:要)?(?:发送|转发)|发送.{0,20}吗`,
		task: `send|text|message|mail|e-?mail|write to|reply|forward|tell (?:him|her|them|us|my|` +
			`everyone|[a-z]{3,} that)|let (?:(?:my|the|our) )?[a-z]{3,}.{0,40} know`,
		taskHan: `发送|发给|发消息|发短信|发邮件|发出|发微信|发一|发个|回复|告诉[^我]|转发|写信给`},
	{name: "publish", severity: Sensitive, en: "it may publish something", zh: "可能会发布内容",
		words: `publish(?: .*)?|post(?:$| (?:now|it|comment|reply))|tweet|share now|broadcast|` +
			`repost|retweet|go live|start (?:live ?)?(?:broadcast|stream)|(?:add|share) to (?:my ` +
			`|your )?story|submit (?:review|comment|reply|post|form|application|report)`,
		han: `发布|發佈|发表|發表|发帖|提交评[论价]|立即分享`,
		not: `发布会|已[发發][布佈]|发布于`,
		ids: `(?:btn|button|action) (?:publish|post|tweet)|(?:publish|post|tweet) (?:button|btn)|` +
			`publish|submit (?:review|comment|post)`,
		asks:    `\b(?:publish|post|share|submit)\b[^.]{0,60}\?|(?:确定|确认|是否)(?:要)?(?:发布|发表|提交)`,
		task:    `publish|tweet|submit|post|share|comment|broadcast`,
		taskHan: `发布|发表|发帖|发朋友圈|发微博|分享|评论|提交`},
	{name: "grant", severity: Sensitive, en: "it may grant a permission", zh: "可能会授予权限",
		words: `allow(?: .*)?|grant(?: .*)?|while using the app|only this time|authori[sz]e(?: ` +
			`.*)?|(?:turn on|enable) accessibility|always allow|give (?:access|permission)|share ` +
			`(?:my |live )*location`,
		han: `允许|始终允许|仅限这一次|使用时允许|使用应用时允许|仅在使用.*允许|授权|同意授权|授予`,
		not: `\ballow list\b|允许的|已允许|已授权|未授权|授权管理`,
		ids: `permission allow.*|(?:btn|button|action) (?:allow|grant|authori[sz]e)|(?:allow|` +
			`grant) (?:button|btn|permission)`,
		asks: `\ballow\b.{0,80}\?|\bwants? (?:to )?(?:access|permission)|(?:允许|授权|` +
			`授予).{0,60}[吗?？]|申请.{0,20}权限|访问(?:您|你)的|(?:是否|确定|确认)(?:要)?(?:允许|授权|授予)`,
		task: `allow|grant|permit|authori[sz]e|give .{0,40}(?:access|permissions?|rights?)|` +
			`(?:turn on|enable) .{0,40}(?:access|permissions?|location|gps|camera|microphone|` +
			`contacts|notifications?|accessibility)`,
		taskHan: `允许|授权|权限|授予`},
	{name: "install", severity: Sensitive, en: "it may install an app", zh: "可能会安装应用",
		words: `install(?: .*)?|get app|update all`,
		han:   `安装|安裝|全部更新|继续安装|仍然安装`,
		not:   `\binstalled\b|\binstallments?\b|已安装|安装成功|安装包$|未安装`,
		ids:   `(?:btn|button|action)? ?install(?: button| btn| confirm)?`,
		asks:  `\binstall\b.{0,80}\?|(?:安装|更新).{0,40}[吗?？]|(?:是否|确定|确认)(?:要)?(?:安装|更新)`,
		task:  `install|download|(?:get|update) .{0,40}apps?`, taskHan: `安装|下载|更新`},
	{name: "uninstall", severity: Sensitive, en: "it may remove an app", zh: "可能会卸载应用",
		words: `uninstall(?: .*)?|disable app|uninstall updates`,
		han:   `卸载|解除安裝|停用应用`,
		ids:   `(?:btn|button|action)? ?uninstall(?: button| btn| confirm)?`,
		asks:  `\buninstall\b.{0,80}\?|卸载.{0,40}[吗?？]|(?:是否|确定|确认)(?:要)?卸载`,
		task:  `uninstall|remove .{0,30}apps?|delete .{0,30}apps?`, taskHan: `卸载|删除.{0,12}应用`},
	{name: "account", severity: Sensitive, en: "it may log out or change a password",
		zh: "可能会退出登录或修改密码",
		words: `(?:log|sign) ?(?:me )?(?:out|off)(?: .*)?|switch account|(?:change|reset|set|` +
			`update|save) (?:the |your |my |new )*(?:password|pin|passcode|screen lock)|remove ` +
			`account|turn off (?:find my device|2-step verification|screen lock)`,
		han: `退出登录|退出账[号户]|登出|注销|切换账号|(?:修改|重置|更改|设置|保存).{0,4}密码|退出当前账[号户]`,
		not: `\bforgot(?:ten)?\b|忘记密码`,
		ids: `(?:btn|button|action|menu)? ?(?:log ?out|sign ?out|logoff)(?: button| btn| row)?|` +
			`(?:change|reset) (?:password|pin)(?: button| btn)?|remove account`,
		asks: `\b(?:log|sign) ?out\b.{0,60}\?|(?:确定|确认|是否)(?:要)?(?:退出|登出|注销)|(?:change|reset) ` +
			`(?:your )?password\?`,
		task: `log ?(?:out|off)|sign ?(?:out|off)|(?:change|reset|update|set) .{0,20}(?:password|` +
			`pin|passcode)`,
		taskHan: `退出登录|退出账[号户]|登出|注销|(?:修改|重置|更改|设置).{0,6}密码|切换账号`},
}

// matcher is what a class's words become: one pattern for each place where they are looked for.
type matcher struct {
	*class
	anywhere, atStart, not, id, asked *lazyregexp.Regexp

	// of what cannot be undone, written as one word; else nil
	joined, joinedID *lazyregexp.Regexp

	hints   []string        // of asked
	foreign *foreignMatcher // nil when it is known in English and Chinese only
}

// leadIn is what may stand before the words on a button.
const leadIn = `^(?:(?:yes|ok|agree|accept|confirm|continue|proceed|review|save|verify|log ?in|` +
	`sign ?in|permanently|immediately|instantly|really|definitely|finally|quick(?:ly)?|bulk|mass|` +
	`tap|click|slide|swipe|hold|press|drag|next|please|i)[,:!.]?(?: [-–—])?(?: (?:up|down|left|` +
	`right|here))?(?: (?:and|&|to|agree))?[ :]+|(?:是|好|确认|确定|立即|马上|同意|并|去|点击|滑动|向?[上下左右]滑动?|按住|` +
	`长按|请|我要|继续|仍然|仍要|一键|批量|全部|直接|彻底|永久|免费|现在)+[,, ]?)*`

// matchers are the classes, ready to be looked for.
var matchers = sync.OnceValue(func() []matcher {
	list := make([]matcher, len(classes))
	for i := range classes {
		c := &classes[i]
		list[i] = matcher{class: c, hints: hintsOf(c.asks),
			foreign:  foreignMatchers()[c.name],
			anywhere: lazyregexp.New(`\b(?:` + c.words + `)(?:\b|$)|` + c.han),
			atStart:  lazyregexp.New(leadIn + `(?:(?:` + c.words + `)(?:\b|$)|` + c.han + `)`),
			not:      lazyregexp.New(c.not),
			id:       lazyregexp.New(`^(?:` + c.ids + `)$`),
			asked:    lazyregexp.New(c.asks)}
		if c.severity == Critical {
			list[i].joined = lazyregexp.New(`^(?:confirm|yes|ok|tap|click)?(?:` +
				strings.ReplaceAll(c.words, " ", "") + `)(?:now|it|all|here|order|money|bills?)?$`)
			list[i].joinedID = lazyregexp.New(`^(?:` + strings.ReplaceAll(c.ids, " ", "") + `)$`)
		}
	}
	return list
})

// asksIn are the words of a text that ask for what the class does, "" for none.
func (f *matcher) asksIn(text string) string {
	if f.foreign != nil && question(text) {
		if words := f.foreign.matches(text, true, false); words != "" {
			return words
		}
	}
	if !hinted(text, f.hints) {
		return ""
	}
	return f.asked.FindString(text)
}

// question reports whether a text asks, in any language.
func question(text string) bool {
	return strings.ContainsAny(text, "?؟") || strings.Contains(text, "ますか")
}

// oneWord is the word of a line that is several which say what the class does: PayNow.
func (f *matcher) oneWord(line string) string {
	for word := range strings.FieldsSeq(line) {
		if len(word) > 5 && len(word) < 20 && f.joined.MatchString(word) {
			return word
		}
	}
	return ""
}

// endsID reports whether the words of a resource id end with what the class does.
func (f *matcher) endsID(words []string) bool {
	for i := range words {
		if f.id.MatchString(strings.Join(words[i:], " ")) {
			return true
		}
	}
	return false
}

// matches are the words of a button's line that say what the class does, "" for none. Those of what
// cannot be undone count wherever they stand, unless the line is long; others at its beginning.
func (f *matcher) matches(line string, content bool) string {
	if f.not.String() != "" {
		line = f.not.ReplaceAllString(line, " ")
	}
	words := ""
	if f.severity == Critical && !content {
		words = cmp.Or(f.anywhere.FindString(line), f.oneWord(line))
	} else {
		words = f.atStart.FindString(strings.TrimSpace(line))
	}
	if words == "" && f.foreign != nil {
		return f.foreign.matches(line, f.severity == Critical, content)
	}
	return words
}
