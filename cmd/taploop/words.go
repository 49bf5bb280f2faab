package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/session/export"
)

// words are what run and continue say to a person, in one language.
type words struct {
	lang                     string
	session, model           string // where the run is: an id on a phone, and what that phone is
	now                      string // the step of the status line
	ready, look, think, act  string // what is being done
	check, note              string // before an action is carried out, and after
	queue                    string
	step, cutShort           string // a step that was made
	unread, silent           string // of the model's reply
	exchange, unanswered     string // what came of a question; where there is no answer
	warning                  string // before one of the run's warnings
	replayed                 string
	ended, steps, oneStep    string
	worked, waited           string
	try, answer, typed, goOn string
	cut                      string
	hidden, whole            string // before an answer is typed
	parted, unseen           string // of a replay
	stalled                  string // of the data folder, which does not answer
	// what the configuration leaves of the guard
	guardOff, guardFloor, floorLowered, unasked, misspelt string
	outcomes                                              map[actions.Outcome]string
	// why a run has ended, where that needs no other words
	reasons map[agentloop.StopReason]string
	// by stop reason or code, in front of an error, whose own words are English; nil in English
	inFront map[string]string
}

// vocabularies are the words by language.
var vocabularies = map[string]words{"en": english, "zh": chinese}

var english = words{
	lang:    "en",
	session: "session %s on %s", model: " (%s, Android %s, %s)",
	now:   "step %d of at most %d: ",
	ready: "getting model and phone ready", look: "looking at the screen", think: "thinking",
	check: "checking the action, writing it down (data folder)",
	note:  "writing down what came of it (data folder)",
	act:   "doing: %s", queue: "waiting for the phone, which another session has",
	step:     "step %-3d ",
	cutShort: "; cut short",
	unread:   "no action could be read from the model's reply",
	silent:   "the model gave no answer",
	warning:  "warning  ",
	exchange: "%s %s: %s", unanswered: "%s %s",
	replayed: "this reply was taken before",
	ended:    "%s after %s, %s", steps: "%d steps", oneStep: "1 step",
	worked: "%s of work", waited: ", %s of waiting for answers",
	try: "  try: ", answer: "  answer: ", goOn: "  go on: ",
	typed:    "          (and type it, or pipe it in)",
	cut:      "note: --max-steps %d was cut to %d, which is loop.max_steps",
	hidden:   "Answer (it is not shown): ",
	whole:    "type the whole text, and Ctrl-D on a line of its own",
	guardOff: "the guard is off: whatever the model decides is done, payments too (guard.enabled)",
	guardFloor: "the guard is off, but for critical actions: only the configuration file can " +
		"switch these off (guard.enabled)",
	unasked:      "nothing is asked about but critical actions (taploop yolo status): ",
	floorLowered: "critical actions are allowed without a person by the rules ",
	misspelt:     "no action of a phone has these names, which are taken for those of tools: ",
	parted:       "%s\n  the model is asked from here on; the new recording is %s",
	stalled: "warning: the data folder %s does not answer; another program, a backup or a " +
		"database browser, may have taploop.db open: waiting for it",
	unseen: "warning: %s was recorded without its screens: this replay does not check that the " +
		"phone shows what was recorded\n  try: record it anew, with --record",
	outcomes: map[actions.Outcome]string{
		actions.Answered: "answered", actions.Refused: "refused", actions.Silence: "silence",
		actions.DefaultAnswer: "default", actions.ModelAnswer: "answered by a model",
		actions.NoReply: "not asked", actions.LimitReached: "not asked, it was one too many",
		actions.Delegated: "left to the agent", actions.Remembered: "a remembered answer",
		actions.HandedBack: "handed back", actions.CouldNot: "could not be done",
		actions.Noted: "said unasked", actions.Instructed: "a new instruction",
	},
	reasons: map[agentloop.StopReason]string{
		agentloop.MaxStepsReached:  "all steps of this call are used up",
		agentloop.TimeLimitReached: "the time of this call is used up",
		agentloop.ManualStop:       "the phone's screen was switched off, which stops a run",
		agentloop.UserPaused:       "the run was paused",
		agentloop.ClientDetached:   "no client waited for the run any more",
		agentloop.Cancelled:        "the run was stopped",
		agentloop.SessionExpired:   "there was no answer before the question expired",
		agentloop.QuestionTimedOut: "there was no answer in time",
		agentloop.QuestionLimit: "the model asked too often; say beforehand in a new task what " +
			"it kept asking for",
		agentloop.ScreenLocked:    "the phone is locked: unlock it by hand, then go on",
		agentloop.ServerRestarted: "the program that carried the run out has ended",
		agentloop.ActionNeedsApproval: "an action waits until you have decided about it " +
			"(also --edit JSON, --reject WHY, --respond ANSWER)",
		agentloop.TakeoverNeeded: "this is for you to do on the phone, by hand",
	},
}

