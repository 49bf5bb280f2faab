package guard

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/words"
)

// finding is what a built-in rule says of an action.
type finding struct {
	class *class
	where place
	words string // that led to it
}

// matched is what of the words is the class's.
func (f *finding) matched(content bool) string {
	i := slices.IndexFunc(matchers(), func(m matcher) bool { return m.class == f.class })
	if i < 0 {
		return ""
	}
	return matchers()[i].matches(f.words, content)
}

// place is where the words of a finding are: its key among the texts.
type place string

const (
	underFinger place = "underFinger"
	identifier  place = "identifier"
	nearby      place = "nearby"
	onScreen    place = "onScreen"
	modelWords  place = "modelWords"
	ofApp       place = "ofApp"
	inField     place = "inField"
	ofName      place = "ofName"
	ofTool      place = "ofTool"
	ofJudge     place = "ofJudge"
)

// texts are what people read of the built-in rules, in a language.
type texts struct {
	Reason    string           // formatted with the act and the place where its words stand
	Consented string           // behind a reason
	Places    map[place]string // take the words of a finding
	Classes   map[string]string
}

var textsIn = words.Of[texts]("guard")

// Classes of harm that are no words.
var (
	unknownMoney  = class{Name: "unknown", Severity: Critical}
	unknownSystem = class{Name: "system dialog", Severity: Sensitive,
		Task: `allow|grant|give|install|uninstall`, TaskHan: `允许|授权|权限|安装|卸载`}
	unknownEnd = class{Name: "end", Severity: Sensitive}
	// a page of which nothing is listed
	unlistedEnd = class{Name: "unlisted end", Severity: Sensitive}
	unseen      = class{Name: "unseen", Severity: Sensitive}
	password    = class{Name: "password", Severity: Sensitive,
		Task: `(?:type|enter|use) .{0,40}(?:password|passcode|pin)|` +
			`log ?in|sign ?in|unlock`,
		TaskHan: `密码|登录|解锁`}
	moneyPassword = class{Name: "confirm with a password", Severity: Critical}
	destructive   = class{Name: "destructive", Severity: Sensitive}
)

// wordless are those classes.
var wordless = []*class{&unknownMoney, &moneyPassword, &unknownSystem, &unknownEnd, &unlistedEnd,
	&unseen,
	&password, &destructive, &judged, &deviceCode, &command, &destroys, &account}

// reason says what a finding is, in the language, and whether the task consents to it.
func (f *finding) reason(lang string, consented bool) string {
	in := textsIn(lang)
	said := fmt.Sprintf(in.Reason, f.class.says(lang), fmt.Sprintf(in.Places[f.where], f.words))
	if consented {
		said += in.Consented
	}
	return said
}

// says tells what the class does, in the language.
func (c *class) says(lang string) string { return textsIn(lang).Classes[c.Name] }

// field reports whether the element takes text: a touch of it, or the enter key, presses nothing.
func (e *Element) field() bool {
	return e != nil && (e.Password || e.Class == "" || strings.Contains(e.Class, "EditText") ||
		strings.Contains(e.Class, "AutoComplete"))
}
