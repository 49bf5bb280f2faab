package inquiry

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/taploop/taploop/internal/lazyregexp"
)

// What only the phone should see.
const (
	secretZH = `(?:密码|口令|(?:验证|校验|动态|短信|安全|认证|确认|备[用份]|恢复|激活|授权)码|位数字|(?:银行|信用|储蓄|借记)?卡号|身份证号码?|` +
		`助记词|(?:恢复|备份)(?:短语|密钥)|私钥|密保|令牌|安全(?:问题|提问)|CVV|CVC|PIN)`
	secret = `(?:\b(?:passwords?|passcodes?|passphrases?|codes?|otps?|cvv|cvc|2fa|one[- ]time pass|` +
		`(?-i:PINs?|PUKs?|\w*TANs?)|pin (?:codes?|number)|(?:the|your|my|card|sim) pin)\b|` + // not "pin it"
		`\b(?:cards?(?:['’]s)?|social security|security|id card|passport) numbers?\b|` +
		`\b(?:numbers?|digits)\b.{0,30}\b(?:cards?|text(?:s|ed)|e-?mailed)\b|\b(?:\w+-digit|` +
		`security|hardware|login) tokens?\b|\bkey ?fobs?\b|\b(?:recovery|seed|backup|secret|` +
		`mnemonic) (?:phrase|words?|key)s?\b|\bmnemonics?\b|\b(?:private|api) keys?\b|\bmaiden ` +
		`name\b|\b(?:security|secret) (?:question|answer)s?\b|\b(?:digits|` +
		`numbers?)\b.{0,30}\b(?:authenticator|sms|text message)\b|` + secretZH + `)`
)