var chinese = words{
	lang:    "zh",
	session: "会话 %s，手机 %s", model: "（%s，Android %s，%s）",
	now:   "第 %d 步（最多 %d 步）：",
	ready: "正在准备模型和手机", look: "正在看屏幕", think: "正在思考",
	check: "正在检查操作，并写入数据目录", note: "正在把结果写入数据目录",
	act: "正在执行：%s", queue: "手机正被另一个会话使用，等待中",
	step:     "第 %d 步 ",
	cutShort: "；已中断",
	unread:   "模型的回复中读不出动作",
	silent:   "模型没有回答",
	warning:  "警告     ",
	exchange: "%s %s：%s", unanswered: "%s %s",
	replayed: "这个回答之前已经收到过",
	ended:    "%s，共 %s，%s", steps: "%d 步", oneStep: "1 步",
	worked: "用时 %s", waited: "，等待回答 %s",
	try: "  建议：", answer: "  回答：", goOn: "  继续：",
	typed:        "          （然后输入，或用管道传入）",
	cut:          "注意：--max-steps %d 已减为 %d，即 loop.max_steps",
	hidden:       "回答（不会显示）：",
	whole:        "请输入全文，最后在单独一行按 Ctrl-D",
	guardOff:     "防护已关闭:模型决定的任何操作都会执行,包括付款(guard.enabled)",
	guardFloor:   "防护已关闭,但关键操作仍需要人同意:只有配置文件才能关闭这一项(guard.enabled)",
	unasked:      "除关键操作外,以下范围不再询问(taploop yolo status):",
	floorLowered: "以下规则允许关键操作不经人同意就执行:",
	misspelt:     "以下名称不是手机操作,只会用于同名工具:",
	parted:       "%s\n  从这里起改为询问模型；新的录制文件是 %s",
	stalled:      "警告：数据目录 %s 没有响应；可能有其他程序（备份或数据库浏览器）占用了 taploop.db，正在等待",
	unseen: "警告：%s 录制时没有保存屏幕：这次回放不检查手机显示的是否与录制时相同\n" +
		"  建议：用 --record 重新录制",
	outcomes: map[actions.Outcome]string{
		actions.Answered: "已回答", actions.Refused: "拒绝回答", actions.Silence: "无人回答",
		actions.DefaultAnswer: "采用默认回答", actions.ModelAnswer: "由模型回答",
		actions.NoReply: "没有提问", actions.LimitReached: "提问次数已用完，没有提问",
		actions.Delegated: "由助手决定", actions.Remembered: "使用记住的回答",
		actions.HandedBack: "已交还", actions.CouldNot: "没能完成",
		actions.Noted: "主动说明", actions.Instructed: "新的指令",
	},
	reasons: map[agentloop.StopReason]string{
		agentloop.MaxStepsReached:     "本次的步数已用完",
		agentloop.TimeLimitReached:    "本次的时间已用完",
		agentloop.ManualStop:          "手机屏幕被关闭，任务因此停止",
		agentloop.UserPaused:          "任务已暂停",
		agentloop.ClientDetached:      "不再有客户端等待，任务已暂停",
		agentloop.Cancelled:           "任务已停止",
		agentloop.SessionExpired:      "问题过期前没有人回答",
		agentloop.QuestionTimedOut:    "没有人及时回答",
		agentloop.QuestionLimit:       "模型提问太多；请在新任务中事先说明它反复询问的内容",
		agentloop.ScreenLocked:        "手机已锁屏：请手动解锁，然后继续",
		agentloop.ServerRestarted:     "执行任务的程序已退出",
		agentloop.ActionNeedsApproval: "有一个操作等待您的决定(也可以用 --edit JSON、--reject 原因、--respond 答复)",
		agentloop.TakeoverNeeded:      "这一步需要您在手机上亲自完成",
	},
	inFront: map[string]string{
		string(agentloop.DeviceDisconnected): "手机断开了：请检查数据线或 Wi-Fi，接好后继续",
		string(agentloop.DeviceError):        "无法看到手机屏幕：请用 taploop devices 查看手机状态，然后继续",
		string(agentloop.SecureScreen):       "当前页面禁止截屏：请手动完成这一部分并离开该页面，然后继续",
		string(agentloop.Stuck):              "任务卡住了：同一操作反复执行而没有效果",
		string(agentloop.ModelError):         "模型服务没有响应：请检查地址（model.base_url）和网络，然后继续",
		string(agentloop.ModelKeyRefused):    "模型服务不接受密钥：请更正密钥（model.api_key），然后继续",
		string(agentloop.ModelOutputInvalid): "模型的回复中读不出动作：可以继续重试，或换一个模型",
		string(agentloop.ActionRejected):     "模型坚持执行被您拒绝的操作",
		string(agentloop.PolicyDenied):       "模型坚持执行规则禁止的操作",
		string(agentloop.ReplayDiverged):     "屏幕与录制时不同，回放已停止",
		string(agentloop.InternalError):      "程序内部出错，或数据目录无法写入；手机上不会再有任何操作",
		string(runs.StoreUnavailable):        "数据目录不可用：磁盘已满，或数据库被其他程序锁定",
		string(runs.ADBUnreachable):          "没有 ADB 服务在运行：请安装 adb 并连接手机",
		string(runs.DeviceNotFound):          "没有可用的手机：请连接手机并打开 USB 调试",
		string(runs.DeviceOffline):           "手机不在线：请重新连接",
		string(runs.DeviceUnauthorized):      "手机没有授权这台电脑：请在手机上允许 USB 调试",
		string(runs.DeviceAmbiguous):         "连接了多部手机：请用 --serial 指定一部",
		string(runs.DeviceBusy):              "手机正被另一个会话使用",
		string(runs.SessionNotFound):         "没有这个会话",
	},
}

