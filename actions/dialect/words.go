package dialect

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Words is what every family says alike, in one language.
type Words struct {
	outcomes map[actions.Outcome]string
	unknown  string // any other outcome
	cut      string // takes the number of characters left out
	earlier  string // takes the number of items left out
	repair   string // {problem} is what was wrong
	place    string // {order} is x,y; {range} the numbers; {end} the lower right corner
	whole    string // {to} is the largest number
	fraction string
	pixels   string // {size} is the picture's
	weekdays []string
	states   [7]string // of elements: field, password, on, off, scrolls, has the cursor, disabled
}

// WordsIn are the words of that language, zh or en.
func WordsIn(lang string) *Words {
	if lang == "zh" {
		return &chinese
	}
	return &english
}

// Exchange says what became of a question; abort is what the family calls giving up. The texts are
// quoted with at most limit characters each.
func (w *Words) Exchange(e actions.Exchange, abort string, limit int) string {
	form, ok := w.outcomes[e.Outcome]
	if !ok {
		form = w.unknown
	}
	question, answer := Quote(e.Question, limit, w.cut), Quote(e.Answer, limit, w.cut)
	return strings.NewReplacer("{q}", question, "{a}", answer, "{abort}", abort).Replace(form)
}

// Place says how a place on a picture of that size is written.
func (w *Words) Place(c screen.Coordinates, picture screen.Size) string {
	var numbers string
	order := "x,y"
	first, second := c.Numbers(screen.Point{X: 1, Y: 1}, picture)
	switch c.Unit {
	case 0:
		numbers = strings.Replace(w.pixels, "{size}", picture.String(), 1)
	case 1:
		numbers = w.fraction
	default:
		numbers = strings.Replace(w.whole, "{to}", fmt.Sprint(c.Unit), 1)
	}
	if c.YFirst {
		order = "y,x"
	}
	end := fmt.Sprintf("%v,%v", first, second)
	return strings.NewReplacer("{order}", order, "{range}", numbers, "{end}", end).Replace(w.place)
}

// Repair says that a reply could not be read, and why.
func (w *Words) Repair(problem string) string {
	return strings.Replace(w.repair, "{problem}", problem, 1)
}

var english = Words{
	outcomes: map[actions.Outcome]string{
		actions.Answered: `To your question {q} the answer is {a}.`,
		actions.Refused: `To your question {q} the other side chose not to answer. Do not ` +
			`ask this again: go on with what you know, or {abort} and say what is missing.`,
		actions.Silence: `To your question {q} no reply came in time. That is neither yes ` +
			`nor no. Do not ask again: take only steps that can be undone, or {abort}.`,
		actions.DefaultAnswer: `To your question {q} no reply came. As agreed beforehand, this ` +
			`counts instead: {a}.`,
		actions.ModelAnswer: `Your question {q} was not answered in person. An assistant ` +
			`answered: {a}. This is no consent to paying, to granting rights or to deleting ` +
			`anything.`,
		actions.Remembered: `Your question {q} was answered before, and the answer counts again: ` +
			`{a}.`,
		actions.Delegated: `To your question {q} the other side says: decide yourself. Choose ` +
			`what serves the task best, go on, and do not ask this again. This is no consent to ` +
			`paying, to granting rights or to deleting anything.`,
		actions.NoReply: `Your question {q} is not going to be answered. Follow the task ` +
			`and go on, and do not ask any further questions.`,
		actions.LimitReached: `Your question {q} was not passed on: there are no more questions ` +
			`in this run. Finish with what you know, or {abort}.`,
		actions.HandedBack: `For {q} the other side took the phone over, handed it back and ` +
			`says: {a}. What was done there was not shown to you: go by the screen as it is now, ` +
			`and do not do it a second time.`,
		actions.CouldNot: `For {q} the other side took the phone over, handed it back and says ` +
			`that it could not be done: {a}. Go by the screen as it is now: find another way, or ` +
			`{abort} and say what is missing.`,
		actions.Noted: `Without being asked, the other side says: {a}. Take it into account; ` +
			`the task stays as it is.`,
		actions.Instructed: `The other side gives a new instruction: {a}. It goes before the ` +
			`task, before instructions given earlier and before what you were doing: where they ` +
			`differ, follow this one and drop the old.`,
	},
	unknown: `Of your question {q} came this: {a}.`,
	cut:     " (shortened, %d characters are left out)",
	earlier: "(%d earlier ones are left out)",
	repair: "Your last reply could not be read as an action, so nothing was done. What was " +
		"wrong: {problem}. The screen is still the same. Answer again, with one action.",
	place: "A place on the screen is written {order}: {range}. 0,0 is the top left corner and " +
		"{end} the bottom right one; x grows to the right, y grows downwards.",
	whole:    "two whole numbers from 0 to {to}",
	fraction: "two fractions from 0 to 1 with three decimals",
	pixels:   "two whole numbers, the pixels of the picture, which is {size}",
	weekdays: []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
		"Saturday"},
	states: [7]string{"text field", "password field", "on", "off", "scrolls", "has the cursor",
		"disabled"},
}

