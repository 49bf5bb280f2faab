package text

import (
	"regexp"
	"strings"
	"unicode"
)

// hidden stands for a part of an address, as in [net/url.URL.Redacted].
const hidden = "xxxxx"

var (
	address  = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>` + "`" + `|]*`)
	schemed  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	loose    = regexp.MustCompile(`[\w.:~%+/-]{16,}@[\w.\[]`) // a key before a server
	unbroken = regexp.MustCompile(`[A-Za-z0-9_]{16,}`)
)

// Addresses hides the secrets of all addresses in a text, as [Address] does.
func Addresses(s string) string {
	s = address.ReplaceAllStringFunc(s, Address)
	return loose.ReplaceAllStringFunc(s, func(at string) string {
		if i := strings.LastIndex(at, "@"); !strings.Contains(at, "://") && keylike(at[:i]) {
			return hidden + at[i:]
		}
		return at
	})
}

// Address hides what may be a secret in an address: passwords, users without one, values of the
// query, the fragment, and parts of the path that look like keys. It takes any text.
func Address(s string) string {
	scheme := schemed.FindString(s)
	server := s[len(scheme):]
	server, fragment, marked := strings.Cut(server, "#")
	server, query, asks := strings.Cut(server, "?")
	server, path, deep := strings.Cut(server, "/")
	if i := strings.LastIndex(path, "@"); deep && i >= 0 && !strings.Contains(server, "@") &&
		(scheme == "" || strings.Contains(server, ":")) {
		server, path, deep = strings.Cut(hidden+path[i:], "/") // the slash was a password's
	}
	if i := strings.LastIndex(server, "@"); i >= 0 {
		user, password, _ := strings.Cut(server[:i], ":")
		if password == "" || keylike(user) {
			server = hidden + server[i:]
		} else {
			server = user + ":" + hidden + server[i:]
		}
	}
	s = scheme + server
	if deep {
		s += "/" + masked(path, "/", func(part string) string {
			if keylike(part) {
				return hidden
			}
			return part
		})
	}
	if asks {
		s += "?" + masked(query, "&", func(pair string) string {
			if name, _, is := strings.Cut(pair, "="); is {
				return name + "=" + hidden
			}
			return hidden
		})
	}
	if marked && fragment != "" {
		s += "#" + hidden
	}
	return s
}

func masked(s, by string, f func(string) string) string {
	parts := strings.Split(s, by)
	for i, part := range parts {
		if part != "" {
			parts[i] = f(part)
		}
	}
	return strings.Join(parts, by)
}

// keylike reports whether a part of an address is no word that a person chose: it is long, or has
// letters and digits in one piece.
func keylike(s string) bool {
	for _, piece := range unbroken.FindAllString(s, -1) {
		if len(piece) >= 24 || strings.ContainsFunc(piece, unicode.IsDigit) {
			return true
		}
	}
	return len(s) >= 32
}
