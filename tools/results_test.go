package tools_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/tools/result"
)

func TestTheKeysOfAResult(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("tap")
		require.Equal(t, []string{"answer", "device_info", "error", "final_action",
			"global_step_idx", "intermediate_logs", "local_step_idx", "next",
			"question", "run_id", "session_id", "state", "steps_delta", "stop_reason", "task",
			"timing", "usage"}, slices.Sorted(maps.Keys(a.structured)))
		require.Equal(t, in{"device_id": "A", "device_wm_size": []any{1080.0, 2400.0},
			"model": "Double", "android_version": "15"}, a.structured["device_info"])
		require.Equal(t, in{"agent_action": in{"cot": "", "explain": "", "action": "COMPLETE",
			"action_type": "COMPLETE", "return": "done ", "summary": "step 2"},
			"global_step_idx": 2.0}, a.structured["final_action"])
		require.Equal(t, in{"waited_ms": 2000.0, "wait_budget_ms": 25000.0, "run_ms": 2000.0,
			"asked_ms": 0.0, "model_ms": 2000.0, "parts_ms": in{"decide": 2000.0,
				"model": 2000.0}},
			a.structured["timing"])
		require.Equal(t, in{"prompt_tokens": 20.0, "completion_tokens": 2.0}, a.structured["usage"])
		require.Equal(t, "done ", a.structured["answer"])
		require.Nil(t, a.structured["error"])
		require.Equal(t, `The task is done, after 2 steps. The agent's report: "done"
session_id "`+a.SessionID+`", device_id "A", COMPLETED, TASK_COMPLETED_SUCCESSFULLY
1. CLICK (tap (0.500,0.500))
2. COMPLETE (done: "done ")`, a.text)
		require.Len(t, a.raw.Content, 1, "nothing else is there")
	})
}

// What a result, the page and the audit say of a question is the time between asked and answered;
// neither that nor a pause is work.
func TestTheTimeOfWaitingIsTrueEverywhere(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.start("ask tap")
		worked := a.Timing.Run
		time.Sleep(2*time.Minute + 4*time.Second)
		require.EqualValues(t, 124_000, w.call("ask_agent_wait",
			in{"session_id": a.SessionID, "wait_seconds": 0}).Timing.Asked, "so far")
		done := w.call("ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": "yes"})
		require.EqualValues(t, 124_000, done.Timing.Asked)
		require.Greater(t, done.Timing.Run, worked)
		require.Less(t, done.Timing.Run, int64(20_000))
		time.Sleep(time.Hour)
		again := w.call("ask_agent_continue", in{"session_id": a.SessionID, "task": "tap"})
		require.Zero(t, again.Timing.Asked)
		require.Less(t, again.Timing.Run, int64(20_000))

		stored, err := w.store.Trajectory(t.Context(), a.SessionID)
		require.NoError(t, err)
		require.Equal(t, map[int]time.Duration{a.Global: 124 * time.Second}, stored.Asked)
		var page strings.Builder
		require.NoError(t, export.HTML(t.Context(), &page, w.store, a.SessionID))
		require.Equal(t, 2, strings.Count(page.String(), `"asked_ms":124000`), "run and step")
		entries, err := w.store.Audit.List(t.Context(), store.AuditFilter{SessionID: a.SessionID,
			Event: "answered"})
		require.NoError(t, err)
		require.Equal(t, 124*time.Second, entries[0].Took)
	})
}

func TestTheLogsAreAllStepsButTheLast(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for task, want := range map[string][]int{"tap": {1}, "giveup": {},
			"tap tap tap": {1, 2, 3}} {
			a := w.start(task)
			require.NotNil(t, a.Logs)
			require.Equal(t, want, indexes(a.Logs), task)
			require.Equal(t, len(want)+1, a.Final.Global)
			require.Equal(t, len(want)+1, a.Delta)
		}
		a := w.start("tap")
		a = w.call("ask_agent_continue", in{"session_id": a.SessionID, "task": "tap tap"})
		require.Equal(t, []int{3, 4}, indexes(a.Logs), "those of this call")
		require.Equal(t, 3, a.Local)
		require.Equal(t, 5, a.Global)
	})
}

func indexes(logs []result.Step) []int {
	list := []int{}
	for _, l := range logs {
		list = append(list, l.Global)
	}
	return list
}

