package inquiry

import (
	"regexp"
	"strings"
)

// secretThing is something that only the phone should see. Postal codes, promotion codes and the
// like are no secrets.
const secretThing = `(?:\b(?:passwords?|passcodes?|passphrases?|otp|cvv|cvc|2fa|` +
	`pin (?:code|number)|(?-i:PIN))\b` + // not "pin the message"
	`|\b(?:verification|security|confirmation|log-?in|sign-?in|authenticat\w+|one-?time|access|` +
	`sms|unlock|recovery|backup)[ -](?:codes?|pins?)\b` +
	`|` + secretThingZH + `)`

const secretThingZH = `密码|口令|验证码|校验码|动态码|短信码|安全码`

var (
	secretWords = regexp.MustCompile(`(?i)` + secretThing +
		`|\bcodes?\b.{0,60}\b(?:sent|sends?|receiv\w+|got|texted|sms|text message|` +
		`authenticator)\b` +
		`|\b(?:sent|sends?|receiv\w+|got|texted)\b.{0,60}\bcodes?\b` +
		`|\b(?:enter|type)\b.{0,20}\bcodes?\b`)

	// onlyWhether asks whether something is to be done, or was.
	onlyWhether = regexp.MustCompile(
		`(?i)^[\s\p{P}]*(?:shall|should|do you (?:want|need|wish)|would you|may i|is|are|was|` +
			`were|has|have|did|does)\b|是否|要不要|需不需要|需要我|(?:输入?|登[录陆]|解锁|完成).{0,6}了吗`)

	// wantsItsWords asks to be told the thing itself. The group is what stands before the thing:
	// with one of the words of afterAll in it the thing is not what is to be told.
	wantsItsWords = regexp.MustCompile(`(?i)(?:\b(?:what|which|i(?:'ll)? (?:\w+ )?(?:need|want)|` +
		`(?:tell|give|send|text|show|read) (?:it |me|us)|let (?:me|us) (?:know|have)|` +
		`provide|share|(?:reply|answer|respond) with)\b|` +
		`(?:告诉|发给|提供|回复|回答|说|报|念|给|发)(?:一?下)?(?:我)?)` +
		`([^.?!。？！]{0,60}?)(?:` + secretThing + `|\bcodes?\b)`)
	afterAll = regexp.MustCompile(`(?i)\b(?:when|once|after|as soon as|if|whether|that you|done|` +
		`you to|happen\w*|page|says?|you(?:'ve| have) (?:typed|entered))\b|` +
		`^[了好完，,]*后|输入|填|登[录陆]|解锁|完成|好了|之后|以后|然后|输完`)
	wantsItsWordsAfter = regexp.MustCompile(
		`(?i)\b(?:provide|share|send|give) (?:me )?(?:it|them)\b()` +
			`|(?:收到|看到|拿到|获取|查看|查收)[^。！!]{0,8}` +
			`(?:` + secretThingZH + `)[^。！!]{0,8}(?:告诉|发|提供|报|给)我()` +
			`|(?:` + secretThingZH + `)([^。！!]{0,12}?)` +
			`(?:告诉我|发给我|提供给我|发我|报给我|给我|是什么|是多少|多少|是啥|是哪)`)

	endsWithIt = regexp.MustCompile(`(?i)([^.,:;!，。：；！]{0,40}?)` + secretThing +
		`(?: is|是|呢)?[ :：]*[?？][\s\p{P}]*$`)
	byMeansOfIt = regexp.MustCompile(`(?i)\b(?:with|using)\b|用|输入`)

	// wantsAnAct asks for something that is to be done, and perhaps for word of it.
	wantsAnAct = regexp.MustCompile(`(?i)` + strings.Join([]string{
		`\b(?:tell|let) (?:me|us)(?: know)?,? (?:when|once|after|as soon as|if|that)\b`,
		`\b(?:say|reply|answer|respond|type|write|send|confirm)(?: with| back| me)*:?` +
			` ["'“‘]?(?:done|ok|okay|yes|ready|finished|continue|go)\b`,
		`\b(?:when|once|after|as soon as)\b.{0,20}\b(?:you(?:'re| are|'ve| have)?|it(?:'s| is)|` +
			`that(?:'s| is))\b.{0,20}\b(?:done|finish|finished|ready|complete|completed|` +
			`logged in|signed in|log in|sign in|in|entered|enter|typed)\b`,
		`\band (?:then )?(?:tell me|let me know|confirm|say so|report back|continue)[\s\p{P}]*$`,
		`\bcome back\b|\b(?:please|you|you to) take over\b`,
		`\bI(?:'ll| will| shall)? (?:then )?wait(?: (?:here|until|till|while)\b|[.,!;]|$)`,
		`\b(?:yourself|by hand|manually|in person)\b`,
		`^[\s\p{P}]*(?:(?:please|kindly|now|could you|can you|you need to|you have to|first),? )*` +
			`(?:(?:log|sign) ?in(?:[.,!;]|$| (?:to|with|as|at|and|first|on)\b)|unlock|approve|` +
			`verify|complete|finish|solve|change|reset|scan)\b`,

		`(?:输入|填写?|登[录陆]|解锁|验证|完成|操作|处理|确认|扫码?|设置|修改|弄|搞).{0,20}` +
			`(?:后|好|完|了).{0,8}(?:告诉|通知|回复|告知|说|叫|喊|回我|继续)`,
		`(?:回复|回答|说|输入|回)(?:一?[声句下个])?[：: ]*["'“‘「『]?` +
			`(?:完成|已|好|ok|done|继续|可以|确定)`,
		`手动|自行|亲自|接管|人工|(?:自己|本人)(?:[^的]|$)`,
		`^[\s\p{P}]*(?:请|麻烦|先|您|你|帮忙|需要|并|用户)*(?:登[录陆]|解锁|扫码|完成|修改|重置|通过)`,
	}, "|"))

	// on the phone: not "enter the code that is shown on the phone"
	doneThere = regexp.MustCompile(`(?i)\b(?:enter|type|input|fill|put|use|draw)\b(.{0,60}?)` +
		`\b(?:on|in|into|at|with) (?:the|your|this|that) (?:phone|device|screen|handset|app|page|` +
		`field|form|dialog|box|keyboard)\b`)
	fromElsewhere = regexp.MustCompile(`(?i)\b(?:shown|displayed|sent|receiv\w*|got|get|see|` +
		`appears?|that|which|texted|arriv\w*|from)\b`)
	doneThereZH = regexp.MustCompile(`(?:手机|设备|屏幕|页面|弹窗|界面|应用|输入框|App|APP)` +
		`(?:上|中|里|内)?(?:面)?(?:先|再|直接)?(?:输入|填写|填|登[录陆]|完成|解锁|操作|验证)(?:[^过的]|$)`)

	compounds = regexp.MustCompile(`(?:登[录陆]|解锁|锁屏|支付|完成)(密码|口令|验证码)`)
)

