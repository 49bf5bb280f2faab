package verify

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// claim is something that a task names and that a screen can show.
type claim struct {
	words string
	on    *bool // of something that is switched
	moved bool  // of something that is to go, or to be otherwise: that it is there tells nothing
	whom  bool  // whom something is sent to: that a screen names them tells nothing
	open  bool  // of something that is to be opened: that it can be touched tells nothing
	whole bool  // of a text that is to be there with nothing beside it
	below bool  // of the text of something whose name stands above it
	above bool  // of that name
}

// What tasks put in quotes, in the languages of the world, and what they name with figures.
var (
	quotedText = regexp.MustCompile(`"([^"\n]+)"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|` +
		`「([^」\n]+)」|『([^』\n]+)』|《([^》\n]+)》|‘([^’\n]{2,})’|(?:^|[\s(])'([^'\n]{2,})'`)
	figures = regexp.MustCompile(`[€$£¥₹]\s?\d(?:[\d.,]*\d)?|\d[\d.,:]*\d\s?[€$£¥₹元%]|` +
		times.String() + `|\d{3,}(?: (?:dollars|euros|pounds|yuan)\b)?`)
)

// claims are those of a task.
func claims(task string) (list []claim) {
	add := func(words string, whole bool) {
		words = text.Line(words)
		to, _, _ := strings.Cut(task, words)
		if words != "" && !slices.ContainsFunc(list,
			func(c claim) bool { return c.words == words }) {
			list = append(list, claim{words: words, moved: named(task, words, moves),
				whom: addressed(task, words), open: named(task, words, opens), whole: whole,
				below: bodies.MatchString(to), above: titles.MatchString(to)})
		}
	}
	for _, m := range quotedText.FindAllStringSubmatch(task, -1) {
		for _, words := range m[1:] {
			add(words, true)
		}
	}
	if m := told.FindStringSubmatch(task); m != nil {
		add(strings.TrimRight(m[1], ".。!！ "), true)
	}
	bare := told.ReplaceAllString(quotedText.ReplaceAllString(task, " "), "")
	for _, m := range figures.FindAllString(bare, -1) {
		add(m, false)
	}
	on, _ := switches(task)
	return append(list, on...)
}

// told is what a task says at its end, behind a colon: a message, most of the time.
var told = regexp.MustCompile(`[^\d\s][:：]\s*([^\s"“„«「『《‘'][^\n]+)$`)

// bodies are words for what stands below a title, before a quotation, and titles are for that.
var (
	bodies = regexp.MustCompile(`(?i)(?:\b(?:text|body|content|saying)|内容|正文)` +
		`[\s:：是为]*["“„«「『《]$`)
	titles = regexp.MustCompile(`(?i)(?:\b(?:title|titled|subject|heading)|标题|主题)` +
		`[\s:：是为]*["“„«「『《]$`)
)

// Words for fields of titles, and of what stands below them, also in ids.
var (
	titled = regexp.MustCompile(`(?i)title|subject|heading|标题|主题`)
	bodied = regexp.MustCompile(`(?i)body|content|text|note|message|description|正文|内容`)
)

// names are what a task names with a capital letter within its sentences, or sends things to in
// Chinese: people, places, apps, months with a day.
var names = regexp.MustCompile(`[^.!?。！？:："“„«「『《\n]\s(\p{Lu}[\pL\d'’-]*(?: (?:\p{Lu}[\pL\d'’-]*|` +
	`\d{1,2}\b))*)|(?:给|向)([^\s\d，。“「给向]{1,8}?)(?:发|回|打|转|说)`)

// strange is what the task names and the run has not come across: neither is it on the screen nor
// has it been entered, which says nothing of whom something was sent to. It is "" for nothing.
func (p *past) strange(task string, all []claim, list []screen.Element) string {
	sent := sends.MatchString(task)
	for _, m := range names.FindAllStringSubmatch(quotedText.ReplaceAllString(task, "«»"), -1) {
		name := folded(m[1] + m[2])
		if name == "" || slices.ContainsFunc(all, func(c claim) bool {
			return text.Contains(folded(c.words), name)
		}) || slices.ContainsFunc(list, func(e screen.Element) bool {
			return text.Contains(folded(e.Text), name) || text.Contains(folded(e.ContentDesc), name)
		}) || (!sent || p.opened(name)) && !slices.ContainsFunc(pieces(name),
			func(w string) bool { return !slices.Contains(p.entered, w) }) {
			continue
		}
		return m[1] + m[2]
	}
	return ""
}