func TestARunThatEndsWithoutAReportSaysWhy(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.fopts.OnTimeout, w.fopts.Asking.Attention = inquiry.GiveUp, time.Minute
		w.begin()
		silent := w.start("ask")
		time.Sleep(time.Hour)
		a := w.call(wait, in{"session_id": silent.SessionID})
		require.Equal(t, "ABORTED QUESTION_TIMED_OUT", a.code())
		require.Regexp(t, `^The agent gave up after 1 step: [^"\n]+\n`, a.text)

		w.end()
		w.fopts.OnTimeout, w.fopts.Limits.Questions = "", 1
		w.begin()
		asked := w.start("ask ask ask ask ask ask")
		for a = asked; a.State == "WAITING_REPLY"; {
			a = w.call(resume, in{"session_id": a.SessionID, "reply_from_client": "red"})
		}
		require.Equal(t, "FAILED QUESTION_LIMIT", a.code(), a.text)
		require.Regexp(t, `^The task failed after \d steps: .+\n`, a.text)
		require.Equal(t, a.Error.Hint != "", strings.Contains(a.last, "Try: "), a.text)
	})
}

func TestWaitListsWhatIsNew(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap tap tap tap").SessionID
		for since, want := range map[int][]int{0: {1, 2, 3, 4}, 2: {3, 4}, 4: {}, 5: {}, 9: {}} {
			a := w.call("ask_agent_wait", in{"session_id": id, "since_step": since})
			require.Equal(t, want, indexes(a.Logs), since)
			require.Equal(t, max(5-since, 0), a.Delta)
			require.Equal(t, 5, a.Final.Global)
		}
	})
}

func TestTheArgumentsSayWhatIsShown(t *testing.T) {
	both, none := []bool{true, true}, []bool{false, false}
	last := []bool{false, true}
	for name, c := range map[string]struct {
		arguments    in
		query        string
		logs         bool
		caption      bool // of the logs
		finalCaption bool
		pictures     []int  // steps
		described    []bool // steps, whatever is shown
	}{
		"as usual": {arguments: in{}, logs: true, described: none},
		"summary":  {arguments: in{"detail": "summary"}, described: none},
		"steps":    {arguments: in{"detail": "steps"}, logs: true, described: none},
		"pictures": {arguments: in{"detail": "pictures"}, logs: true, pictures: []int{1, 2},
			described: none},
		"no logs": {arguments: in{"enable_intermediate_logs": false,
			"enable_intermediate_screenshots": true, "enable_intermediate_image_caption": true},
			described: none},
		"captions": {arguments: in{"enable_intermediate_image_caption": true,
			"enable_final_image_caption": true}, logs: true, caption: true, finalCaption: true,
			described: both},
		"captions in logs": {arguments: in{"enable_intermediate_image_caption": true}, logs: true,
			caption: true, described: both},
		"a caption at the end": {arguments: in{"enable_final_image_caption": true}, logs: true,
			finalCaption: true, described: last},
		"all": {arguments: in{"enable_intermediate_screenshots": true,
			"enable_final_screenshot": "true"}, logs: true, pictures: []int{1, 2},
			described: none},
		"a picture at the end": {arguments: in{"enable_final_screenshot": true,
			"detail": "summary"}, pictures: []int{2}, described: none},
		"no picture at the end": {arguments: in{"enable_final_screenshot": false,
			"detail": "pictures"}, logs: true, pictures: []int{1}, described: none},
		"gelab-zero's defaults": {query: "compat=gelab", arguments: in{}, logs: true,
			caption: true, finalCaption: true, described: both},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				call := func(tool string, arguments in) answer {
					a, err := w.try(w.at(c.query), tool, arguments, nil)
					require.NoError(t, err)
					return a
				}
				first := call(start, with(in{"task": "tap"}, c.arguments))
				for _, a := range []answer{first, call(wait, in{"session_id": first.SessionID}),
					call("ask_agent_stop", in{"session_id": first.SessionID})} {
					require.Equal(t, c.logs, a.Logs != nil)
					require.Equal(t, c.logs, strings.Contains(a.text, "\n1. CLICK ("), a.text)
					require.Equal(t, c.finalCaption, a.Final.Caption != "")
					for _, l := range a.Logs {
						require.Equal(t, c.caption, l.Caption != "")
					}
					require.Equal(t, c.caption, strings.Contains(a.text, "screen 1 in words"))
					require.Equal(t, c.pictures, a.Pictures)
					require.Len(t, a.pictures(t), len(c.pictures))
					require.NotContains(t, a.wire, "base64")
				}
				steps, err := w.store.Steps(t.Context(), first.SessionID, 0)
				require.NoError(t, err)
				require.Equal(t, c.described,
					[]bool{steps[0].Proposal.Caption != "",
						steps[1].Proposal.Caption != ""},
					"nobody pays for captions that nobody wants")
			})
		})
	}
}