var (
	namesSecret = lazyregexp.New(`(?i)` + secret)

	// noSecret has the words of a secret in it and is none: another sort of code, a part of the
	// screen, or where a code comes from ("shown on your phone" is not where it is to be entered).
	noSecret = lazyregexp.New(`(?i)\b(?:postal|post|zip|promo\w*|discount|coupon|voucher|gift|` +
		`country|area|dial\w*|qr|bar|error|source|status|product|referral|invit\w+|colou?r|dress|` +
		`currency|airport|booking|reference|reservation|tracking|flight)[ -]codes?\b|` +
		`\b(?:password|passcode|code|pin)s? (?:manager|field|box|page|screen|hint|setting)s?\b|` +
		`\b(?:shown|displayed|sent|received|you (?:see|got|get)|appears?) (?:\w+ ){0,3}?(?:on|in|` +
		`at|to|by) (?:the|your|this) \w+|密码(?:管理器|输入框|框|栏)|(邮政编码|优惠码|二维码|邀请码)`)

	clauses = lazyregexp.New(`(?i)[.?!;:,]+(?:\s|$)|[。？！；：，]+|\b(?:and|then|but)\b`)

	sentences = lazyregexp.New(`[.?!;]+\s|[。？！；]+`)

	// tellsFirst is a wish to be told a secret in words that would otherwise wait for an act.
	tellsFirst = rule(`(?:告诉我|给我|提供|回复|[发说报念]一?下)[^后完好了哪]{0,14}`+secretZH,
		secretZH+`[^后完好了哪]{0,8}(?:告诉|发|报|提供给?|给)我`,
		`(?:收到|看到|拿到|获取|查收|找到|想起)[^。？！；]{0,10}(?:告诉|发|报|提供给?|给)我`)

	// asksWord is what asks for word of when, or whether, something is so or done, and no more.
	asksWord = rule(`\b(?:tell|let) (?:me|us)(?: know)? (?:when|once|after|as soon as|if|whether|`+
		`that (?:you|it|the|this)|it (?:is|has|was|worked)|you(?:['’]\w+| are| have))\b[^.?!;]*`,
		`\b(?:say|reply|answer|respond|type|write|send|confirm)(?: with| back| me)*:? ?`+
			`["'“‘]?(?:done|ok|okay|yes|ready|finished|continue|go)\b`,
		`\b(?:reply|answer|respond|write)(?: to me)? (?:when|once|as soon as) (?:done|finished|ready)\b`,
		`\b(?:when|once|after|as soon as) (?:you|it|that)(?:['’]?\w+)?\b.{0,20}\b(?:done|`+
			`finished|ready|complete\w*|logged|signed|entered|typed|in)\b`,
		`(?:\b(?:and|then|then,|please)|[.,;]) (?:confirm|say so|report back|continue|`+
			`come back)(?:[.,;!]|$)`,
		`\bi(?:['’]ll| will| shall|['’]m| am) (?:wait|stop|paus)`,
		`(?:[好完了]|(?:^|[^然最])后)[^。？！；码令字]{0,8}(?:告诉|通知|回复|告知|说|叫|喊|回我|继续|提醒)我?(?:一?[声下])?`,
		`告[诉知]我?(?:结果|情况|进展|是否|有没有|已|成功|可以)`,
		`(?:回复|回答|说|回)(?:一?[声句下个])?[: ]*["'“‘「『]?(?:完成|已|好|ok|done|继续|可以|确定)`)

	// tells is what wants to be told, whatever it is: a sending, a spelling, the thing itself.
	tells = rule(`\b(?:security|secret) questions?\b[^.?!]*(?:[:：]|["'“‘])\s*\w`,
		`(?:密保|安全问题|安全提问)[^。？！]*[：:“"]`,
		`\bwhat(?:'s|’s)? (?:is |are |was |were )?(?:the |your |my )?(?:\S+ )?`+secret,
		`\bwhich (?:the |of |your )*(?:\S+ )?(?:digits|letters|characters|`+secret+`)`,
		`\b(?:which|what) one\b\W*$`, `\bwhat (?:is|was|are|does|did) (?:it|they)\b`,
		`\b(?:spell|spelled|spelt|dictate)\b`,
		`\b(?:tell|give|send|text|show|read|provide|share|supply|paste|post|message|forward|let `+
			`(?:me|us) (?:know|have)|(?:reply|answer|respond) with|(?:can|could|may) i (?:get|`+
			`have))(?: me| us)?(?: the| your| my| a| both)?(?: [\w-]+){0,2}? ?`+secret,
		`\b(?:tell|give|send|provide|share|supply|paste|post|message|forward|drop|reply with|`+
			`have) (?:(?:me|us) )?(?:it|them|that|one|those)\b`,
		`\b(?:pass|read) (?:it|them|that|those) (?:on|out|over)\b`,
		`\b(?:type|enter|write|put|input|fill|paste|leave|reply|answer)\b[^.?!,;]*\b(?:here|`+
			`below|back|in (?:this|the|our) (?:chat|conversation)|(?:as|in) (?:your|a) (?:reply|`+
			`answer|message))\b`,
		`告[诉知]|提供|[发报念读说给传贴写填]一?[下声]|[发报念读传贴给]我|[发贴传报][过出]?来|[发贴写填传][在到]?(?:[这此]|聊天|对话)|`+
			`(?:这里|此处|下方|下面|聊天|对话)[里中框内]*(?:输入|填|写|回复)|`+
			`是(?:什么(?:[^时样意颜]|$)|啥|哪[几个])|(?:哪一?个|什么)`+secretZH+`|`+
			`多少(?:[^位个]|$)|(?:怎么|如何|应?该)(?:填写?|回?答|输入?)|(?:记得|知道).{0,12}`+secretZH)

	// asksEntry is a wish to be told, or that something be entered, that says neither what nor
	// where.
	asksEntry = rule(`\b(?:and|then|please) (?:tell me|let me know)\b`,
		`\b(?:please|kindly|could you|can you|so)\b.{0,12}\b(?:enter|type|input)\b`,
		`(?:请您?|麻烦您?|帮忙|帮我)(?:直接|再|先|重新)?(?:输入|填)`)

	// asksAct is a clause for an act, in person or on the phone.
	asksAct = rule(`\b(?:yourself|by hand|manually|in person|take over|so (?:that )?you can)\b`,
		`\b(?:enter|type|input|fill|put|use|draw)\b.*\b(?:on|in|into|at|with) (?:the|your|this|`+
			`that) (?:phone|device|screen|handset|app|page|field|form|dialog|box|browser|`+
			`keyboard|keypad)\b`,
		`^(?:(?:please|kindly|now|could you|can you|would you|you need to|you have to|first) )*(?:`+
			`(?:log|sign) ?in|unlock|approve|confirm|verify|complete|finish|`+
			`solve|change|reset|scan|press|tap|handle|pay|do (?:the|this|it))\b`,
		`^(?:please )?(?:enter|type|put|key|draw)\b.* to (?:unlock|log ?in|sign ?in|pay)\b`,
		`\b(?:enter|type)\b.* there$`, `确认已`, `手动|自行|亲自|接管|人工|协助|(?:自己|本人)(?:[^的]|$)`,
		`\b(?:take|pick up|grab|go to) (?:the|your) (?:phone|device|tablet)\b`,
		`(?:手机|设备|屏幕|页面|弹窗|界面|应用|输入框|键盘|app)[上中里内]?面?[先再]?(?:直接)?`+
			`(?:输入|填|登[录陆]|完成|解锁|操作|验证)(?:[^过的]|$)`,
		`^(?:请|麻烦|先|您|你|帮忙|需要|并|用户)*(?:用.{0,6})?(?:登[录陆]|解锁|扫码|完成|修改|重置|通过)`)

	// asksOther is a clause for a choice, or for something else about the thing.
	asksOther = rule(`^(?:(?:please )?(?:tell me|know|so|or|to|from|on|in|at) )*`+
		`(?:which|whom?|whose|where|how|why|when)\b`,
		`^what (?:happens|(?:should|shall|can|do) (?:i|we) do)\b`,
		`^(?:shall|should|do you (?:\w+ )?(?:want|need|wish|prefer|like|mean|mind)|would you `+
			`(?:like|rather)|may i|do (?:i|we) (?:need|have)|is|are|was|were|has|have|did|does)\b`,
		`哪|谁|还是|选择|几位|什么时候|怎么|为什么|做什么|是否|要不要|需不需要|需要我|吗$`)
)