// moves are words for what is done with something that is there before.
var moves = regexp.MustCompile(`(?i)\b(?:delete|remove|clear|discard|cancel|erase|move|drag|sort|` +
	`(?:un)?(?:like|pin|mark|mute|archive|block)|duplicate|share|forward|cart|basket|` +
	`favou?rites?|playlist)\b|删除|删掉|移除|清除|取消|移到|移动|点赞|置顶|标记|分享|转发|购物车|收藏`)

// opens are words for what is to be on the screen as a whole afterwards.
var opens = regexp.MustCompile(`(?i)^\s*(?:please |then )?(?:open|visit|go to|show)\b|^\s*(?:请|` +
	`然后)?` +
	`(?:在.+)?(?:打开|查看)`)

// named reports whether the part of the task that names the words has one of the verbs.
func named(task, words string, verbs *regexp.Regexp) bool {
	return slices.ContainsFunc(parts.Split(task, -1), func(part string) bool {
		return strings.Contains(part, words) && verbs.MatchString(part)
	})
}

// Words for what is sent, and for whom it is from or to.
var (
	sends = regexp.MustCompile(`(?i)\b(?:re-?sen[dt]|sen[dt]|text|message|repl(?:y|ied)|forward|` +
		`answer|write|call)\b|发|回复|转|打电话`)
	before = regexp.MustCompile(`(?i)(?:\b(?:to|from|for)|给|把|回复|来自)\s*["“「]?[\s\d+()-]*$|` +
		`\b(?:that|text|call)\s[\s\d+()-]*$`)
)

// addressed reports whether the words are only those of whom something is sent to.
func addressed(task, words string) bool {
	to, _, _ := strings.Cut(task, words)
	return sends.MatchString(task) && before.MatchString(to)
}

// does begins a part of a task that asks for something by itself.
var does = regexp.MustCompile(`(?i)^\s*(?:please |then |and )*(?:open|launch|start|run|pause|` +
	`stop|go to|re-?send|send|text|reply|forward|call|play|share|copy|paste|save|search|buy|` +
	`order|book|take|add|create|write|put|set)\b|^\s*(?:请|然后|再|并)*(?:启动|暂停|发|回复|转发|播放|分享|` +
	`复制|粘贴|保存|搜索|购买|下单|添加|新建|设置)`)

// unseen is a part of the task that asks for something, or names a state, and of which no claim
// is known, or "".
func unseen(task string, list []claim) string {
	for _, part := range parts.Split(quotedText.ReplaceAllString(task, "«»"), -1) {
		part = text.Line(part)
		if (does.MatchString(part) || bareState.MatchString(part)) &&
			!strings.Contains(part, "«»") && !slices.ContainsFunc(list, func(c claim) bool {
			return !c.whom && strings.Contains(part, c.words)
		}) {
			return part
		}
	}
	return ""
}

// What a task may say of what it names without wanting more of it, in English and in Chinese: how
// something is made, sent or opened, what it is, and what its parts are called.
var (
	framing = regexp.MustCompile(`(?i)\b(?:the|an?) \pL+ «»|` +
		`\b(?:(?:note|write) down|(?:first|last|given|family) name|phone number|please|then|now|` +
		`also|finally|and|in|into|on|at|for|to|of|with|under|using|following|` +
		`the|an?|me|my|his|her|him|them|their|is|details|inform|tell|` +
		`titled?|called|named|name|saying|says?|that|number|time|amount|text|body|content|subject|` +
		`heading|messages?|notes?|events?|alarms?|contacts?|calendar|invitation|entry|page|app|` +
		`day|morning|add|create|write|make|new|set|put|save|enter|type|send|reply|pay|` +
		`open|go|visit|show)\b`)
	framed = regexp.MustCompile(`[请帮我给向把在的为是并再然后新建添加创建写发送回复打开一条个封页短信息消便签笔记联系人日程闹钟标题主内容正文设置定早上]`)
)