func TestAWaitMayShowMore(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap").SessionID
		require.Equal(t, []int{1, 2}, w.call(wait,
			in{"session_id": id, "detail": "pictures"}).Pictures)
		require.Nil(t, w.call(wait, in{"session_id": id, "detail": "summary"}).Logs)
		require.Empty(t, w.call(wait, in{"session_id": id}).Pictures, "for that call only")
	})
}

// pictures are the result's.
func (a answer) pictures(t *testing.T) (list []string) {
	for _, c := range a.raw.Content {
		if p, is := c.(mcp.ImageContent); is {
			require.Equal(t, "image/jpeg", p.MIMEType)
			list = append(list, "data:image/jpeg;base64,"+p.Data)
		}
	}
	return list
}

func TestResultsStaySmall(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		task := "verbose " + strings.Repeat("tap ", 24)
		a := w.start(task, in{"max_steps": 1000})
		for a.Reason == "STILL_RUNNING" {
			a = w.call("ask_agent_wait", in{"session_id": a.SessionID})
			require.Less(t, len(a.wire), 100_000)
		}
		require.Equal(t, done, a.code())
		require.NotEmpty(t, a.Logs)
		require.Contains(t, a.text, "taploop sessions show "+a.SessionID)
		require.Less(t, len(w.call("ask_agent_wait",
			in{"session_id": a.SessionID, "since_step": 24}).wire), 100_000)
		for range 6 {
			w.start(strings.Repeat("\"\\<", 6000)+" giveup", in{"wait_seconds": 3})
		}
		require.Less(t, len(w.call("list_sessions", in{"limit": 100}).wire), 100_000)
	})
}

func wires(list []answer) (out []string) {
	for _, a := range list {
		out = append(out, a.wire)
	}
	return out
}

func TestPhonesAreListed(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.add("B")
		locked, hang := true, true
		w.phones.phone("B").Set(devicetest.Change{Locked: &locked})
		a := w.start("forever", in{"device_id": "A", "wait_seconds": 3})
		time.Sleep(time.Second)
		list := w.call("list_connected_devices", in{}).structured["devices"].([]any)
		require.Len(t, list, 3)
		first := list[0].(in)
		held := first["held_by"].(in)
		require.Equal(t, a.SessionID, held["session_id"])
		require.Equal(t, "RUNNING", held["state"])
		require.Equal(t, 4.0, held["held_seconds"])
		delete(first, "held_by")
		require.Equal(t, in{"device_id": "A", "state": "device", "usable": true, "model": "Double",
			"android_version": "15", "sdk": 35.0,
			"device_wm_size": []any{1080.0,
				2400.0}, "screen_on": true, "locked": false,
			"foreground_app": "com.android.deskclock"},
			first)
		require.Equal(t, true, list[1].(in)["locked"])
		require.Nil(t, list[1].(in)["held_by"])
		require.Equal(t, in{"device_id": "tired", "state": "offline", "usable": false,
			"device_wm_size": nil, "screen_on": nil, "locked": nil, "held_by": nil}, list[2])

		w.phones.phone("B").Set(devicetest.Change{Hang: &hang})
		began := time.Now()
		list = w.call("list_connected_devices", nil).structured["devices"].([]any)
		require.Equal(t, 4*time.Second, time.Since(began),
			"a phone that does not answer holds nobody up for long")
		require.Nil(t, list[1].(in)["screen_on"])
	})
}

func TestNoPhonesAndNoServerAreTold(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.broken = errors.New("nothing listens on port 5037")
		a := w.call("list_connected_devices", in{})
		require.Equal(t, "DEVICE_ERROR", a.code())
		require.Contains(t, a.Error.Message, "port 5037")
		require.Equal(t, "DEVICE_NOT_FOUND",
			w.call("ask_agent_start_new_task", in{"task": "tap", "device_id": "nosuch"}).code())
	})
}

