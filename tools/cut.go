package tools

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// cut is the beginning of a text, at most n characters and a mark.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

// cutJSON is valid JSON with each of its texts cut. Keys keep their order.
func cutJSON(b json.RawMessage, n int) json.RawMessage {
	var out bytes.Buffer
	for len(b) > 0 {
		start := bytes.IndexByte(b, '"')
		if start < 0 {
			break
		}
		out.Write(b[:start])
		end := closing(b, start)
		var s string
		if json.Unmarshal(b[start:end], &s) != nil {
			return json.RawMessage("null")
		}
		out.WriteString(quote(cut(s, n)))
		b = b[end:]
	}
	out.Write(b)
	return out.Bytes()
}

// closing is behind the quote that ends the text that begins at start.
func closing(b []byte, start int) int {
	for i := start + 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