// wants is what the task says besides what it names, and does not only frame that: a wish of which
// no screen was asked, such as tomorrow, every week, or in red. It is "" for nothing.
func wants(task string, all []claim) string {
	task = quotedText.ReplaceAllString(task, "«»")
	if m := told.FindStringSubmatchIndex(task); m != nil {
		task = task[:m[2]]
	}
	for _, part := range parts.Split(figures.ReplaceAllString(task, " "), -1) {
		part = text.Line(part)
		if slices.ContainsFunc(turned, func(re *regexp.Regexp) bool {
			m := re.FindStringSubmatch(part)
			return m != nil && slices.ContainsFunc(all, func(c claim) bool {
				return c.on != nil && c.words == strings.TrimSpace(m[re.SubexpIndex("what")])
			})
		}) {
			continue
		}
		for _, m := range names.FindAllStringSubmatch(task, -1) {
			part = strings.ReplaceAll(part, m[1]+m[2], " ")
		}
		part = framed.ReplaceAllString(framing.ReplaceAllString(part, " "), " ")
		if left := folded(part); strings.Trim(left, ":., ") != "" {
			return left
		}
	}
	return ""
}

// Words for what is switched, and to which state, in a part of a sentence. A task in another
// language has no such claims.
var (
	parts  = regexp.MustCompile(`[.,;!?\n，。；！？、]+\s*|\s+(?:and|then|but|und|et|y|e)\s+`)
	polite = `(?i)^(?:please |then |also |now |finally |请|然后|并|再|帮我|把)*`
	turned = []*regexp.Regexp{
		regexp.MustCompile(polite + `(?:turn|switch|put) (?P<to>on|off) (?:the )?(?P<what>.+)$`),
		regexp.MustCompile(polite + `(?:turn|switch|put) (?:the )?(?P<what>.+) (?P<to>on|off)$`),
		regexp.MustCompile(polite + `(?P<to>enable|disable) (?:the )?(?P<what>.+)$`),
		regexp.MustCompile(polite + `(?P<to>打开|开启|启用|关闭|关掉|禁用)(?P<what>.+)$`),
	}
	toOn = regexp.MustCompile(`(?i)^(?:on|enable|打开|开启|启用)$`)
	// states are all words that may ask for a state.
	states = regexp.MustCompile(`(?i)\b(?:on|off|enabled?|disabled?|toggle)\b|打开|开启|启用|关闭|` +
		`关掉|禁用|切换`)
	bareState = regexp.MustCompile(`(?i)\b(?:on|off)$`)
	// vague are words for more than one thing, or for where and how long.
	vague = regexp.MustCompile(`(?i)\b(?:it|them|that|all|every\w*|any\w*|both|only|just|again|` +
		`first|for|in|at|during|while|until|till|before|after|once|keep|leave|stay|seconds?|` +
		`minutes?|hours?|on|off)\b|它|所有|全部|一切|都|只|仅|先|重新|再次|暂时|保持|秒|分钟|小时|之前|之后|以后|` +
		`直到|期间|在`)
	// doubtful are words for what is not to be, not in any case, or more than once.
	doubtful = regexp.MustCompile(`(?i)\b(?:not|no|never|none|neither|nor|cannot|without|` +
		`unless|except|avoid|instead|rather|or|either|if|when|whenever|whether|in case|` +
		`otherwise|else|each|every|both|twice)\b|` +
		`n['’]t\b|\b(?:two|three|four|five|several|[2-9] [a-z]+s)\b|` +
		`两|不|别|勿|莫|没|无需|禁止|除|避免|或|如果|若|要是|假如|否则|还是|当|每|各`)
)