// rule is one expression of several.
func rule(words ...string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)` + strings.Join(words, "|"))
}

// about is the question's words without those that only look like a secret's.
func (q Question) about() string {
	return noSecret.ReplaceAllString(q.words(), "")
}

func (q Question) words() string { return strings.Join(strings.Fields(q.Text), " ") }

// lastSentence is the words behind the last full stop, question mark or the like that has some.
func lastSentence(words string) string {
	all := sentences.Split(strings.TrimRight(words, ".?!;。？！； "), -1)
	return all[len(all)-1]
}

// anyClause reports whether a clause of the words fits one of the rules.
func anyClause(words string, rules ...*lazyregexp.Regexp) bool {
	for _, clause := range clauses.Split(words, -1) {
		clause = strings.TrimSpace(clause)
		for _, r := range rules {
			if r.MatchString(clause) {
				return true
			}
		}
	}
	return false
}

// AsksForSecret reports whether the question asks to be told a password, a code or a PIN, by its
// words in English or Chinese: it names one, wherever, and nothing says that it wants something
// else. What says so is a choice of answers, an act on the phone or word of one, or a question
// about something else at the end; all of these count for nothing where it asks to be told.
func (q Question) AsksForSecret() bool {
	words := q.about()
	if !q.openEnded() || !namesSecret.MatchString(words) {
		return false
	}
	rest := asksWord.ReplaceAllString(words, "")
	switch {
	case tellsFirst.MatchString(words), tells.MatchString(rest):
		return true
	case rest != words, anyClause(words, asksAct):
		return false
	}
	return asksEntry.MatchString(words) || !anyClause(lastSentence(words), asksOther)
}

// openEnded reports whether any words may answer the question: what is chosen, or known, is no
// secret.
func (q Question) openEnded() bool {
	return len(q.Options) == 0 && len(q.Fields) == 0 && q.Draft == "" && q.DefaultAnswer == ""
}

var (
	code      = lazyregexp.New(`^(?:[0-9]{4,8}|[0-9]{3}[ -][0-9]{3}|[0-9](?: [0-9]){3,7})$`)
	onCard    = lazyregexp.New(`^[0-9]{3}$`) // where its security code is asked for
	cvv       = rule(`\b(?:cvv|cvc)\b|\bsecurity (?:code|number)\b|安全码|CVV|CVC`)
	phrase    = lazyregexp.New(`^[a-z]{3,8}(?:[ ,]+[a-z]{3,8}){11,23}$`)
	token     = lazyregexp.New(`^[!-~\x{a1}-\x{24f}]{4,64}$`)
	mixed     = lazyregexp.New(`[0-9].*[^0-9.,:+-]|[^0-9.,:+-].*[0-9]`)
	addressed = lazyregexp.New(`@\S+\.|://|^www\.`) // of mail, of a page
)

// IsCode reports whether the answer looks like the code or the password that the question speaks
// of, though it may have asked only for an act: then the answer is a secret, unless the question is
// Public. A code has 4 to 8 digits, or 3 on the back of a card, a password 4 to 64 characters with
// digits among them and no spaces, a recovery phrase 12 to 24 short words; a card's number is known
// by its check digit. A telephone number, an address of mail or of a page is none of these.
func (q Question) IsCode(answer string) bool {
	if q.Public || !q.openEnded() || !namesSecret.MatchString(q.about()) {
		return false
	}
	answer = strings.Map(asciiDigit, strings.TrimSpace(answer))
	password := token.MatchString(answer) && mixed.MatchString(answer) &&
		!addressed.MatchString(answer)
	return password || code.MatchString(answer) || isCard(answer) || phrase.MatchString(answer) ||
		onCard.MatchString(answer) && cvv.MatchString(q.Text)
}

