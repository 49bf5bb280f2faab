package text_test

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/text"
)

func TestASecretIsHiddenHoweverItIsWritten(t *testing.T) {
	const odd = `a&b+c/d"g\é12`
	m := text.NewMask([]string{"abcdefgh", "abcdefghijk\n", odd, "short"}, 8, "[secret]")
	inJSON := func(s string) string { return text.Readable(s) }
	all := ""
	for _, r := range odd {
		all += fmt.Sprintf(`\u%04x`, r)
	}
	for said, want := range map[string]string{
		"abcdefghijk abcdefgh": "[secret] [secret]",
		inJSON(odd):            `"[secret]"`,
		`{"a":1e3,"t":"x ` + all + `","u":"\n<"}`: `{"a":1e3,"t":"x [secret]","u":"\n<"}`,
		inJSON(`{"K":"` + all + `"}`):             inJSON(`{"K":"[secret]"}`),
		inJSON(`5" ` + inJSON(`{"K":`+inJSON("x"+odd)+"}")): inJSON(`5" ` +
			inJSON(`{"K":"x[secret]"}`)),
		`["\u00`: `["\u00`, `"\`: `"\`, `\"""\""`: `\"""\""`,
	} {
		require.Equal(t, want, m.Text(said), said)
	}
}

func TestASecretIsHiddenInTheFormsOfReports(t *testing.T) {
	m := text.NewMask([]string{`p<"w\1`, "two\nlines", "p<", "pa$$ w.rd's", " x  \n"}, 2, "***")
	require.Equal(t, `*** *** *** *** ***, ***`, m.Text(
		`p<"w\1 p&lt;&#34;w\1 p\u003c\"w\\1 p%3C%22w%5C1 two`+"\nlines, lines"))
	const value = "pa$$ w.rd's"
	source := regexp.QuoteMeta(value)
	for _, written := range []string{value, source, strconv.Quote(source), text.Readable(source),
		html.EscapeString(source), "pa$$%20w.rd%27s", "pa%24%24+w.rd%27s",
		html.EscapeString(strconv.Quote(value)), `'pa$$ w.rd'\''s'`, `'pa$$ w.rd''s'`} {
		got := m.Text("<" + written + ">")
		require.Contains(t, got, "***", written)
		require.NotContains(t, got, "rd", written)
	}
	require.Equal(t, "x y", m.Text("x y"))
	require.Equal(t, "p<", text.Mask{}.Text("p<"))
}