// switches are what a task wants switched. sure is false where it may want something else.
func switches(task string) (list []claim, sure bool) {
	task = quotedText.ReplaceAllString(task, "«»")
	for _, part := range parts.Split(task, -1) {
		for _, re := range turned {
			m := re.FindStringSubmatch(text.Line(part))
			if m == nil {
				continue
			}
			what := strings.TrimSpace(m[re.SubexpIndex("what")])
			if on := toOn.MatchString(m[re.SubexpIndex("to")]); len(strings.Fields(what)) <= 4 {
				list = append(list, claim{words: what, on: &on})
				break
			}
		}
	}
	sure = len(states.FindAllString(task, -1)) == len(list) && !doubtful.MatchString(task)
	for i, c := range list {
		sure = sure && !vague.MatchString(c.words)
		for _, before := range list[:i] {
			a, b := folded(c.words), folded(before.words)
			sure = sure && !strings.Contains(a, b) && !strings.Contains(b, a)
		}
	}
	return list, sure
}

// elements holds a task against the elements of a screen: it is verified when all that it names has
// come there with the run, and contradicted when something that it wants switched is the other way.
func elements(task string, steps []agentloop.Step, list []screen.Element) (
	agentloop.Verified, string) {
	all := claims(task)
	if len(all) == 0 {
		return agentloop.Unverified, "the task names nothing that a screen would show"
	}
	if list == nil {
		return agentloop.Unverified, "the screen lists no elements"
	}
	var seen, lacks []string
	_, sure := switches(task)
	before := pastOf(steps)
	if doubtful.MatchString(quotedText.ReplaceAllString(task, "«»")) {
		lacks = append(lacks, "the task says what is not to be, not in any case, or more than once")
	}
	for _, c := range all {
		switch is, says := before.held(c, list, sure); {
		case is == agentloop.Contradicted:
			return is, says
		case is == agentloop.IsVerified:
			seen = append(seen, says)
		case says != "":
			lacks = append(lacks, says)
		}
	}
	if name := before.strange(task, all, list); name != "" {
		lacks = append(lacks, text.Quote(name, 60)+" is not on the screen")
	}
	if says := mixed(all, list); says != "" {
		lacks = append(lacks, says)
	}
	if left := wants(task, all); left != "" {
		lacks = append(lacks, fmt.Sprintf("%q is nothing that was looked for", text.Cut(left, 60)))
	}
	if part := unseen(task, all); part != "" && lacks == nil {
		lacks = append(lacks, text.Quote(part, 60)+" names nothing that a screen would show")
	}
	if seen == nil && lacks == nil {
		lacks = append(lacks, "whom it is for tells nothing")
	}
	if lacks != nil {
		return agentloop.Unverified, strings.Join(lacks, "; ")
	}
	return agentloop.IsVerified, "the screen shows " + strings.Join(seen, ", ")
}

// held holds one claim against the screen, and says what is seen, or why that is not known: "" for
// what tells nothing. The state is sure if the task leaves no doubt about it.
func (p *past) held(c claim, list []screen.Element, sure bool) (agentloop.Verified, string) {
	words := text.Quote(c.words, 60)
	switched := map[bool]string{true: words + " switched on", false: words + " switched off"}
	where, lacks := shown(c, list), p.lacks(c)
	is, known := stateOf(c.words, list)
	switch {
	case c.moved:
		return agentloop.Unverified, "what has become of " + words + " cannot be seen"
	case c.on == nil && where != "":
		return agentloop.Unverified, fmt.Sprintf(where, words)
	case c.whom:
		return agentloop.Unverified, ""
	case c.on != nil && !sure:
		return agentloop.Unverified, "in which state " + words + " is to be at the end is not sure"
	case c.on != nil && !known:
		return agentloop.Unverified, "what the task wants, " + switched[*c.on] + ", cannot be seen"
	case c.on != nil && is != *c.on:
		return agentloop.Contradicted, "the screen shows " + switched[is]
	case lacks != "":
		return agentloop.Unverified, lacks
	case c.on != nil:
		words = switched[is]
	}
	return agentloop.IsVerified, words
}