// wordsIn are those of the language; English ones where there are none.
func wordsIn(lang string) words {
	if w, known := vocabularies[lang]; known {
		return w
	}
	return english
}

// made is a step in one line: what was decided and why, and why it was not carried out.
func (w words) made(s agentloop.Step) string {
	p := s.Proposal
	var line string
	switch {
	case p.Action == nil && export.Silent(p):
		line = w.silent
	case p.Action == nil:
		line = w.unread
	case p.Explain != "":
		line = p.Action.Verb() + " (" + text.Cut(text.Line(p.Explain), 300) + ")"
	default:
		line = p.Action.Verb() + " (" + actions.Brief(p.Action, w.lang) + ")"
	}
	if strings.HasPrefix(s.Refusal, agentloop.CutShort) {
		line += w.cutShort
	} else if s.Refusal != "" {
		line += "; " + text.Cut(text.Line(s.Refusal), 400)
	}
	return line + "  " + tenths(s.Timing.Total())
}

// count is a number of steps.
func (w words) count(n int) string {
	if n == 1 {
		return w.oneStep
	}
	return fmt.Sprintf(w.steps, n)
}

// spent is where a run's time went. What lay between its steps is neither.
func (w words) spent(u session.Usage) string {
	said := fmt.Sprintf(w.worked, tenths(u.Work()))
	if u.Asked >= 100*time.Millisecond {
		said += fmt.Sprintf(w.waited, tenths(u.Asked))
	}
	return said
}
