package agents

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// Notations of calls: marks that only machines write, and a tool's name with arguments behind it.
// \x60 is a backtick.
var (
	// callMark begins a call: a token, a tag, a word in brackets, a block, a recipient or a label.
	callMark = text.Lazily(`(?im)<[|｜](?:\w+[|｜])?[\w▁:. ]*(?:tool|func|action|plugin|` +
		`python|recipient|invoke)[^<>\n]{0,99}>|` +
		`<{1,2}[\w:.]*(?:(?:tool|function)s?_?(?:calls?|use|code)|mcp_tool|invoke\s|` +
		`function[=>])[^<>\n]{0,99}>*|\[(?:TOOL|FUNCTION|ACTION)_?(?:CALLS?|USE|REQUEST)\]|` +
		`\x60{3}(?:tool|function|action)[_-]?(?:calls?|use|code)?\b|\bto=functions\.|` +
		`^[*#\d. ]*action[* ]*:.*\n[*# ]*action[ _]input[* ]*:`)
	// opened is what follows a mark that does not name the tool: not a word among others.
	opened = text.Lazily(`^\s*(?:[\[{(<]|\x60{3}|[\w.]+[^\w\s]|\w+\s*(?:\n|$)|$)`)
	// wrapped and unwrapped are marks in front of a call and behind it.
	wrapped   = text.Lazily(`(?:<[^</>=\n][^<>=/\n]{0,60}>|\[[A-Z_]+\]|\x60{3}\w*|\s)+$`)
	unwrapped = text.Lazily(`(?i)^(?:<[|｜]?/[^<>\n]+>|<[|｜][^<>\n]*end[^<>\n]*>|<\w+[|｜]>|` +
		`\[(?:/|END)[A-Z_]*\]|\x60{3}|\s)+`)
	// labelled is a line up to a name that it says to be a tool's, and alone one without words.
	labelled = text.Lazily(`(?i)(?:^[\[{"'\x60*#>✿(<]*(?:[\w ]{0,20}[ _])?(?:tool|action|` +
		`function|name|call|recipient|to)[\w ]{0,12}["'\x60*✿]*\s*[:=>][\s*]*|` +
		`[{,]\s*["']?(?:tool|tool_name|name|action|function)["']?\s*:\s*)["'\x60*]*(?:functions\.)?$`)
	alone = text.Lazily(`^(?:[-=]>|[\s\x60*>→@/\[({])*(?:<[^<>]*>\s*)*(?:[\w, ]+=\s*)?` +
		`(?:await |print\()*(?:\w+\.)*<?$`)
	// argsLabel says that arguments follow, argsIn is where they begin, with a name, and
	// attributes are those of a tag, or none.
	argsLabel = text.Lazily(`(?i)^["'\x60*\s,;✿<]*(?:[\w ]{0,20}[ _])?(?:args|arguments?|` +
		`param(?:eter)?s?|input|kwargs)["'\x60*✿]*\s*[:=>][\s*]*` +
		`(?:[\[{"'<]|\x60{3}|[\w-]+: |- [\w-]+: (?:["'\d\[{]|\S+\s))`)
	argsIn = text.Lazily(`^(?:\.call)?(?:["'\x60*:=>,\])\s]|</?[^<>\n]{1,60}>|` +
		`\[[A-Z_]+\](?:\w+\[)?|:\d+|\x60{3}\w*|\b(?:json|code|tool_call)\b)*` +
		`([{<(])\s*(?:["']?(\w+)["']?\s*[:=>]|[)}"'\d\[{])`)
	attributes = text.Lazily(`^(?:\s+\w+=["'{]|\s*/>|>\s*</)`)
	closed     = text.Lazily(`^(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|` +
		`\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})`)
	// coded is the rest of a line behind a call.
	coded = text.Lazily(`^[\s)\]}\x60;]*(?:<.*|\[.*|, *\w+\(.*)?$`)
	// ours are the languages of blocks that calls stand in. Code that defines what it calls is the
	// reader's.
	ours     = text.Lazily(`(?i)^(?:json[c5]?|py|python|xml|ya?ml|te?xt|plaintext)?$`)
	ownCode  = text.Lazily(`(?m)^\s*(?:import|from|def|class|async def|for|while|if)\s`)
	prose    = text.Lazily(`\pL\pL|\p{Han}`)
	marks    = text.Lazily(`</?[^<>\n]{1,60}>|\[/?[A-Z_]+\]`)
	argument = text.Lazily(`(?i)arg|param|input`)
	fence    = text.Lazily(`\x60{3}([\w-]*)`)
	word     = regexp.MustCompile(`[\w-]+`)
)

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
