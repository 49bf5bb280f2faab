package gelab

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/text"
)

// anyForm is what is expected when nothing better is known.
const anyForm = "explain:...\taction:CLICK\tpoint:512,92\tsummary:... " +
	"on one line, with a TAB between the fields"

// Forms of points, for what was expected.
const (
	onePoint  = "\tpoint:x,y with whole numbers from 0 to 1000"
	twoPoints = "\tpoint1:x,y\tpoint2:x,y with whole numbers from 0 to 1000"
)

// form is how one action is explained, written and read.
type form struct {
	name   string
	also   []string                           // other names that models use for it
	fields string                             // what follows action:NAME
	read   func(*dialect.Args) actions.Action // leaves complaints about fields in args
	en, zh usage
}

// usage explains an action in one language: in words, and by the fields of an example.
type usage struct{ words, example string }

// forms is the actions in the order in which they are explained.
var forms = []form{
	{
		name:   "CLICK",
		also:   []string{"TAP"},
		fields: onePoint,
		read:   func(a *dialect.Args) actions.Action { return actions.Click{At: a.Point("point")} },
		en:     usage{"tap a place once.", "\tpoint:512,334"},
		zh:     usage{"点一下某个位置。", "\tpoint:512,334"},
	},
	{
		name:   "DOUBLE_CLICK",
		also:   []string{"DOUBLECLICK", "DOUBLE_TAP"},
		fields: onePoint,
		read: func(a *dialect.Args) actions.Action {
			return actions.DoubleClick{At: a.Point("point")}
		},
		en: usage{"tap a place twice, quickly.", "\tpoint:500,450"},
		zh: usage{"在某个位置快速点两下。", "\tpoint:500,450"},
	},
	{
		name:   "LONGPRESS",
		also:   []string{"LONG_PRESS"},
		fields: onePoint,
		read: func(a *dialect.Args) actions.Action {
			return actions.LongPress{At: a.Point("point"), Hold: a.Duration("duration")}
		},
		en: usage{"hold a place; duration in seconds may be left out.",
			"\tpoint:300,620\tduration:2"},
		zh: usage{"按住某个位置；duration 是秒数，可以不写。", "\tpoint:300,620\tduration:2"},
	},
	{
		name:   "TYPE",
		fields: "\tvalue:text",
		read:   readType,
		en: usage{"type text into the field that has the focus. With point that field " +
			"is tapped first, clear:true empties it first, submit:true presses " +
			"Enter afterwards.",
			"\tvalue:blue running shoes\tpoint:480,95\tclear:true\tsubmit:true"},
		zh: usage{"往已经获得焦点的输入框里输入文字。写了 point 就先点那个输入框，clear:true 先清空，submit:true 输入后按回车。",
			"\tvalue:蓝色跑鞋\tpoint:480,95\tclear:true\tsubmit:true"},
	},
	{
		name:   "SLIDE",
		also:   []string{"SWIPE"},
		fields: twoPoints,
		read:   readSlide,
		en: usage{"move a finger from point1 to point2. The content follows the finger:" +
			" to see what is further down, slide upwards.",
			"\tpoint1:500,750\tpoint2:500,300"},
		zh: usage{"手指从 point1 滑到 point2。内容跟着手指走：想看下面的内容就往上滑。", "\tpoint1:500,750\tpoint2:500,300"},
	},
	{
		name:   "SCROLL",
		fields: "\tdirection:up" + onePoint,
		read:   readScroll,
		en: usage{"show what lies further up, down, left or right, in the list under point.",
			"\tpoint:500,600\tdirection:down"},
		zh: usage{"在 point 所在的列表里查看更上、更下、更左或更右的内容，direction 写 up、down、left 或 right。",
			"\tpoint:500,600\tdirection:down"},
	},
	{
		name:   "DRAG",
		fields: twoPoints,
		read: func(a *dialect.Args) actions.Action {
			return actions.Drag{From: a.Point("point1"), To: a.Point("point2")}
		},
		en: usage{"pick up what is at point1 and drop it at point2.",
			"\tpoint1:180,420\tpoint2:700,820"},
		zh: usage{"拿起 point1 处的东西，放到 point2。", "\tpoint1:180,420\tpoint2:700,820"},
	},
	{
		name:   "AWAKE",
		fields: "\tvalue:app name",
		read: func(a *dialect.Args) actions.Action {
			return actions.OpenApp{App: a.Text("value")}
		},
		en: usage{"open an app by its name.", "\tvalue:Clock"},
		zh: usage{"按名称打开一个应用。", "\tvalue:时钟"},
	},
	{
		name: "BACK",
		read: func(*dialect.Args) actions.Action { return actions.Back{} },
		en:   usage{"go back to the screen before.", ""},
		zh:   usage{"返回上一个界面。", ""},
	},
	{
		name: "HOME",
		read: func(*dialect.Args) actions.Action { return actions.Home{} },
		en:   usage{"go to the home screen.", ""},
		zh:   usage{"回到桌面。", ""},
	},
	{
		name: "RECENTS",
		read: func(*dialect.Args) actions.Action { return actions.Recents{} },
		en:   usage{"show the apps used last.", ""},
		zh:   usage{"打开最近使用的应用列表。", ""},
	},
	{
		name:   "HOT_KEY",
		also:   []string{"HOTKEY"},
		fields: "\tkey:name",
		read:   readHotKey,
		en:     usage{"press a key: " + keyNames() + ".", "\tkey:volume_up"},
		zh:     usage{"按一个按键，可以是 " + keyNames() + "。", "\tkey:volume_up"},
	},
	{
		name:   "WAIT",
		fields: "\tvalue:seconds",
		read:   readWait,
		en:     usage{"wait, in seconds, for something that is loading.", "\tvalue:3"},
		zh:     usage{"等几秒，让正在加载的内容出来。", "\tvalue:3"},
	},
	{
		name:   "INFO",
		also:   []string{"CALL_USER"},
		fields: "\tvalue:question",
		read:   readInfo,
		en: usage{"ask the other side when something is missing that only they can know" +
			" or decide. options offers answers to choose from, secret:true marks" +
			" a question for a password or a code; both may be left out.",
			"\tvalue:Which size shall it be?\toptions:S|M|L"},
		zh: usage{"缺少只有对方才知道、或者只能由对方决定的信息时，向对方提问。options 给出" +
			"可选的答案，secret:true 表示问的是密码或验证码，两者都可以不写。",
			"\tvalue:要买多大的尺码？\toptions:S|M|L"},
	},
	{
		name:   "NOTE",
		fields: "\tvalue:text",
		read:   func(a *dialect.Args) actions.Action { return actions.Note{Text: a.Text("value")} },
		en: usage{"keep something from this screen for later steps.",
			"\tvalue:The train leaves at 9:40 from platform 3"},
		zh: usage{"把这个屏幕上的信息记下来，留给后面的步骤。", "\tvalue:火车 9:40 从 3 站台出发"},
	},
	{
		name:   "COMPLETE",
		fields: "\treturn:report",
		read: func(a *dialect.Args) actions.Action {
			return actions.Complete{Report: a.Text("return", "value")}
		},
		en: usage{"the task is done and the screen shows it; report the result.",
			"\treturn:The alarm is set for 7:30"},
		zh: usage{"任务已经完成，而且屏幕上看得出来；报告结果。", "\treturn:闹钟已设为 7:30"},
	},
	{
		name:   "ABORT",
		fields: "\tvalue:reason",
		read: func(a *dialect.Args) actions.Action {
			return actions.Abort{Reason: a.Text("value", "return")}
		},
		en: usage{"the task cannot be done; say why.",
			"\tvalue:The app asks for an account that does not exist"},
		zh: usage{"任务无法完成；说明原因。", "\tvalue:应用要求登录，但没有可用的账号"},
	},
}