// within is a code among other words.
var within = lazyregexp.New(`\b(?:[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})\b`)

// withoutCode is what is said beside an act on the phone, without the code or the password that was
// for the phone alone.
func (q Question) withoutCode(words string) string {
	switch {
	case q.Kind != Takeover || q.Public || !namesSecret.MatchString(q.about()):
		return words
	case q.IsCode(words):
		return Masked
	}
	return within.ReplaceAllString(words, Masked)
}

// asciiDigit is the digit that a full-width one stands for.
func asciiDigit(r rune) rune {
	if r >= '０' && r <= '９' {
		return r - '０' + '0'
	}
	return r
}

// isCard reports whether the answer is the number of a card (ISO/IEC 7812): 13 to 19 digits, in
// groups or not, of which the last one is Luhn's check digit.
func isCard(answer string) bool {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(answer)
	sum := 0
	for i, r := range digits {
		if r < '0' || r > '9' {
			return false
		}
		d := int(r - '0')
		if (len(digits)-i)%2 == 0 {
			d = 2*d/10 + 2*d%10
		}
		sum += d
	}
	return len(digits) >= 13 && len(digits) <= 19 && sum%10 == 0
}

var (
	thumbs      = lazyregexp.New(`[✅✔☑👍👌🆗]\x{fe0f}?[\x{1f3fb}-\x{1f3ff}]?`)
	punctuation = lazyregexp.New(`(?:[\s,，.。!！;；:、~～…"'“”‘’–—]|\B-+\B)+`)

	// acknowledgement is made of words that say nothing, and one at least that says it is done.
	acknowledgement = lazyregexp.New(`(?i)^(?:(?:i|you|it|we|that|am|is|are|was|have|has|m|s|ve|` +
		`did|just|all|now|already|been|everything|please|not|yet|you|can|` + done + `|` +
		`(?:entered|typed|entering|typing|confirmed) (?:the|my) (?:code|password|pin)|(?:on|in) ` +
		`(?:the|my) (?:phone|device|screen|app|tablet))(?: |$)|(?:我|你|在?(?:手机|设备|屏幕|平板)上|已经|已|都|` +
		`现在|刚|还|成功|完毕|的|啦|咯|吧|(?:验证码|密码)(?:已经|已|都|输|填)|(?:输|填)(?:入|写)?[好完]?了?(?:验证码|` +
		`密码)了?|` + doneZH + `) ?)+$`)
	acknowledged = lazyregexp.New(`(?i)\b(?:` + done + `|not yet)\b|` + doneZH)
)

const (
	done = `(?:yes|yep|yeah|y|no|nope|ok|okay|k|sure|right|fine|good|great|thanks|thank|go|on|` +
		`ahead|carry|continue|proceed|next|ready|set|done|finish|finished|complete|completed|` +
		`logged|signed|in|entered|entering|typed|typing|unlocked|approved|confirmed|verified|did|` +
		`worked|works)`
	doneZH = `(?:登[录陆]|输入?|填写?|完|解锁|验证|操作|完成|搞定|搞|弄|处理|确认|批准|通过|好|可以|行|` +
		`嗯|是|不|对|继续|没问题|没有|没|收到|拿到|谢谢|了|ok)`
)

// Acknowledges reports whether an answer says no more than that something is done, or agreed to: it
// is no secret, whatever the question.
func Acknowledges(answer string) bool {
	words := punctuation.ReplaceAllString(thumbs.ReplaceAllString(answer, " ok "), " ")
	words = strings.TrimSpace(words)
	return acknowledgement.MatchString(words) && acknowledged.MatchString(words)
}