func TestSessionsAreListedForTheirClientOnly(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.start("tap")
		waits := w.start("ask")
		w.phones.add("B")
		halted := w.start("ask", in{"device_id": "B"})
		w.call("ask_agent_stop", in{"session_id": halted.SessionID, "mode": "pause"})
		listed := w.call("list_sessions", in{"state": "PAUSED"}).structured["sessions"].([]any)
		require.Equal(t, halted.Question.ID, listed[0].(in)["question"].(in)["question_id"],
			"one that is paused may still be asked")
		w.call("ask_agent_stop", in{"session_id": halted.SessionID})
		foreign, err := w.try(w.as("bob"), "ask_agent_start_new_task",
			in{"task": "tap", "device_id": "B"}, nil)
		require.NoError(t, err)

		list := w.call("list_sessions", in{}).structured["sessions"].([]any)

		require.Len(t, list, 3)
		require.Equal(t, halted.SessionID, list[0].(in)["session_id"],
			"what changed last comes first")
		require.Nil(t, list[0].(in)["question"])
		list = list[1:]
		require.Equal(t, waits.SessionID, list[0].(in)["session_id"])
		require.Equal(t, waits.Question.ID, list[0].(in)["question"].(in)["question_id"])
		require.Equal(t, "ask_agent_continue", list[0].(in)["next"].(in)["tool"])
		said := strings.Split(w.call("list_sessions", in{}).text, "\n")
		require.True(t, strings.HasPrefix(said[2], waits.SessionID), said[2])
		require.True(t, strings.HasSuffix(said[2], `? "question 1?"; next: ask_agent_continue`),
			said[2])
		require.True(t, strings.HasSuffix(said[3], `-> "done"`), "nothing is next: "+said[3])
		require.Equal(t, first.SessionID, list[1].(in)["session_id"])
		require.Equal(t, "done ", list[1].(in)["answer"])
		require.Len(t, w.call("list_sessions", in{"state": "WAITING_REPLY"}).structured["sessions"],
			1)
		require.Len(t, w.call("list_sessions", in{"limit": 1}).structured["sessions"], 1)
		require.Empty(t, w.call("list_sessions", in{"state": "EXPIRED"}).structured["sessions"])

		w.restart()
		theirs, err := w.try(w.as("bob"), "list_sessions", nil, nil)
		require.NoError(t, err)
		require.Len(t, theirs.structured["sessions"], 1, "who a session belongs to is kept")
		for _, tool := range []string{"ask_agent_wait", "ask_agent_continue", "ask_agent_stop",
			"ask_agent"} {
			mine := w.call(tool, in{"session_id": foreign.SessionID})
			unknown := w.call(tool, in{"session_id": "nosuch"})
			require.Equal(t, strings.ReplaceAll(unknown.text, "nosuch", foreign.SessionID),
				mine.text, "a foreign id is like an unknown one")
		}
	})
}

func TestStepsThatAreCutAreNoted(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.fopts.Limits.Steps, w.topts.MaxSteps = 2, 2
		w.begin()
		a := w.call("ask_agent_start_new_task", in{"task": "tap tap tap", "max_steps": 1000})
		require.Equal(t, "PAUSED MAX_STEPS_REACHED", a.code())
		require.Contains(t, a.Notes, "max_steps 1000 was cut to 2, the most that this server "+
			"allows one call")
		require.Contains(t, a.text, "was cut to 2")
		b, err := w.try(w.at("lang=zh"), "ask_agent_continue", in{"session_id": a.SessionID}, nil)
		require.NoError(t, err)
		require.Contains(t, b.Notes[0], "已减为 2", "the usual number is cut, too")
		c := w.call("ask_agent_start_new_task", in{"task": "tap", "max_steps": 2})
		require.Empty(t, c.Notes)
	})
}

func TestOnlyANewTaskGoesToTheHomeScreen(t *testing.T) {
	const notes = "com.android.notes"
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("remember").SessionID
		for name, c := range map[string]struct {
			tool      string
			arguments in
			want      string
		}{
			"start": {"ask_agent_start_new_task", in{}, devicetest.HomeApp},
			"start, left as it is": {"ask_agent_start_new_task", in{"reset_environment": false},
				notes},
			"continue": {"ask_agent_continue", in{"session_id": id}, notes},
			"continue, from home": {"ask_agent_continue",
				in{"session_id": id, "reset_environment": true}, devicetest.HomeApp},
			"older name, start":    {"ask_agent", in{}, devicetest.HomeApp},
			"older name, continue": {"ask_agent", in{"session_id": id}, notes},
			"older name, as said": {"ask_agent", in{"session_id": id, "reset_environment": true},
				devicetest.HomeApp},
		} {
			w.phones.phone("A").Set(frontIs(notes))
			require.Equal(t, done, w.call(c.tool, with(c.arguments, in{"task": "remember"})).code(),
				name)
			require.Equal(t, c.want, w.policy.last().Screen.State.App, name)
		}
	})
}