func keyNames() string {
	var names []string
	for _, k := range actions.Keys {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

func readSlide(a *dialect.Args) actions.Action {
	return actions.Slide{
		From: a.Point("point1"),
		To:   a.Point("point2"),
		Took: a.Duration("duration"),
	}
}

func readScroll(a *dialect.Args) actions.Action {
	direction := actions.Direction(strings.ToLower(a.Text("direction")))
	return actions.Scroll{At: a.Point("point"), Direction: direction}
}

func readHotKey(a *dialect.Args) actions.Action {
	key := spaced.ReplaceAllString(a.Text("key", "value"), "_")
	return actions.HotKey{Key: actions.Key(strings.ToLower(key))}
}

func readType(a *dialect.Args) actions.Action {
	t := actions.Type{Text: a.Raw("value"), Clear: a.Flag("clear"), Submit: a.Flag("submit")}
	if a.Text("point") != "" {
		at := a.Point("point")
		t.At = &at
	}
	return t
}

func readWait(a *dialect.Args) actions.Action {
	d := a.Duration("value", "duration")
	if d == 0 {
		a.Complain("WAIT needs a time in seconds, above 0")
	}
	return actions.Wait{For: min(d, actions.MaxWait)}
}

func readInfo(a *dialect.Args) actions.Action {
	q := actions.Info{Question: a.Text("value")}
	if a.Text("secret") != "" {
		q.Secret = new(a.Flag("secret"))
	}
	for o := range strings.SplitSeq(a.Text("options"), "|") {
		if o = strings.TrimSpace(o); o != "" {
			q.Options = append(q.Options, o)
		}
	}
	return q
}

var spaced = regexp.MustCompile(`[\s-]+`)

// decode makes the action that the fields name.
func decode(f fields) (actions.Action, error) {
	written := f.get("action")
	name := actionName(written)
	for i := range forms {
		g := &forms[i]
		if name != g.name && !slices.Contains(g.also, name) {
			continue
		}
		in := dialect.FieldArgs(f)
		in.Corner = true
		a := g.read(&in)
		if in.Complaint == "" {
			err := a.Validate()
			if err == nil {
				return a, nil
			}
			in.Complain("%v", err)
		}
		return nil, refuse(in.Complaint, "action:"+g.name+g.fields)
	}
	if name == "" {
		return nil, refuse("the field action is empty", actionNames())
	}
	return nil, refuse("unknown action "+text.Quote(written, dialect.MaxShown), actionNames())
}

// actionName is an action's name without what models put around it.
func actionName(written string) string {
	name := spaced.ReplaceAllString(strings.Trim(written, " \"'`*[]().。"), "_")
	return strings.ToUpper(name)
}

// allNames are the actions' names and the others that models use for them.
func allNames() []string {
	var names []string
	for _, g := range forms {
		names = append(append(names, g.name), g.also...)
	}
	return names
}

func actionNames() string {
	var names []string
	for _, g := range forms {
		names = append(names, g.name)
	}
	return "one of " + strings.Join(names, ", ")
}
