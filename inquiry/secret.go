package inquiry

import (
	"regexp"
	"strings"
)

// What only the phone should see.
const (
	secretZH = `(?:密码|口令|验证码|校验码|动态码|短信码|安全码|位数字)`
	secret   = `(?:\b(?:passwords?|passcodes?|passphrases?|codes?|otps?|cvv|cvc|2fa|` +
		`(?-i:PINs?)|pin (?:codes?|number)|(?:the|your|my|card|sim) pin)\b|` + // not "pin it"
		`\b(?:digits|numbers?)\b.{0,30}\b(?:authenticator|sms|text message)\b|` + secretZH + `)`
)

var (
	named = regexp.MustCompile(`(?i)` + secret)

	// noSecret has the words of a secret in it and is none: another sort of code, a part of the
	// screen, or where a code comes from ("shown on your phone" is not where it is to be entered).
	noSecret = regexp.MustCompile(`(?i)\b(?:postal|post|zip|promo\w*|discount|coupon|voucher|` +
		`gift|country|area|dial\w*|qr|bar|error|source|status|product|referral|invit\w+|colou?r|dress|` +
		`currency|airport|booking|tracking|flight)[ -]codes?\b|` +
		`\b(?:password|passcode|code|pin)s? (?:manager|field|box|page|screen|hint|setting)s?\b|` +
		`\b(?:shown|displayed|sent|received|you (?:see|got|get)|appears?) (?:\w+ ){0,3}?` +
		`(?:on|in|at|to|by) (?:the|your|this) \w+|密码(?:管理器|输入框|框|栏)|` +
		`(邮政编码|优惠码|二维码|邀请码)`)

	clauses = regexp.MustCompile(`(?i)[.?!;:,]+(?:\s|$)|[。？！；：，]+|\b(?:and|then|but)\b`)

	// secretRules say what a clause is about: the first that fits it decides.
	secretRules = []struct {
		wants want
		words *regexp.Regexp
	}{
		// It wants word of when, or whether, something happens.
		{wantsNews, rule(
			`\b(?:tell|let) (?:me|us)(?: know)? (?:when|once|after|as soon as|if|that|whether)\b`)},
		// It wants to be told the thing itself: this outweighs whatever else the question says.
		{wantsSecret, rule(
			`^what(?:'s|’s)? (?:is |are |was )?(?:the |your |my )?(?:\S+ )?`+secret,
			`^which (?:the |of |your )*(?:\S+ )?`+secret,
			`\b(?:tell|give|send|text|show|read|provide|share|let (?:me|us) (?:know|have)|`+
				`(?:reply|answer|respond) with|(?:can|could|may) i (?:get|have))(?: me| us)?`+
				`(?: the| your| my| a| both)?(?: [\w-]+){0,2}? ?`+secret,
			`\b(?:tell|give|send|provide|share)(?: me| us)? (?:it|them)\b`,
			`(?:告诉我|给我|提供|回复|[发说报念]一?下)[^后完好了哪]{0,14}`+secretZH,
			secretZH+`[^后完好了哪]{0,8}(?:告诉|发|报|提供给?|给)我`,
			`(?:收到|看到|拿到|获取|查收).{0,8}`+secretZH+`.{0,8}(?:告诉|发|报|提供给?|给)我`,
			secretZH+`呢?(?:是什么|是多少|多少|是啥|是哪)`, `^(?:请|麻烦您?)?(?:提供|发给?我)`)},
		// It wants to know something about the thing, or a choice of something else.
		{wantsOther, rule(`\b(?:tell me |know )?(?:which|whom?|whose|where|how|why)\b`,
			`^when (?:do|does|did|will|is|was|should|shall)\b`,
			`^what (?:happens|(?:should|shall|can|do) (?:i|we) do)\b`,
			`哪|谁|还是|选择|几位|什么时候|怎么|为什么|做什么`)},
		// It wants to know whether something is so, or is to be done.
		{wantsOther, rule(`^(?:shall|should|do you (?:want|need|wish)|would you (?:like|rather)|may i|`+
			`do (?:i|we) (?:need|have)|`+
			`is|are|was|were|has|have|did|does)\b`, `是否|要不要|需不需要|需要我|吗$`)},
		// It wants word that something is done.
		{wantsWord, rule(
			`\b(?:say|reply|answer|respond|type|write|send|confirm)(?: with| back| me)*:? ?`+
				`["'“‘]?(?:done|ok|okay|yes|ready|finished|continue|go)\b`,
			`\b(?:when|once|after|as soon as) (?:you|it|that)(?:['’]?\w+)?\b.{0,20}\b(?:done|`+
				`finished|ready|complete\w*|logged|signed|entered|typed|in)\b`,
			`^(?:tell me|let me know|confirm|say so|report back|continue|come back)$`,
			`\bi(?:['’]ll| will| shall)? wait\b`,
			`[后好完了].{0,8}(?:告诉|通知|回复|告知|说|叫|喊|回我|继续)`,
			`(?:回复|回答|说|回)(?:一?[声句下个])?[: ]*["'“‘「『]?(?:完成|已|好|ok|done|继续|可以|确定)`)},
		// It wants an act, in person or on the phone.
		{wantsAct, rule(`\b(?:yourself|by hand|manually|in person|take over)\b`,
			`\b(?:enter|type|input|fill|put|use|draw)\b.*\b(?:on|in|into|at|with) (?:the|your|`+
				`this|that) (?:phone|device|screen|handset|app|page|field|form|dialog|box|keyboard)\b`,
			`^(?:(?:please|kindly|now|could you|can you|you need to|you have to|first) )*(?:`+
				`(?:log|sign) ?in|unlock|approve|confirm|verify|complete|finish|`+
				`solve|change|reset|scan)\b`,
			`^(?:please )?(?:enter|type|put|key|draw)\b.* to (?:unlock|log ?in|sign ?in)\b`,
			`\b(?:enter|type)\b.* there$`, `确认已`, `手动|自行|亲自|接管|人工|协助|(?:自己|本人)(?:[^的]|$)`,
			`(?:手机|设备|屏幕|页面|弹窗|界面|应用|输入框|app)[上中里内]?面?[先再]?(?:直接)?`+
				`(?:输入|填|登[录陆]|完成|解锁|操作|验证)(?:[^过的]|$)`,
			`^(?:请|麻烦|先|您|你|帮忙|需要|并|用户)*(?:用.{0,6})?(?:登[录陆]|解锁|扫码|完成|修改|重置|通过)`)},
	}
)