// AsksForSecret reports whether the question asks to be told a password, a code or a PIN, by its
// words in English or Chinese. One that offers answers, that asks for something to be done (to log
// in, to enter a code on the phone) or only whether something is so, does not.
func (q Question) AsksForSecret() bool {
	if len(q.Options) > 0 || len(q.Fields) > 0 || q.Draft != "" || q.DefaultAnswer != "" {
		return false
	}
	words := compounds.ReplaceAllString(strings.Join(strings.Fields(q.Text), " "), "$1")
	switch {
	case !secretWords.MatchString(words):
		return false
	case without(wantsItsWordsAfter, afterAll, words),
		without(wantsItsWords, afterAll, words):
		return true
	}
	return !onlyWhether.MatchString(words) && (without(endsWithIt, byMeansOfIt, words) ||
		!wantsAnAct.MatchString(words) && !doneThereZH.MatchString(words) &&
			!without(doneThere, fromElsewhere, words))
}

// without reports whether the pattern is in the words with nothing of the other one in its group.
func without(pattern, other *regexp.Regexp, words string) bool {
	for _, m := range pattern.FindAllStringSubmatch(words, -1) {
		if !other.MatchString(strings.Join(m[1:], "")) {
			return true
		}
	}
	return false
}

var (
	clauseEnd = regexp.MustCompile(`[\s,，.。!！;；、~～…"'“”‘’👍👌✅🆗]+`)

	acknowledgement = `(?:` +
		`(?:(?:yes|yep|yeah|y|no|nope|ok|okay|k|sure|right|fine|great|thanks|thank you|all set|` +
		`not yet|go|go on|go ahead|carry on|continue|proceed|next|ready|` +
		`(?:i |you |it |we |that )?(?:am |is |are |was |have |has |m |s |ve |did |just )*` +
		`(?:all |it |that |now |already |been |everything )*` +
		`(?:done|finish|finished|complete|completed|logged in|signed in|logged on|entered|typed|` +
		`unlocked|approved|confirmed|verified|did|in|ready|set)` +
		`(?: it| that| the (?:code|password|pin|app|account)| now| already)*)` +
		`(?: now| then| please)?)` +
		`|(?:我|你)?(?:已经|已|都|现在|刚)*(?:登[录陆]|输入?|填写?|解锁|验证|操作|完成|搞定|搞|弄|` +
		`处理|确认|批准|通过|好|行|可以)(?:成功|完毕|完成|好|完)?(?:了|啦|咯)*` +
		`|(?:好|好的|可以|行|嗯+|是|是的|对|对的|继续|继续吧|没问题|收到|不|不是|不行|没有|` +
		`还没|还没有|谢谢)` +
		`(?:了|的|啦|吧)?)`
	acknowledged = regexp.MustCompile(`(?i)^` + acknowledgement + `(?: ` + acknowledgement + `)*$`)
)

// Acknowledges reports whether an answer says no more than that something is done, or agreed to: it
// is no secret, whatever the question.
func Acknowledges(answer string) bool {
	words := clauseEnd.ReplaceAllString(answer, " ")
	return acknowledged.MatchString(strings.TrimSpace(words))
}
