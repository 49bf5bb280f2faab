package page

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// element is a part of a text with marks, for a page that makes an element of it. What is in it are
// strings and elements. No HTML of the text's own comes through: it is a string like any other.
type element struct {
	Tag  string `json:"tag"`
	Href string `json:"href,omitempty"` // of a link, http or https only
	In   []any  `json:"in"`
}

// marks reads Markdown. Lines break where the writer has broken them.
var marks = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough,
	extension.Linkify)).Parser()

// Markdown returns what the marks of a text stand for, strings and elements, or nil if it has none.
func Markdown(s string) []any {
	if !strings.ContainsAny(s, "*_`#[|~<>-+=:/.0123456789") {
		return nil
	}
	source := []byte(s)
	root := marks.Parse(text.NewReader(source))
	tree := (&markReader{source: source}).children(root)
	if plain(tree, s) {
		return nil
	}
	return tree
}

// Paragraph is a text without marks as Markdown would tell it.
func Paragraph(s string) []any { return []any{element{Tag: "p", In: []any{s}}} }

// plain reports whether the tree is a paragraph of this text and nothing else.
func plain(tree []any, s string) bool {
	if len(tree) != 1 {
		return len(tree) == 0
	}
	p, is := tree[0].(element)
	if !is || p.Tag != "p" {
		return false
	}
	var all strings.Builder
	for _, one := range p.In {
		words, is := one.(string)
		if !is {
			return false
		}
		all.WriteString(words)
	}
	return all.String() == s
}

// deepest is how deep elements lie in each other. What lies deeper is left out.
const deepest = 20

// markReader makes elements of the nodes of a text.
type markReader struct {
	source []byte
	depth  int
}

func (m *markReader) children(n ast.Node) (list []any) {
	if m.depth++; m.depth > deepest {
		m.depth--
		return nil
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		list = append(list, m.node(c)...)
	}
	m.depth--
	return joined(list)
}

// joined is the list with neighbouring strings as one.
func joined(list []any) (out []any) {
	for _, one := range list {
		s, is := one.(string)
		if is && len(out) > 0 {
			if before, too := out[len(out)-1].(string); too {
				out[len(out)-1] = before + s
				continue
			}
		}
		out = append(out, one)
	}
	return out
}

// tags are the elements of nodes that are nothing but their children.
var tags = map[ast.NodeKind]string{
	ast.KindParagraph: "p", ast.KindBlockquote: "blockquote", ast.KindListItem: "li",
	ast.KindCodeSpan: "code", east.KindStrikethrough: "del", east.KindTable: "table",
	east.KindTableHeader: "tr", east.KindTableRow: "tr", east.KindTableCell: "td",
}

func (m *markReader) node(n ast.Node) []any {
	if tag := tags[n.Kind()]; tag != "" {
		return []any{element{Tag: tag, In: m.children(n)}}
	}
	switch n := n.(type) {
	case *ast.Text:
		return m.words(n)
	case *ast.String:
		return []any{string(n.Value)}
	case *ast.Emphasis:
		return []any{element{Tag: [...]string{"em", "em", "strong"}[min(n.Level, 2)],
			In: m.children(n)}}
	case *ast.Heading:
		return []any{element{Tag: [...]string{"h3", "h3", "h4"}[min(n.Level-1, 2)],
			In: m.children(n)}}
	case *ast.List:
		tag := "ul"
		if n.IsOrdered() {
			tag = "ol"
		}
		return []any{element{Tag: tag, In: m.children(n)}}
	case *ast.ThematicBreak:
		return []any{element{Tag: "hr"}}
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return []any{element{Tag: "pre", In: []any{element{Tag: "code", In: m.lines(n)}}}}
	case *ast.HTMLBlock:
		return []any{element{Tag: "p", In: m.lines(n)}}
	case *ast.RawHTML:
		return []any{string(n.Segments.Value(m.source))}
	case *ast.Link:
		return link(string(n.Destination), m.children(n))
	case *ast.AutoLink:
		return link(string(n.URL(m.source)), []any{string(n.Label(m.source))})
	}
	return m.children(n) // a picture is its words, and a loose line is its own
}

func (m *markReader) words(n *ast.Text) []any {
	list := []any{string(n.Segment.Value(m.source))}
	switch {
	case n.HardLineBreak():
		return append(list, element{Tag: "br"})
	case n.SoftLineBreak():
		return append(list, "\n")
	}
	return list
}

// lines is the text of a block that is taken as it is.
func (m *markReader) lines(n ast.Node) []any {
	return []any{strings.TrimSuffix(string(n.Lines().Value(m.source)), "\n")}
}

// link is a link of the web, or the words of any other one.
func link(to string, in []any) []any {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return in
	}
	return []any{element{Tag: "a", Href: u.String(), In: in}}
}