// want is what a clause of a question wants.
type want int

const (
	wantsNews   want = iota // to be told when, or whether, something happens
	wantsOther              // to know, or to choose, something else
	wantsSecret             // to be told the secret itself
	wantsWord               // to be told that something is done
	wantsAct                // something to be done, in person or on the phone
)

// rule is one expression of several for what a clause says.
func rule(words ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.Join(words, "|"))
}

// about is the question's words without those that only look like a secret's.
func (q Question) about() string {
	return noSecret.ReplaceAllString(strings.Join(strings.Fields(q.Text), " "), "")
}

// AsksForSecret reports whether the question asks to be told a password, a code or a PIN, by its
// words in English or Chinese. One that offers answers, that asks for something to be done (to log
// in, to enter a code on the phone) or only about something else, does not.
func (q Question) AsksForSecret() bool {
	words := q.about()
	if !q.openEnded() || !named.MatchString(words) {
		return false
	}
	asks := true // a question that only names the thing asks for it: "Code, please"
	for _, clause := range clauses.Split(words, -1) {
		clause = strings.TrimSpace(clause)
		for _, r := range secretRules {
			if r.words.MatchString(clause) {
				if r.wants == wantsSecret {
					return true
				}
				asks = false
				break
			}
		}
	}
	return asks
}

// openEnded reports whether any words may answer the question: what is chosen, or known, is no
// secret.
func (q Question) openEnded() bool {
	return len(q.Options) == 0 && len(q.Fields) == 0 && q.Draft == "" && q.DefaultAnswer == ""
}

var code = regexp.MustCompile(`^\s*(?:[0-9]{3}[ -][0-9]{3}|[A-Za-z]*[0-9][0-9A-Za-z]*)\s*$`)

// IsCode reports whether the answer is a code that the question speaks of, though it may have asked
// only for an act: then the answer is a secret, unless the question is Public.
func (q Question) IsCode(answer string) bool {
	n := len(strings.TrimSpace(answer))
	return !q.Public && q.openEnded() && n >= 4 && n <= 8 && code.MatchString(answer) &&
		named.MatchString(q.about())
}

var (
	thumbs      = regexp.MustCompile(`[✅✔☑👍👌🆗]\x{fe0f}?[\x{1f3fb}-\x{1f3ff}]?`)
	punctuation = regexp.MustCompile(`(?:[\s,，.。!！;；:、~～…"'“”‘’–—]|\B-+\B)+`)

	// acknowledgement is made of words that say nothing, and one at least that says it is done.
	acknowledgement = regexp.MustCompile(`(?i)^(?:` +
		`(?:i|you|it|we|that|am|is|are|was|have|has|m|s|ve|did|just|all|now|already|been|` +
		`everything|please|not|yet|you|` + done + `|(?:entered|typed|entering|typing|confirmed) ` +
		`(?:the|my) (?:code|password|pin))(?: |$)|` +
		`(?:我|你|已经|已|都|现在|刚|还|成功|完毕|的|啦|咯|吧|` +
		`(?:验证码|密码)(?:已经|已|都|输|填)|` + doneZH + `) ?)+$`)
	acknowledged = regexp.MustCompile(`(?i)\b(?:` + done + `|not yet)\b|` + doneZH)
)

const (
	done = `(?:yes|yep|yeah|y|no|nope|ok|okay|k|sure|right|fine|good|great|thanks|thank|go|on|` +
		`ahead|carry|continue|proceed|next|ready|set|done|finish|finished|complete|completed|logged|` +
		`signed|in|entered|entering|typed|typing|unlocked|approved|confirmed|verified|did|worked|` +
		`works)`
	doneZH = `(?:登[录陆]|输入?|填写?|解锁|验证|操作|完成|搞定|搞|弄|处理|确认|批准|通过|好|可以|行|` +
		`嗯|是|不|对|继续|没问题|没有|没|收到|拿到|谢谢|了|ok)`
)

// Acknowledges reports whether an answer says no more than that something is done, or agreed to: it
// is no secret, whatever the question.
func Acknowledges(answer string) bool {
	words := punctuation.ReplaceAllString(thumbs.ReplaceAllString(answer, " ok "), " ")
	words = strings.TrimSpace(words)
	return acknowledgement.MatchString(words) && acknowledged.MatchString(words)
}
