package dialect

import (
	"regexp"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// usualNames are what models of any family call an argument, by the field of the action. A family's
// own names come first.
var usualNames = map[string][]string{
	"At": fields(`x,y at point coordinate coordinates position location target center place
		start_box
		start_point start_coordinate element box bbox bounding_box box_2d bbox_2d
		point_2d bounds`),
	"From": fields(`x1,y1 start_x,start_y from_x,from_y from start start_coordinate start_point
		start_box start_position coordinate coordinate1 point1 source element x,y`),
	"To": fields(`x2,y2 end_x,end_y to_x,to_y destination_x,destination_y to end end_coordinate
		end_point end_box end_position coordinate2 point2 destination target`),
	"Text":      fields("text value content input"),
	"Clear":     fields("clear clear_before_typing clear_first clear_text override"),
	"Submit":    fields("submit press_enter enter"),
	"App":       fields("app app_name name application package package_name text value"),
	"Direction": fields("direction scroll_direction"),
	"Key":       fields("key keys button key_name keycode text value"),
	"For":       fields("seconds time duration value duration_ms milliseconds ms"),
	"Hold":      fields("seconds duration time duration_ms milliseconds ms"),
	"Took":      fields("seconds duration time duration_ms milliseconds ms"),
	"Question":  fields("question text message content request"),
	"Options":   fields("options choices"),
	"Secret":    fields("secret"),
	"Report":    fields("answer report message text content result return"),
	"Reason":    fields("reason message answer text content description"),
}

// usual is the names of actions that models of other families use, for a name that the family's own
// forms do not have. A name is here only if it means one thing wherever it is used: the end of a
// task, and a swipe in a direction, mean different things in different families.
var usual = Forms{
	{Name: "click", Also: `tap left_click left_single single_tap single_click click_at tap_at
		tap_on click_on touch 点击 单击`, Action: actions.Click{}, Args: "At=point"},
	{Name: "double_click", Also: `double_tap left_double left_double_click double_click_at
		double_tap_at 双击`, Action: actions.DoubleClick{}, Args: "At=point"},
	{Name: "long_press", Also: `long_click long_tap long_press_at press_and_hold tap_and_hold
		touch_and_hold click_and_hold 长按`, Action: actions.LongPress{},
		Args: "At=point Hold?=time"},
	{Name: "swipe", Also: "slide 滑动", Action: actions.Slide{},
		Args: "From=start To=end Took?=time"},
	{Name: "left_click_drag", Action: actions.Drag{},
		Args: "From=start_coordinate To=coordinate|end_coordinate"},
	{Name: "drag", Also: "drag_and_drop left_drag drag_to", Action: actions.Drag{},
		Args: "From=start To=end"},
	{Name: "scroll", Also: "scroll_at scroll_document scroll_screen scroll_page",
		Action: actions.Scroll{}, Args: "At=point Direction=direction", Read: ReadScroll},
	{Name: "type", Also: "type_text input_text input enter_text write typewrite 输入",
		Action: actions.Type{}, Args: "Text=text Clear?=clear Submit?=submit At?=point"},
	{Name: "type_text_at", Action: actions.Type{Clear: true, Submit: true},
		Args: "Text=text Clear?=clear Submit?=submit At=point"},
	{Name: "press", Also: `press_key key keypress key_press hotkey key_combination keyevent
		key_event system_button`, Action: actions.HotKey{}, Args: "Key=key", Read: ReadKey},
	{Name: "back", Also: "press_back go_back navigate_back 返回", Action: actions.Back{}},
	{Name: "home", Also: "press_home go_home navigate_home", Action: actions.Home{}},
	{Name: "recents", Also: "press_recent press_recents recent_apps app_switch open_recents",
		Action: actions.Recents{}},
	{Name: "enter", Also: "press_enter keyboard_enter",
		Action: actions.HotKey{Key: actions.KeyEnter}},
	{Name: "open_app", Also: "launch_app launch open start_app 打开 启动", Action: actions.OpenApp{},
		Args: "App=app"},
	{Name: "wait", Also: "sleep pause 等待", Action: UsualWait, Args: "For?=seconds"},
	{Name: "wait_5_seconds", Action: actions.Wait{For: 5 * time.Second}},
	{Name: "note", Also: "remember take_note", Action: actions.Note{}, Args: "Text=note"},
	{Name: "ask_user", Also: "ask ask_human call_user", Action: actions.Info{},
		Args: "Question=question Options?=options Secret?=secret"},
	{Name: "hand_over", Also: "takeover", Action: actions.Info{ByHand: true},
		Args: "Question=request"},
	{Name: "terminate", Action: actions.Complete{}, Args: "status:success Report=text",
		Read: ReadStatus},
}

// ReadKey reads the key that is pressed. A key that is an action is read as that action.
func ReadKey(a *Args) actions.Action {
	switch key := a.Key(a.Names("Key")...); key {
	case actions.KeyBack:
		return actions.Back{}
	case actions.KeyHome:
		return actions.Home{}
	case actions.KeyRecents:
		return actions.Recents{}
	default:
		return actions.HotKey{Key: key}
	}
}

// ReadEnd reads how the task ended: with success, unless the model denies it.
func ReadEnd(a *Args) actions.Action {
	report := a.Text(a.Names("Report")...)
	if report == "" && a.Has(a.Names("Report")...) { // an object, or a list
		report = AsJSON(a.value(a.Names("Report")))
	}
	if a.Has("success") && !a.Flag("success") {
		return actions.Abort{Reason: report}
	}
	return actions.Complete{Report: report}
}

// ReadStatus reads how the task ended. What does not say so is asked again: it could be either.
func ReadStatus(a *Args) actions.Action {
	said := a.Text("text", "answer", "content", "message")
	switch status := strings.ToLower(a.Text("status", "goal_status")); status {
	case "success", "complete", "completed", "finish", "satisfied":
		return actions.Complete{Report: said}
	case "failure", "fail", "failed", "infeasible", "impossible":
		return actions.Abort{Reason: said}
	default:
		a.Complain("the status %s is neither success nor failure", text.Quote(status, MaxShown))
		return actions.Abort{}
	}
}

// ReadScroll reads the side whose content comes into view, or how far the content is moved in
// pixels. It is in the middle of the screen when there is no place. Two places are a way of the
// finger.
func ReadScroll(a *Args) actions.Action {
	if to := a.Names("To"); a.side() == "" && a.Has(to...) {
		return actions.Slide{From: a.Point(append(a.Names("At"), a.Names("From")...)...),
			To: a.Point(to...)}
	}
	s := actions.Scroll{At: screen.Point{X: 0.5, Y: 0.5}, Direction: a.side()}
	if place := a.Names("At"); a.Has(place...) {
		s.At = a.Point(place...)
	}
	return s
}

// side is the direction of a scroll, by its name or by the sign of one of two distances.
func (a *Args) side() actions.Direction {
	if said := a.direction(a.Names("Direction")...); said != "" {
		return said
	}
	x, y := a.distance("scroll_x", "delta_x", "dx"), a.distance("scroll_y", "delta_y", "dy")
	y -= a.distance("pixels") // Qwen's computer use, where a wheel goes up
	switch {
	case x != 0 && y != 0:
		a.Complain("it scrolls in two directions")
	case y > 0:
		return actions.Down
	case y < 0:
		return actions.Up
	case x > 0:
		return actions.Right
	case x < 0:
		return actions.Left
	}
	return ""
}

func (a *Args) distance(names ...string) float64 {
	return loose.Number(a.Text(names...)).Float()
}

// Find returns the form of that name, or the usual one of models of other families, or nil if there
// is none. It ignores invisible characters, how the words are joined, and whose the name is, as in
// functions.tap.
func (list Forms) Find(name string) *Form {
	name = numbered.ReplaceAllString(name[strings.LastIndex(name, "__")+1:], "")
	name = strings.TrimPrefix(name[strings.LastIndexAny(name, ".:/")+1:], "functions_")
	if f := list.own(name); f != nil {
		return f
	}
	return usual.own(name)
}

// numbered is the number of a call behind its name, as in functions.tap:0.
var numbered = regexp.MustCompile(`:\d+$`)

// Everywhere are all names that are read: the family's own and the usual ones.
func (list Forms) Everywhere() []string { return append(list.Known(), usual.Known()...) }

// Names are what the family calls the argument for a field of the action, and then what others call
// it.
func (a *Args) Names(field string) (names []string) {
	for _, p := range a.form.Params() {
		if p.Field == field && field != "" {
			names = append(names, p.Names...)
		}
	}
	return append(names, usualNames[field]...)
}
