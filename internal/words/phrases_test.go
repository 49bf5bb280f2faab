package words_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

func TestAMessageIsTranslatedWithItsParts(t *testing.T) {
	for said, want := range map[string]string{
		"no sessions":                    "没有会话",
		"deleted 3 sessions":             "已删除 3 个会话",
		"deleted 1 session":              "已删除 1 个会话",
		`there is no question "a\"b: c"`: `没有问题 "a\"b: c"`,
		"looking at the phones: no ADB server is listening at 127.0.0.1:1": "查看手机：" +
			"no ADB server is listening at 127.0.0.1:1",
		"looking at the phones: no ADB server is listening": "查看手机：没有 ADB 服务在监听",
		"step 3: looking: the phone is offline":             "第 3 步: looking: 手机不在线",
		`step 3: no phone "no phone"`:                       `第 3 步: 没有手机 "no phone"`,
		"nothing of ours":                                   "nothing of ours",
		"no sessions\nnothing of ours":                      "没有会话\nnothing of ours",
		// what nobody wrote as one message, and would take seconds
		strings.Repeat("no sessions: ", 2000):     strings.Repeat("no sessions: ", 2000),
		strings.Repeat("nothing of ours\n", 2000): strings.Repeat("nothing of ours\n", 2000),
		strings.Repeat("no sessions\n", 2000):     strings.Repeat("没有会话\n", 2000),
		strings.Repeat(strings.Repeat("a: ", 330)+"\n", 2000) + "no sessions": strings.Repeat(
			strings.Repeat("a: ", 330)+"\n", 2000) + "no sessions",
		"": "",
	} {
		require.Equal(t, want, words.Phrase("zh", said), said)
		require.Equal(t, said, words.Phrase("en", said))
		require.Equal(t, said, words.Phrase("fr", said))
	}
}

var verb = regexp.MustCompile(`%(\[\d\])?[a-z]`)

// counted are numbers of things.
var counted = regexp.MustCompile(`^(1 [a-z]+|%d [a-z]+s)$`)

// others are what the parsers of the command line and of YAML say, and the system, what has nothing
// for its last part, and what is said of leave and of whoever answered: a part more would fit too
// much.
var others = []string{"unexpected argument %s", "unknown flag %s",
	"mapping key %q already defined at [%d:%d]",
	"could not find flow mapping end token '}'",
	"',' or ']' must be specified",
	"',' or '}' must be specified",
	"could not find value for mapping key",
	"expected map key-value delimiter ':'",
	"found an invalid key for this map",
	"mapping value is not allowed in this context",
	"non-map value is specified",
	"sequence end token ']' not found",
	"block sequence entries are not allowed in this context",
	"unexpected key name",
	"unexpected map key",
	"value is not allowed in this context",
	"value is not allowed in this context. map key-value is pre-defined",
	"found unknown escape character %q",
	"could not find '[' character corresponding to ']'",
	"could not find '{' character corresponding to '}'",
	"could not find end character of double-quoted text",
	"could not find end character of single-quoted text",
	"found character '\t' that cannot start any token",
	"found a tab character where an indentation space is expected",
	"unknown action %q (want one of %s)",
	"%s has no argument %q (it has: %s)",
	"%q is a reserved character",
	"all until %s UTC", "session %s until %s UTC", "app %s until %s UTC",
	"action %s until %s UTC", "server %s until %s UTC", "tool %s until %s UTC",
	"%s through console", "%s through command_line", "%s through page", "%s through memory",
	"%s through timer", "%s through client", "%s through elicit", "%s through http",
	"%s through mcp", "%s through suite",
	"launching %q on %s: %s", "typing on %s: %s", "dial tcp %s: connect: connection refused",
	"expected one of %s", "expected %s", "Usage: %s [flags]", "Arguments:", "Flags:", "Commands:",
	`Run "taploop <command> --help" for more information on a command.`,
	"open %s: no such file or directory", "missing flags: %s", "expected %q",
	"expected %s value but got %q (%s)", "%s must be one of %s but got %q", "stat %s",
	"no such file or directory", "executable file not found in $PATH",
	"end of range (%d) above maximum (%d)",
	"%d of %d, %s (95%: %s to %s)", "done, %s, %ss", "not done, %s, %ss", "%s, %s, round %d: %s",
	"%s agrees in %d of %s, %s (95%: %s to %s); of the same kind %d, unreadable %d",
	"points lie %s% of the width apart (%s px, median); at most %s% agree",
	"a step took %ss (median; 90% under %ss), %ss when it was recorded; %d tokens sent, %d received",
	"%s, landscape %s, large %s, portrait %s, small %s, text han %s, text latin %s",
	"%s px of the target's middle (median; 90% under %s)", "%ss a reply (median; 90% under %ss)",
	"%s sent, %s received (median)", "export %s before %s starts", "no measurement: %s",
	"{{%s}} is neither a variable, a column of with nor a secret (there are none)",
}

// What the program does not say any more needs no translation.
func TestPhrasesAreSaidInTheProgram(t *testing.T) {
	source := literals(t)
	for _, lang := range words.Languages() {
		var unsaid []string
		for said, to := range *words.Domains()["phrases"].Read(lang).(*map[string]string) {
			require.Equal(t, len(verb.FindAllString(said, -1)), len(verb.FindAllString(to, -1)),
				"%s: the parts of %q", lang, said)
			if part := verb.FindStringIndex(said); part != nil {
				require.GreaterOrEqual(t, len(verb.ReplaceAllString(said, "")), 4,
					"%q fits too much", said)
			}
			// a hint names the session where it is shown
			plain := strings.ReplaceAll(verb.ReplaceAllString(said, "%"), "show %`", "show SESSION`")
			plain = strings.ReplaceAll(plain, "check %`", "check SESSION`")
			if counted.MatchString(said) || slices.Contains(others, said) {
				continue
			}
			if !slices.ContainsFunc(source, func(s string) bool { return strings.Contains(s, plain) }) {
				unsaid = append(unsaid, said)
			}
		}
		require.Empty(t, unsaid, "%s: nothing says this", lang)
	}
}

// literals are the texts in the program's source and in its table of clients, with what they are
// joined with as a part.
func literals(t *testing.T) (all []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			e, is := n.(ast.Expr)
			if !is {
				return true
			}
			s := joined(e)
			if s == "" || s == "%" {
				return true
			}
			all = append(all, verb.ReplaceAllString(s, "%"))
			return false
		})
		return nil
	})
	require.NoError(t, err)
	table, err := os.ReadFile(filepath.Join(root, "internal", "clients", "clients.json"))
	require.NoError(t, err)
	var clients any
	require.NoError(t, json.Unmarshal(table, &clients))
	text.InJSON(clients, func(s string) string {
		all = append(all, verb.ReplaceAllString(s, "%"))
		return s
	})
	return all
}

// joined is an expression of texts as one, with a part for each that is no literal, and "" for one
// that has no text.
func joined(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(x.Value); x.Kind == token.STRING && err == nil {
			return s
		}
	case *ast.BinaryExpr:
		left, right := joined(x.X), joined(x.Y)
		if x.Op != token.ADD || left+right == "" {
			return ""
		}
		return orPart(left) + orPart(right)
	}
	return ""
}

func orPart(s string) string {
	if s == "" {
		return "%s"
	}
	return s
}
