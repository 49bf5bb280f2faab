package guard

import (
	_ "embed"
	"fmt"
	"path"
	"strings"
	"unicode"
)

// finding is what a built-in rule says of an action.
type finding struct {
	class *class
	where place
	words string // that led to it
}

// place is where the words of a finding are.
type place int

const (
	underFinger place = iota
	identifier
	nearby
	onScreen
	modelWords
	ofApp
	inField
	ofTool
	ofName
)

var places = []struct{ en, zh string }{
	underFinger: {"%q is under the finger", "手指下是 %q"},
	identifier:  {"the app calls it %q", "应用内部名称是 %q"},
	nearby:      {"%q is next to it", "旁边是 %q"},
	onScreen:    {"the screen says %q", "屏幕上写着 %q"},
	modelWords:  {"the model says %q", "模型说 %q"},
	ofApp:       {"what is under the finger is not known, in %q", "不清楚手指下是什么,应用是 %q"},
	inField:     {"text for a password field in %q", "在 %q 的密码框中输入"},
	ofName:      {"the tool is named %q", "工具名称是 %q"},
	ofTool:      {"%q says of itself that it destroys something", "%q 自称会造成破坏"},
}

// Classes of harm that are no words.
var (
	unknownMoney = class{Name: "unknown", Severity: Critical,
		En: "it cannot be told what this does in an app about money",
		Zh: "无法判断这一步在金融应用中会做什么"}
	unknownSystem = class{Name: "system dialog", Severity: Sensitive,
		En: "it answers a dialog of the system", Zh: "会回应系统对话框",
		Task: `allow|grant|give|install|uninstall`, TaskHan: `允许|授权|权限|安装|卸载`}
	unseen = class{Name: "unseen", Severity: Sensitive,
		En: "the screen forbids that it is looked at", Zh: "屏幕禁止查看"}
	password = class{Name: "password", Severity: Sensitive, En: "it types a password",
		Zh: "会输入密码", Task: `(?:type|enter|use) .{0,40}(?:password|passcode|pin)|` +
			`log ?in|sign ?in|unlock`,
		TaskHan: `密码|登录|解锁`}
	moneyPassword = class{Name: "confirm with a password", Severity: Critical,
		En: "it types a password in an app about money", Zh: "会在金融应用中输入密码"}
	destructive = class{Name: "destructive", Severity: Sensitive, En: "it may destroy something",
		Zh: "可能会造成破坏"}
)

// wordless are those classes.
var wordless = []*class{&unknownMoney, &moneyPassword, &unknownSystem, &unseen, &password,
	&destructive}

func chinese(lang string) bool { return strings.HasPrefix(strings.ToLower(lang), "zh") }

// reason is the finding in words.
func (f *finding) reason(lang string) string {
	if chinese(lang) {
		return f.class.Zh + ":" + fmt.Sprintf(places[f.where].zh, f.words)
	}
	return f.class.En + ": " + fmt.Sprintf(places[f.where].en, f.words)
}

// says is what the class does, in words.
func (c *class) says(lang string) string {
	if chinese(lang) {
		return c.Zh
	}
	return c.En
}

// field reports whether the element takes text: a touch of it, or the enter key, presses nothing.
func (e *Element) field() bool {
	return e != nil && (e.Password || e.Class == "" || strings.Contains(e.Class, "EditText") ||
		strings.Contains(e.Class, "AutoComplete"))
}

// idWords takes the name of a resource apart: com.app:id/btnPay_now is btn, pay, now.
func idWords(id string) []string {
	id = path.Base(strings.ReplaceAll(id, ":", "/"))
	var b strings.Builder
	var former rune
	for _, r := range id {
		if unicode.IsUpper(r) && unicode.IsLower(former) || !unicode.IsLetter(r) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		former = r
	}
	return strings.Fields(b.String())
}
