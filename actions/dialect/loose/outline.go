package loose

import (
	"regexp"
	"strings"
)

var (
	// entry is a line of an outline: a name and a value, which may follow in deeper lines.
	entry = regexp.MustCompile(`^([ ]*)["']?([\pL_][\pL\pN_ -]{0,30}?)["']?\s*:(?:[ ]+(.*)|)$`)
	// element is a tag that opens, at the beginning of a text.
	element = regexp.MustCompile(`^\s*<([\pL_][\pL\pN_-]{0,30})` +
		`((?:\s+[\pL_][\pL\pN_-]{0,30}="[^"<>]*")*)\s*(/?)>`)
	attribute = regexp.MustCompile(`([\pL\pN_-]+)="([^"]*)"`)
	folded    = regexp.MustCompile(`^[>|][+-]?\s*$`)
)

// ReadOutline reads a text that is, as a whole, names with values in lines, as YAML has it. Deeper
// lines are an object of their own, or the lines of a text behind > or |.
func ReadOutline(text string) (o Object, ok bool) {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "---"), "---")
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	o, rest, ok := outline(lines, 0, 0)
	return o, ok && len(rest) == 0
}

// outline reads the lines that are indented by so many blanks.
func outline(lines []string, blanks, depth int) (o Object, rest []string, ok bool) {
	for len(lines) > 0 {
		if strings.TrimSpace(lines[0]) == "" {
			lines = lines[1:]
			continue
		}
		m := entry.FindStringSubmatch(strings.TrimRight(lines[0], " \t"))
		switch {
		case indent(lines[0]) < blanks:
			return o, lines, len(o) > 0
		case m == nil, len(m[1]) > blanks, depth > maxDepth:
			return nil, nil, false
		}
		value, behind, ok := entryValue(m[3], lines[1:], blanks, depth)
		if !ok {
			return nil, nil, false
		}
		o, lines = append(o, Member{m[2], value}), behind
	}
	return o, nil, len(o) > 0
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// entryValue reads a value that begins behind its name, or in deeper lines.
func entryValue(said string, lines []string, blanks, depth int) (v any, rest []string, ok bool) {
	deeper := 0
	for deeper < len(lines) && (indent(lines[deeper]) > blanks || lines[deeper] == "") {
		deeper++
	}
	switch {
	case folded.MatchString(said):
		text := lines[:deeper]
		for i := range text {
			text[i] = strings.TrimSpace(text[i])
		}
		joint := "\n"
		if said[0] == '>' {
			joint = " "
		}
		return strings.Trim(strings.Join(text, joint), " \n"), lines[deeper:], true
	case said == "" && deeper > 0:
		for lines[0] == "" {
			lines = lines[1:]
		}
		o, rest, ok := outline(lines, indent(lines[0]), depth+1)
		return o, rest, ok
	}
	return scalar(said), lines, true
}

// scalar is a value of one line. Whatever JSON and Python have no value for is a text.
func scalar(said string) any {
	v, rest, err := read(said, func(p *parser) (any, error) { return p.value(0) })
	if err != nil || strings.TrimSpace(rest) != "" {
		return strings.TrimSpace(said)
	}
	return v
}

// ReadElements reads a text that is, as a whole, elements with values in tags that open and close,
// or in attributes: <tap><x>1</x><y>2</y></tap>. An element with others in it is an object.
func ReadElements(text string) (o Object, ok bool) { return elements(text, 0) }

func elements(text string, depth int) (o Object, ok bool) {
	for strings.TrimSpace(text) != "" {
		m := element.FindStringSubmatchIndex(text)
		if m == nil || depth > maxDepth {
			return nil, false
		}
		tag, value, rest, closed := text[m[2]:m[3]], "", text[m[1]:], true
		if m[6] == m[7] { // it is not closed in itself
			value, rest, closed = strings.Cut(rest, "</"+tag+">")
		}
		if !closed {
			return nil, false
		}
		o = append(o, elementOf(tag, text[m[4]:m[5]], value, depth))
		text = rest
	}
	return o, len(o) > 0
}

// elementOf is an element with its attributes and its value. A parameter has its name in one.
func elementOf(tag, attributes, value string, depth int) Member {
	var all Object
	for _, m := range attribute.FindAllStringSubmatch(attributes, -1) {
		all = append(all, Member{m[1], m[2]})
	}
	inner, nested := elements(value, depth+1)
	switch name := Text(all.Get("name")); {
	case nested || strings.TrimSpace(value) == "" && len(all) > 0:
		return Member{tag, append(all, inner...)}
	case len(all) == 1 && name != "":
		return Member{name, strings.Trim(value, "\n")}
	}
	return Member{tag, strings.Trim(value, "\n")}
}
