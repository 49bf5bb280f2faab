package inquiry

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/taploop/taploop/internal/lazyregexp"
)

// onPhone is what only a person can do, and only on the phone or with it: an act of the kind that
// an agent hands the phone over for.
var onPhone = rule(`\b(?:by hand|manually|in person|take over|(?:take|pick up|grab) (?:the|your) phone|(?:do|enter|type|solve|finish|`+
	`complete|log ?in|sign ?in|unlock|confirm)\b.{0,40}\byourself)\b`,
	`\b(?:enter|type|input|fill|put|use|draw|log ?in|sign ?in|unlock|do|finish|complete|solve|scan|`+
		`confirm|approve|authori[sz]e|accept|verify|place|press|tap|hold|touch|drag)\b.*\b(?:on|in|into|at|with|to) (?:the|your|this|that) (?:phone|device|`+
		`screen|handset|fingerprint|sensor|captcha|puzzle|slider)\b`,
	`\b(?:confirm|approve|pay|log ?in|sign ?in|verify)\b.*\bwith your (?:face|finger\w*|thumb)\b`,
	`^(?:(?:please|kindly|now|could you|can you|would you|you need to|you have to|first) )*(?:`+
		`(?:log|sign) ?in|unlock|solve|scan|(?:approve|authori[sz]e|confirm|accept|allow) (?:the |this )?`+
		`(?:\w+ )?(?:log-?in|sign-?in|request|prompt|notification)|(?:complete|finish|pass|do) (?:the |this )?(?:\w+ )?`+
		`(?:captcha|verification|log-?in|sign-?in|puzzle|slider|challenge))\b`,
	`手动|自行|亲自|接管|人工|(?:自己|本人)来?(?:操作|完成)|(?:手机|设备|屏幕|页面|弹窗|界面|应用)[上中里内]?面?[先再]?(?:直接)?`+
		`(?:输入|填|登[录陆]|完成|解锁|操作|验证|按|刷|点选|滑动|拖动)`,
	`^(?:请|麻烦|先|您|你|帮忙|需要|要|现在|接下来|这里|并|用户|本人)*(?:用.{0,6})?(?:登[录陆]|解锁|扫码|扫一?下|完成.{0,8}(?:验证|登[录陆]|`+
		`解锁|拼图|滑块)|通过.{0,8}验证|按.{0,6}指纹|刷脸|`+
		`(?:对准|看着|面对|正对).{0,6}(?:摄像头|镜头)|(?:滑动|拖动|点选|点击).{0,10}(?:滑块|拼图|验证))`)

// AsksForAct reports whether the answer to the question is an act: it asks, in English or Chinese,
// for something to be done on the phone, as to log in, to unlock it or to solve a captcha, and for
// no more than word that it is done. Such a question asks for no secret, even when it names one.
func (q Question) AsksForAct() bool {
	if !q.openEnded() || q.AsksForSecret() {
		return false
	}
	words := q.words()
	secret := named.MatchString(q.about())
	if anyClause(asksWord.ReplaceAllString(words, ""), asksOther) {
		return false
	}
	return anyClause(words, onPhone) ||
		secret && (asksWord.MatchString(words) || anyClause(words, asksAct))
}

// itIsDone is an answer that says that what was to be done is done, and nothing else.
var itIsDone = lazyregexp.New(`(?i)^(?:(?:it|that|is|s|i|am|m|have|ve|all|now|yes|已经|已|都|我|现在) ?)*` +
	`(?:(?:done|finished|completed?|ready|logged in|signed in|unlocked|solved|ok|okay|` +
	`完成|搞定|弄好|做好|登[录陆]好?|解锁|好)(?:了|啦)? ?)+$`)

// typed is the type of a reply to the question.
func (q Question) typed(r Reply) Type {
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