// onPhone is what only a person can do, and only on the phone or with it: an act of the kind that
// an agent hands the phone over for.
var onPhone = rule(`\b(?:by hand|manually|in person|take over|(?:take|pick up|grab) (?:the|your) `+
	`phone|(?:do|enter|type|solve|finish|complete|log ?in|sign ?in|unlock|`+
	`confirm)\b.{0,40}\byourself)\b`,
	`\b(?:enter|type|input|fill|put|use|draw|log ?in|sign ?in|unlock|do|finish|complete|solve|`+
		`scan|confirm|approve|authori[sz]e|accept|verify|place|press|tap|hold|touch|`+
		`drag)\b.*\b(?:on|in|into|at|with|to) (?:the|your|this|that) (?:phone|device|screen|`+
		`handset|fingerprint|sensor|captcha|puzzle|slider)\b`,
	`\b(?:confirm|approve|pay|log ?in|sign ?in|verify)\b.*\bwith your (?:face|finger\w*|thumb)\b`,
	`^(?:(?:please|kindly|now|could you|can you|would you|you need to|you have to|first) `+
		`)*(?:(?:log|sign) ?in|unlock|solve|scan|(?:approve|authori[sz]e|confirm|accept|allow) `+
		`(?:the |this )?(?:\w+ )?(?:log-?in|sign-?in|request|prompt|notification)|(?:complete|`+
		`finish|pass|do) (?:the |this )?(?:\w+ )?(?:captcha|verification|log-?in|sign-?in|puzzle|`+
		`slider|challenge))\b`,
	`手动|自行|亲自|接管|人工|(?:自己|本人)来?(?:操作|完成)|(?:手机|设备|屏幕|页面|弹窗|界面|应用)[上中里内]?面?[先再]?(?:直接)?`+
		`(?:输入|填|登[录陆]|完成|解锁|操作|验证|按|刷|点选|滑动|拖动)`,
	`^(?:请|麻烦|先|您|你|帮忙|需要|要|现在|接下来|这里|并|用户|本人)*(?:用.{0,6})?(?:登[录陆]|解锁|扫码|扫一?下|完成.{0,8}(?:验证|`+
		`登[录陆]|解锁|拼图|滑块)|通过.{0,8}验证|按.{0,6}指纹|刷脸|(?:对准|看着|面对|正对).{0,6}(?:摄像头|镜头)|(?:滑动|拖动|点选|`+
		`点击).{0,10}(?:滑块|拼图|验证))`)

var (
	// inPerson is what a person has to be at the phone, or with it, for.
	inPerson = rule(`\b(?:re)?captchas?\b|\bface ?id\b|\btouch ?id\b|\bfinger ?prints?\b|`+
		`\bbiometric|\b(?:puzzle|slider)\b|\bsim cards?\b|\bnfc\b`,
		`滑块|拼图|(?:图形|人机|人脸|指纹|安全)验证|人脸|指纹|刷脸|NFC`)
	// leavesChoice is what leaves something to choose.
	leavesChoice = rule(`\b(?:if|whether|or)\b`, `还是|或|是否|如果`)
)

// AsksForAct reports whether the answer to the question is an act: it asks, in English or Chinese,
// for something to be done on the phone, as to log in, to unlock it or to solve a captcha, and for
// no more than word that it is done. Such a question asks for no secret, even when it names one.
func (q Question) AsksForAct() bool {
	if !q.openEnded() || q.AsksForSecret() {
		return false
	}
	words := q.words()
	secret := namesSecret.MatchString(q.about())
	if anyClause(asksWord.ReplaceAllString(words, ""), asksOther) {
		return false
	}
	return anyClause(words, onPhone) ||
		inPerson.MatchString(words) && asksWord.MatchString(words) &&
			!leavesChoice.MatchString(words) ||
		secret && (asksWord.MatchString(words) || anyClause(words, asksAct))
}

// itIsDone is an answer that says that what was to be done is done, and nothing else.
var itIsDone = lazyregexp.New(`(?i)^(?:(?:it|that|is|s|i|am|m|have|ve|all|now|yes|已经|已|都|我|` +
	`现在) ?)*(?:(?:done|finished|completed?|ready|logged in|signed in|unlocked|solved|ok|okay|完成|` +
	`搞定|弄好|做好|登[录陆]好?|解锁|好)(?:了|啦)? ?)+$`)

// replyType is the type of a reply to the question.
func (q Question) replyType(r Reply) Type {
	r.Type = cmp.Or(r.Type, TypeAnswer)
	words := strings.TrimSpace(punctuation.ReplaceAllString(
		thumbs.ReplaceAllString(r.Response, " ok "), " "))
	if q.Kind == Takeover && r.Type == TypeAnswer && itIsDone.MatchString(words) {
		return TypeDone
	}
	return r.Type
}

// Claim leaves an open take-over that a program began to people alone. It does nothing when the
// take-over is theirs already, or settled.
func (b *Broker) Claim(ctx context.Context, id string) error {
	_, err := b.store.Amend(ctx, id, func(q *Question) error {
		q.PeopleOnly = q.PeopleOnly || q.Kind == Takeover
		return nil
	})
	if errors.Is(err, ErrSettled) {
		return nil
	}
	return err
}