// lacks says why what a claim says, and the screen shows, need not be the run's doing, or "".
func (p *past) lacks(c claim) string {
	words := text.Quote(c.words, 60)
	switch n := len(p.screens); {
	case c.open:
		return ""
	case n == 0:
		return "the run has changed nothing"
	case p.screens[n-1] == nil:
		return "what the screen showed before " + words + " is not known"
	}
	was := false
	for _, list := range p.screens {
		if c.on == nil {
			was = was || shown(c, list) == ""
		} else if is, known := stateOf(c.words, list); known {
			if is != *c.on {
				return ""
			}
			was = true
		}
	}
	switch {
	case was:
		return words + " was there before"
	case c.above && p.into(c.words, bodied, titled), c.below && p.into(c.words, titled, bodied):
		return words + " was typed where something else is to be"
	case c.on == nil && slices.ContainsFunc(pieces(c.words), func(w string) bool {
		hour, _ := strconv.Atoi(w)
		return !slices.Contains(p.entered, w) && (!times.MatchString(c.words) ||
			hour != 24 && !slices.Contains(p.entered, strconv.Itoa(hour-12)))
	}):
		return words + " is not what the run has entered"
	}
	return ""
}

// shown says, with a place for them, what keeps words from counting as shown, or "" for nothing:
// text in a field has only been typed, what stands beside a switch that is off is not in force, and
// what can be touched is not open.
func shown(c claim, list []screen.Element) (lack string) {
	lack = "%s is not on the screen"
	want := folded(c.words)
	for i := range list {
		e := &list[i]
		if !c.says(timed(list, i), want) && !c.says(e.ContentDesc, want) {
			continue
		}
		if e.Editable {
			lack = "%s is in a field that is still being edited"
			continue
		}
		at := screen.At(list, e.Bounds.Center(), screen.Large)
		if c.open && at >= 0 && list[at].Clickable {
			lack = "%s is something that would have to be opened"
			continue
		}
		if j := inRow(i, list); j >= 0 && !list[j].Checked {
			return "%s is beside a switch that is off"
		}
		return ""
	}
	return lack
}

// says reports whether a text has the folded words, as one of its lines if they are a whole one.
func (c *claim) says(of, want string) bool {
	return !c.whole && text.Contains(folded(of), want) || c.whole &&
		slices.ContainsFunc(strings.Split(of, "\n"), func(line string) bool {
			return strings.TrimRight(folded(line), ".") == strings.TrimRight(want, ".")
		})
}

// mixed is a text that does not stand below what the task names beside it, or "".
func mixed(all []claim, list []screen.Element) string {
	at := func(c claim) int {
		want := folded(c.words)
		return slices.IndexFunc(list, func(e screen.Element) bool { return c.says(e.Text, want) })
	}
	for _, c := range all {
		if c.below && slices.ContainsFunc(all, func(name claim) bool {
			return name.whole && !name.below && at(name) > at(c)
		}) {
			return text.Quote(c.words, 60) + " stands where something else is to be"
		}
	}
	return ""
}

// stateOf is the state of what these words name. known is false unless exactly one switch is it:
// one that bears the words and no others, or that stands in the row of a text that does.
func stateOf(words string, list []screen.Element) (is, known bool) {
	want := folded(words)
	found := map[int]bool{}
	for i := range list {
		e := &list[i]
		name := folded(e.Text + " " + e.ContentDesc)
		if want == "" || strings.Trim(strings.ReplaceAll(name, want, ""), " ") != "" || name == "" {
			continue
		}
		if e.Checkable {
			found[i] = true
		} else if j := inRow(i, list); j >= 0 {
			found[j] = true
		}
	}
	for i := range found {
		is = list[i].Checked
	}
	return is, len(found) == 1
}

// inRow is the one switch in the row of an element, or -1.
func inRow(i int, list []screen.Element) int {
	row, at := list[i].Bounds, -1
	for j := range list {
		e := &list[j]
		middle := e.Bounds.Center().Y
		if j == i || !e.Checkable || middle < row.Min.Y-rowSlack || middle > row.Max.Y+rowSlack {
			continue
		}
		if at >= 0 {
			return -1
		}
		at = j
	}
	return at
}

const rowSlack = 0.02 // of the screen's height
