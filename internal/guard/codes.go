package guard

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/taploop/taploop/internal/text"
)

// What digits and lines in certain fields do.
var (
	deviceCode = class{Name: "device code", Severity: Critical}
	command    = class{Name: "command", Severity: Sensitive,
		Task: `(?:run|execute|type|enter) .{0,60}`, TaskHan: `运行|执行|输入`}
	destroys = class{Name: "destructive command", Severity: Critical}
	account  = class{Name: "card or account", Severity: Sensitive,
		Task:    `(?:type|enter|use|fill in|pay with) .{0,40}(?:card|iban|account|cvv|cvc)`,
		TaskHan: `卡号|银行卡|账号`}
)

// Apps whose keys are those of a telephone, and those in which a line is a command.
var (
	diallers  = apps("diallers")
	terminals = apps("terminals")
)

// dialled matches what a telephone carries out once it is written, or called: *#06#, *21*+123#
// (3GPP TS 22.030).
var dialled = regexp.MustCompile(`^[*#]+\d[\d*#+]*$`)

// byCode is what the text becomes with the typed part: a code of the phone, in a dialler.
func byCode(s *Subject, typed string) []finding {
	if !globs(diallers, s.App, true) {
		return nil
	}
	code := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Cf) {
			return -1
		}
		return r
	}, typed)
	if !dialled.MatchString(code) || !ends(code) {
		return nil
	}
	return []finding{{&deviceCode, inField, code}}
}

// byDialKey is what a key of a dialler does beside what was typed: the last # of a code, or the
// call of one.
func byDialKey(s *Subject, on []string) []finding {
	if !globs(diallers, s.App, true) {
		return nil
	}
	key := ""
	if len(on) > 0 && strings.ContainsAny(on[0][:1], "*#") {
		key = on[0][:1]
	}
	calls := func(f finding) bool { return f.class.Name == "call" }
	said := append(byLabel(on, underFinger, true), s.Element.byResourceID()...)
	call := slices.ContainsFunc(said, calls)
	for _, t := range s.Screen {
		t = strings.ReplaceAll(strings.TrimSpace(t), " ", "")
		if dialled.MatchString(t) && (key != "" && ends(t+key) || call && ends(t)) {
			return []finding{{&deviceCode, onScreen, t}}
		}
	}
	return nil
}

// ends reports whether the code ends here: *21*123#, *#*#4636#*#*.
func ends(code string) bool {
	return strings.HasSuffix(code, "#") && !strings.HasSuffix(code, "#*#") ||
		strings.HasSuffix(code, "#*#*")
}

// byCommand is what the enter key does behind a line in a terminal.
func byCommand(s *Subject, line string) []finding {
	if !globs(terminals, s.App, true) {
		return nil
	}
	if line == "" && s.Element != nil {
		line = s.Element.Text
	}
	if ruins().MatchString(normalize(line)) {
		return []finding{{&destroys, inField, text.Cut(text.Line(line), 100)}}
	}
	return []finding{{&command, inField, text.Cut(text.Line(line), 100)}}
}

// ruins matches commands that take something away that does not come back.
var ruins = text.Lazily(`\b(?:rm|rmdir|shred|dd|mkfs\S*|wipe|fdisk|parted|truncate|mv|` +
	`chmod|` +
	`chown|kill(?:all)?|reboot|shutdown|su|sudo|format|del|drop|fastboot|flash|uninstall|` +
	`purge)\b|>|` +
	`\b(?:curl|wget)\b.*\|`)

// byNumber is what is typed: the number of a card or an account, or a code in a field for one.
func byNumber(s *Subject) []finding {
	for word := range strings.Lines(s.Typed) {
		if number := strings.TrimSpace(word); isCard(number) || isIBAN(number) {
			return []finding{{&account, inField, s.App}}
		}
	}
	e := s.Element
	if e == nil || e.Password || s.Typed == "" {
		return nil
	}
	if n := cardField(s.fieldNames()); n != "" && strings.ContainsFunc(s.Typed, unicode.IsDigit) {
		return []finding{{&account, inField, n}}
	}
	return nil
}

// fieldNames are what the touched field is called: on it, in its id, and beside it.
func (s *Subject) fieldNames() []string {
	names := append(s.Element.lines(), strings.Join(text.Words(s.Element.id()), " "))
	if s.Layout != nil {
		names = append(names, s.Layout.Names...)
	}
	return names
}

// isCard reports whether s is the number of a payment card, by its length and its last digit
// (ISO/IEC 7812, Luhn).
func isCard(s string) bool {
	digits := strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '\u00a0' {
			return -1
		}
		return r
	}, s)
	if len(digits) < 13 || len(digits) > 19 || strings.Trim(digits, digits[:1]) == "" {
		return false
	}
	sum := 0
	for i, r := range slices.Backward([]byte(digits)) {
		if r < '0' || r > '9' {
			return false
		}
		n := int(r - '0')
		if (len(digits)-i)%2 == 0 {
			n = n*2/10 + n*2%10
		}
		sum += n
	}
	return sum%10 == 0
}

// isIBAN reports whether s is the number of an account (ISO 13616): the remainder of its digits by
// 97 is 1.
func isIBAN(s string) bool {
	s = strings.ToUpper(strings.ReplaceAll(s, " ", ""))
	if len(s) < 15 || len(s) > 34 || !iban.MatchString(s) {
		return false
	}
	var digits strings.Builder
	for _, r := range s[4:] + s[:4] {
		if unicode.IsLetter(r) {
			digits.WriteString(big.NewInt(int64(r - 'A' + 10)).String())
		} else {
			digits.WriteRune(r)
		}
	}
	n, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && n.Mod(n, big.NewInt(97)).Int64() == 1
}

var iban = regexp.MustCompile(`^[A-Z]{2}\d\d[A-Z0-9]{11,30}$`)
