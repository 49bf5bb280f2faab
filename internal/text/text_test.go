package text_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/text"
)

func TestWhatWouldSteerOrHideIsTakenOut(t *testing.T) {
	for name, c := range map[string]struct{ in, line, lines string }{
		"nothing": {"", "", ""},
		"plain words": {"say \"hi\" 'there' <b>\\", "say \"hi\" 'there' <b>\\",
			"say \"hi\" 'there' <b>\\"},
		"other scripts": {"鞋码 שלום ÿ 🙂 e\u0301", "鞋码 שלום ÿ 🙂 e\u0301",
			"鞋码 שלום ÿ 🙂 e\u0301"},
		"line breaks": {"a\r\nb\rc\n\nd", "a b c d", "a\nb\nc\n\nd"},
		"rarer line breaks": {"a\vb\fc\u0085d\u2028e\u2029f", "a b c d e f",
			"a\nb\nc\nd\ne\nf"},
		"spaces": {"  a \t b\u00a0c ", "a b c", "  a \t b\u00a0c "},
		"escape sequences": {"\x1b[31mred\x1b]0;title\x07\u009b2J", "[31mred]0;title2J",
			"[31mred]0;title2J"},
		"other controls": {"a\x00b\x08c\x7fd\u0090e", "abcde", "abcde"},
		"bidirectional controls": {"a\u202eb\u202cc\u2066d\u2069e\u200ff\u061cg", "abcdefg",
			"abcdefg"},
		"zero widths":                {"k\u200be\u2060y\ufeffs\u00adx\u034fy", "keysxy", "keysxy"},
		"interlinear annotations":    {"a\ufff9b\ufffac\ufffbd", "abcd", "abcd"},
		"tags":                       {"a\U000e0001\U000e0061\U000e007fb", "ab", "ab"},
		"variation selectors beyond": {"❤\ufe0f\U000e0100\U000e01ef", "❤\ufe0f", "❤\ufe0f"},
		"blank letters":              {"a\u3164\u115f\u1160\uffa0b", "ab", "ab"},
		"private use":                {"a\ue000\U000f0000\U0010fffdb", "ab", "ab"},
		"bytes that are no UTF-8":    {"a\xff\xc3b", "a\ufffd\ufffdb", "a\ufffd\ufffdb"},
		"joiners of emoji": {"👩\u200d👧 ❤\ufe0f\u200d🔥", "👩\u200d👧 ❤\ufe0f\u200d🔥",
			"👩\u200d👧 ❤\ufe0f\u200d🔥"},
		"joiners of a script": {"می\u200cخواهم", "می\u200cخواهم", "می\u200cخواهم"},
		"joiners that hide": {"\u200dk\u200ce\u200dй \u200dй\u200d\u200dй\u200d",
			"keй й\u200dй", "keй й\u200dй"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.line, text.Line(c.in))
			require.Equal(t, c.lines, text.Lines(c.in))
		})
	}
}

func TestControlNamesTheFirstThatIsNotAllowed(t *testing.T) {
	for s, want := range map[string]rune{"": 0, "a\tb\n": 0, "a\rb\x1b": '\r', "é\u0085": 0x85,
		"\xff": 0} {
		r, found := text.Control(s, "\n\t")
		require.Equal(t, want, r, "%q", s)
		require.Equal(t, want != 0, found, "%q", s)
	}
	_, found := text.Control("a\r\n", "\r\n")
	require.False(t, found)
}

func TestWordsStandInATextAsAWhole(t *testing.T) {
	for in, want := range map[[2]string]bool{
		{"at 7:30 today", "7:30"}: true, {"at 17:30", "7:30"}: false, {"7:300", "7:30"}: false,
		{"17:30 and 7:30", "7:30"}: true, {"a tripod", "trip"}: false, {"trip2", "trip"}: true,
		{"我晚点到了", "晚点到"}: true, {"éé", "é"}: false, {"", "a"}: false, {"a", ""}: false, {"aa a", "a"}: true,
	} {
		require.Equal(t, want, text.Contains(in[0], in[1]), "%q", in)
	}
}

func TestCutTextsAreCountedInCharacters(t *testing.T) {
	for _, c := range []struct {
		in        string
		n         int
		cut, ends string
		left      int
	}{
		{"", 0, "", "", 0},
		{"", 5, "", "", 0},
		{"abcde", 5, "abcde", "abcde", 0},
		{"abcdef", 5, "abcd…", "abcd [...] f", 1},
		{"词词词词词词", 5, "词词词词…", "词词词词 [...] 词", 1},
		{"词词词词词", 5, "词词词词词", "词词词词词", 0},
		{"0123456789abcdef", 8, "0123456…", "012345 [...] ef", 8},
		{"abc", 1, "…", "a [...] ", 2},
		{"abc", 0, "", " [...] ", 3},
		{"abc", -1, "", " [...] ", 3},
		{"a\xff\xffb", 3, "a\xff…", "a\xff\xff [...] ", 1},
	} {
		require.Equal(t, c.cut, text.Cut(c.in, c.n), "%q %d", c.in, c.n)
		kept, left := text.Ends(c.in, c.n)
		require.Equal(t, c.left, left, "%q %d", c.in, c.n)
		require.Equal(t, c.ends, kept, "%q %d", c.in, c.n)
	}
	require.Equal(t, `"a\"\x1b…"`, text.Quote("a\"\x1bbc", 4))
}

