package agents

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// notations.txt says what each of these expressions is for.
var (
	//go:embed notations.txt
	notationsFile string
	notations     = words.Lists(notationsFile)
	members       = words.Sections(notationsFile)

	opens      = pattern("opens")
	callKeys   = pattern("call_keys")
	callMark   = pattern("call_mark")
	opened     = pattern("opened")
	wrapped    = pattern("wrapped")
	unwrapped  = pattern("unwrapped")
	labelled   = pattern("labelled")
	alone      = pattern("alone")
	argsLabel  = pattern("args_label")
	argsIn     = pattern("args_in")
	attributes = pattern("attributes")
	argument   = pattern("argument")
	closed     = pattern("closed")
	coded      = pattern("coded")
	fence      = pattern("fence")
	ours       = pattern("ours")
	ownCode    = pattern("own_code")
	prose      = pattern("prose")
	marks      = pattern("marks")

	word = regexp.MustCompile(`[\w-]+`)
)

func pattern(name string) func() *regexp.Regexp {
	return text.LazilyOf(func() string { return notations[name] })
}

// A text is read for calls up to maxWritten bytes, and to where so many brackets are no JSON, or
// calls are only told of: each costs a look at what follows it, for the keys of a call within
// maxKeys bytes, and at what is around it within maxNear.
const maxWritten, maxUnread, maxKeys, maxNear = 256 << 10, 100, 8 << 10, 400

// notation is a reply that is looked through for calls.
type notation struct {
	reply  string
	rest   []byte // the reply with blanks for the JSON that was read
	tools  map[string]Tool
	fences [][]int // where blocks begin and end, with their languages
}

// block reports whether the place is in a block, what follows that, and whether its code is no
// model's call.
func (n *notation) block(at int) (foreign bool, behind string, in bool) {
	i, begins := slices.BinarySearchFunc(n.fences, at, func(f []int, at int) int {
		return f[0] - at
	})
	if begins || i%2 == 0 {
		return false, "", false
	}
	begin, end := n.fences[i-1], len(n.reply)
	if i < len(n.fences) {
		end, behind = n.fences[i][0], n.reply[n.fences[i][0]+3:]
	}
	return !ours().MatchString(n.reply[begin[2]:begin[3]]) ||
		ownCode().MatchString(n.reply[begin[1]:end]), behind, true
}

// line is the line up to the place, or maxNear bytes of it.
func (n *notation) line(at int) string {
	line := n.rest[max(at-maxNear, 0):at]
	return string(line[strings.LastIndex(string(line), "\n")+1:])
}

// inline reports whether the place is in code within a line.
func (n *notation) inline(at int) bool { return strings.Count(n.line(at), "`")%2 == 1 }

// told reports whether what stands there is only told of: in foreign code, in a block with words
// behind it, in code within a line, or among words.
func (n *notation) told(at, end int) bool {
	if foreign, behind, in := n.block(at); in {
		return foreign || speaks(behind)
	}
	return n.inline(at) || speaks(n.reply[:at]) && speaks(n.reply[end:])
}

func speaks(s string) bool { return prose().MatchString(marks().ReplaceAllString(s, "")) }

// blank leaves out what was read. Of an object that is no call, its first name stays.
func (n *notation) blank(from, to int, call bool) {
	if !call {
		from += 1 + strings.IndexAny(n.reply[from:to], ":]}")
		to--
	}
	for i := from; i < to; i++ {
		if n.rest[i] != '\n' {
			n.rest[i] = ' '
		}
	}
}

// calls reports whether a call stands in the reply besides what was read.
func (n *notation) calls() bool {
	for _, m := range callMark().FindAllIndex(n.rest, maxUnread) {
		names := strings.ContainsAny(n.reply[m[0]:m[1]], "=`:")
		if (names || opened().Match(n.rest[m[1]:])) && !n.told(m[0], len(n.reply)) {
			return true
		}
	}
	told := 0
	for _, m := range word.FindAllIndex(n.rest, -1) {
		if t, known := n.tools[n.reply[m[0]:m[1]]]; known && told < maxUnread {
			end := n.named(m[0], m[1], t)
			if end > 0 && !n.told(m[0]-len(n.line(m[0])), end) {
				return true
			}
			told += min(end, 1)
		}
	}
	return false
}

// named is the end of the call that has its name at a place, or 0.
func (n *notation) named(at, end int, t Tool) int {
	line, behind := n.line(at), string(n.rest[end:min(end+maxNear, len(n.rest))])
	label := labelled().MatchString(line)
	m := argsIn().FindStringSubmatchIndex(behind)
	switch {
	case !label && !alone().MatchString(line):
		return 0
	case label && argsLabel().MatchString(behind),
		strings.HasSuffix(line, "<") && attributes().MatchString(behind):
		return len(n.reply)
	case m == nil || m[4] >= 0 && !t.takes(behind[m[4]:m[5]]):
		return 0
	case behind[m[2]] == '<':
		return max(end, strings.LastIndex(n.reply, ">"))
	}
	end += m[2]
	whole := string(n.rest[end:min(end+maxKeys, len(n.rest))])
	call := closed().FindString(whole)
	line, _, _ = strings.Cut(whole[len(call):], "\n")
	switch {
	case call == "": // cut off
		return len(n.reply)
	case whole[0] == '(' && !coded().MatchString(line):
		return 0
	}
	return end + len(call)
}

// takes reports whether the tool may have an argument of that name.
func (t *Tool) takes(name string) bool {
	return t.has(name) || argument().MatchString(name) ||
		len(wire.Members(wire.At(t.Schema, "properties"))) == 0
}

// has reports whether the tool has an argument of that name.
func (t *Tool) has(name string) bool { return wire.At(t.Schema, "properties", name) != nil }
