package archtest

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// widest is how many columns a line of Go may have, with a tab as four.
const widest = 100

func TestNoLineIsWiderThanAHundredColumns(t *testing.T) {
	files, err := load(root)
	require.NoError(t, err)
	for _, f := range files {
		src, err := os.ReadFile(filepath.Join(root, f.name))
		require.NoError(t, err)
		for _, n := range tooWide(src) {
			t.Errorf("%s:%d is wider than %d columns", f.name, n, widest)
		}
	}
}

func TestTooWideSparesOnlyWhatCannotBeBroken(t *testing.T) {
	long := strings.Repeat("x", widest)
	src := "package p\n" +
		"// " + long + "\n" + // 2
		"var a = \"" + long + "\"\n" +
		"var b, c = f(1,2,3), f(" + strings.Repeat("1,", widest) + ")\n" + // 4
		"var d = `\n" + long + long + "\n`\n" +
		"type t struct {\n\tF int `help:\"" + long + "\"`\n}\n" +
		"var e = \"" + strings.Repeat("字", widest/2) + "\"\n" +
		"// https://" + long + "\n"
	require.Equal(t, []int{2, 4}, tooWide([]byte(src)))
}

// tooWide are the numbers of the lines that are wider than they may be. A line that only a string
// or an address makes so wide is spared.
func tooWide(src []byte) (numbers []int) {
	strs := stringWidths(src)
	for i, line := range strings.Split(string(src), "\n") {
		columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		address := strings.HasPrefix(strings.TrimSpace(line), "// https://")
		if columns > widest && columns-strs[i+1] > widest/2 && !address {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// stringWidths is how many columns of each line belong to its longest string literal.
func stringWidths(src []byte) map[int]int {
	widths := map[int]int{}
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	s.Init(file, src, nil, 0)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return widths
		}
		if tok != token.STRING {
			continue
		}
		first := file.Line(pos)
		for i, part := range strings.Split(text, "\n") {
			widths[first+i] = max(widths[first+i], utf8.RuneCountInString(part))
		}
	}
}