func FuzzCleanTextHoldsNothingDangerous(f *testing.F) {
	for _, s := range []string{"plain", "a\r\n\x1b[2J\u202eb\xff", "👩\u200d👧",
		"\u200d\u200dй\u200c\u200dй", "\U000e0061", " \u2028 "} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		for name, clean := range map[string]func(string) string{"Line": text.Line,
			"Lines": text.Lines} {
			out := clean(s)
			require.True(t, utf8.ValidString(out), name)
			require.Equal(t, -1, strings.IndexFunc(out, text.Dangerous), "%s %q", name, out)
			require.Equal(t, out, clean(out), "%s is done once", name)
			prev := ' '
			for _, r := range out + " " {
				require.False(t, hides(prev) && r <= unicode.MaxASCII,
					"%s leaves a joiner before %q", name, r)
				require.False(t, prev <= unicode.MaxASCII && hides(r),
					"%s leaves a joiner behind %q", name, prev)
				prev = r
			}
			short := text.Cut(out, n)
			require.LessOrEqual(t, utf8.RuneCountInString(short), max(n, 0))
			require.True(t, strings.HasPrefix(out, strings.TrimSuffix(short, text.Ellipsis)))
			kept, left := text.Ends(out, n)
			if left > 0 {
				left -= len(text.Gap)
			}
			require.Equal(t, utf8.RuneCountInString(out), utf8.RuneCountInString(kept)+left)
		}
		require.NotContains(t, text.Line(s), "\n")
		require.Equal(t, -1, strings.IndexFunc(text.Quote(s, n), func(r rune) bool {
			return !unicode.IsPrint(r)
		}))
	})
}

func hides(r rune) bool { return r == '\u200c' || r == '\u200d' }

func TestAWriterCleansWhatComesInPartsAsOneText(t *testing.T) {
	for _, s := range []string{"", "plain\n",
		"a\r\nb\rc\x1b[2J\u009b\u202e\u2028d", "👩\u200d👧 й\u200d",
		"\u200dk\u200ce\u2060\xff\xc3b词\u2066\n", "\r", "\r\n\r\r\n"} {
		for size := 1; size <= len(s)+1; size++ {
			var out bytes.Buffer
			w := text.NewWriter(&out)
			for rest := s; rest != ""; {
				part := rest[:min(size, len(rest))]
				n, err := w.Write([]byte(part))
				require.NoError(t, err)
				require.Equal(t, len(part), n)
				rest = rest[len(part):]
			}
			require.Equal(t, text.Lines(s), out.String(), "%q by %d", s, size)
		}
	}
}

func TestAWriterTellsOfOneThatFails(t *testing.T) {
	r, broken := io.Pipe()
	require.NoError(t, r.CloseWithError(io.ErrShortWrite))
	w := text.NewWriter(broken)
	n, err := w.Write([]byte("words"))
	require.ErrorIs(t, err, io.ErrShortWrite)
	require.Zero(t, n)
	require.Equal(t, io.Writer(broken), w.Unwrap())
}

func FuzzWhatIsDangerousIsEscapedInJSON(f *testing.F) {
	for _, s := range []string{"plain", "\u009b2J\u202e\x7f\x1b", "👩\u200d👧 \U000e0061\ufeff",
		"\xff\u2028\r\n\t\"\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		encoded, err := json.Marshal(map[string]string{s: s})
		require.NoError(t, err)
		safe := string(text.JSON(encoded))
		require.Equal(t, safe, text.Lines(safe), "nothing is left for a cleaner to take out")
		var want, got map[string]string
		require.NoError(t, json.Unmarshal(encoded, &want))
		require.NoError(t, json.Unmarshal([]byte(safe), &got))
		require.Equal(t, want, got)
	})
}

// What the categories of Unicode say, in the planes in which most of these characters are.
func TestDangerousAreTheCharactersThatSteerOrHide(t *testing.T) {
	const letters = "\n\t\u200C\u200D"
	const blanks = "\u034F\u115F\u1160\u3164\uFFA0"
	for i := range rune(0x11000) {
		r := i
		if i >= 0x10000 {
			r += 0xD0000
		}
		want := !strings.ContainsRune(letters, r) && (strings.ContainsRune(blanks, r) ||
			r >= 0xE0100 && r <= 0xE01EF || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl,
			unicode.Zp, unicode.Co, unicode.Cs))
		if text.Dangerous(r) != want {
			require.Equal(t, want, text.Dangerous(r), "%U", r)
		}
	}
}

func TestTheTextsInJSONAreChangedWhereverTheyLie(t *testing.T) {
	v := map[string]any{"a": "x", "b": []any{"y", 1.0, map[string]any{"x": "x", "n": nil}}}
	got := text.InJSON(v, func(s string) string { return s + s })
	require.Equal(t, map[string]any{"a": "xx",
		"b": []any{"yy", 1.0, map[string]any{"x": "xx", "n": nil}}}, got)
	require.Equal(t, "zz", text.InJSON("z", func(s string) string { return s + s }))
}

func TestJSONIsReadWholeWithTheDigitsOfItsNumbers(t *testing.T) {
	v, err := text.FromJSON([]byte(`{"n": 12345678901234567890}` + "\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"n": json.Number("12345678901234567890")}, v)
	for _, wrong := range []string{"", "{} {}", "{", "nope"} {
		_, err := text.FromJSON([]byte(wrong))
		require.Error(t, err, wrong)
	}
}
