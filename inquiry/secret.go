package inquiry

import (
	"regexp"
	"strings"
)

// What asks for something that nobody but the phone should see, and what only speaks of it. Postal
// codes, promotion codes and the like are no secrets.
var (
	secretWords = regexp.MustCompile(
		`(?i)\b(passwords?|passcodes?|passphrases?|otp|cvv|cvc|2fa|pin (code|number))\b` +
			`|\b(verification|security|confirmation|log-?in|sign-?in|authenticat\w+|one-?time|` +
			`access|sms|unlock|recovery|backup)[ -](codes?|pins?)\b` +
			`|\bcodes?\b.{0,60}\b(sent|sends?|receiv\w+|got|texted|sms|text message|` +
			`authenticator)\b` +
			`|\b(sent|sends?|receiv\w+|got|texted)\b.{0,60}\bcodes?\b` +
			`|密码|口令|验证码|校验码|动态码|短信码|安全码`)
	secretPIN   = regexp.MustCompile(`\bPIN\b`) // not "pin the message"
	onlyWhether = regexp.MustCompile(
		`(?i)^\W*(shall|should|do you (want|need|wish)|would you|may i|is|are|was|were|has|` +
			`have|did|does)\b|是否|要不要|需不需要|需要我`)
)

// asksForSecret reports whether the question asks for a password, a code or a PIN, by its words in
// English or Chinese. One that offers answers, or asks only whether something is to be done, does
// not.
func (q Question) asksForSecret() bool {
	text := strings.TrimSpace(q.Text)
	if len(q.Options) > 0 || len(q.Fields) > 0 || q.Draft != "" || q.DefaultAnswer != "" ||
		onlyWhether.MatchString(text) {
		return false
	}
	return secretWords.MatchString(text) || secretPIN.MatchString(text)
}