var chinese = Words{
	outcomes: map[actions.Outcome]string{
		actions.Answered:      `对你的问题 {q}，回答是 {a}。`,
		actions.Refused:       `对你的问题 {q}，对方选择不回答。不要再问这个问题：根据已知的信息继续，或者 {abort} 并说明缺少什么。`,
		actions.Silence:       `对你的问题 {q}，没有及时收到回复。这既不表示同意，也不表示拒绝。不要再问：只做可以撤销的操作，或者 {abort}。`,
		actions.DefaultAnswer: `对你的问题 {q}，没有收到回复。按照事先的约定，以此为准：{a}。`,
		actions.ModelAnswer:   `你的问题 {q} 不是由本人回答的，而是由助手代答：{a}。这不代表同意付款、授权或删除任何东西。`,
		actions.Remembered:    `你的问题 {q} 之前已经回答过，回答继续有效：{a}。`,
		actions.Delegated:     `对你的问题 {q}，对方说：由你决定。请选择最有利于任务的做法，继续执行，不要再问这个问题。这不代表同意付款、授权或删除任何东西。`,
		actions.NoReply:       `你的问题 {q} 不会有人回答。请按照任务继续，不要再提问。`,
		actions.LimitReached:  `你的问题 {q} 没有转达：这次任务不能再提问了。根据已知的信息完成任务，或者 {abort}。`,
		actions.HandedBack: `针对 {q}，对方接管过手机，现在已交还，并回复：{a}。期间的操作没有给你看：` +
			`请以当前屏幕为准，不要重复去做。`,
		actions.CouldNot: `针对 {q}，对方接管过手机，现在已交还，但表示没能完成：{a}。` +
			`请以当前屏幕为准：换一种做法，或者 {abort} 并说明缺少什么。`,
		actions.Noted: `对方主动补充说明：{a}。请加以考虑，任务不变。`,
		actions.Instructed: `对方给出了新的指令：{a}。它优先于任务、优先于之前的指令和正在做的事：` +
			`有冲突时按这条新指令做，旧的不再执行。`,
	},
	unknown:  `你的问题 {q} 的结果是：{a}。`,
	cut:      "（已缩短，省略了 %d 个字符）",
	earlier:  "（更早的 %d 条已省略）",
	repair:   "你上一条回复无法识别成一个动作，所以什么也没有执行。问题是：{problem}。屏幕没有变化。请重新回答，只给出一个动作。",
	place:    "屏幕上的位置写成 {order}，是{range}：左上角是 0,0，右下角是 {end}，x 越大越靠右，y 越大越靠下。",
	whole:    "两个 0 到 {to} 的整数",
	fraction: "两个 0 到 1 的三位小数",
	pixels:   "图片上的像素，两个整数，图片大小是 {size}",
	weekdays: []string{"星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"},
	states:   [7]string{"输入框", "密码框", "已打开", "已关闭", "可滚动", "光标所在", "不可用"},
}
