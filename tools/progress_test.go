package tools_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/terminal"
)

// progressed is the progress that came since the last time, checked for what the protocol wants.
func (w *fixture) progressed(token any) (messages []string, metas []map[string]any) {
	w.t.Helper()
	last := -1.0
	for _, n := range w.notifications() {
		require.Equal(w.t, "notifications/progress", n.Method)
		f := n.Params.AdditionalFields
		require.EqualValues(w.t, token, f["progressToken"])
		at := f["progress"].(float64)
		require.Greater(w.t, at, last, "the value grows")
		last = at
		require.Less(w.t, at, 1001.0)
		messages = append(messages, f["message"].(string))
		metas = append(metas, n.Params.Meta)
	}
	return messages, metas
}

func isNil(m map[string]any) bool { return m == nil }

// withProgress calls with a progress token.
func (w *fixture) withProgress(token any, tool string, arguments in) answer {
	w.t.Helper()
	a, err := w.try(w.t.Context(), tool, arguments, token)
	require.NoError(w.t, err)
	return a
}

func TestEachStepIsToldInWordsOfTheTasksLanguage(t *testing.T) {
	for task, want := range map[string][]string{
		"tap remember": {"running: step 1 of 9", "step 1 of 9: tapped",
			`step 2 of 9: noted "remember"`, "step 3 of 9: finished"},
		"tap 记住它": {"运行中：第 1 步，最多 9 步", "第 1 步，最多 9 步：点击了",
			`第 2 步，最多 9 步：记下了 "记住它"`, "第 3 步，最多 9 步：完成了"},
	} {
		t.Run(task, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.withProgress("p", "ask_agent_start_new_task", in{"task": task, "max_steps": 9})
				got, _ := w.progressed("p")
				require.Equal(t, want, got)
			})
		})
	}
}

func TestWithoutATokenNothingIsTold(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.start("tap tap")
		require.Empty(t, w.notifications())
	})
}

func TestASilentRunIsToldEveryTenSeconds(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap tap tap tap", in{"wait_seconds": 1.5}).SessionID
		w.policy.hold()
		defer w.policy.release()
		time.Sleep(2 * time.Second)
		w.withProgress(42, "ask_agent_wait", in{"session_id": id, "wait_seconds": 79})
		got, _ := w.progressed(42)
		require.Len(t, got, 1+7, "%v", got)
		for _, m := range got {
			require.Equal(t, "running: step 3 of 1000", m)
		}
	})
}

func TestThePlaceInTheLineIsTold(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		first := w.start("tap "+"tap tap tap tap tap tap tap tap tap tap tap tap tap",
			in{"wait_seconds": 0.5})
		second := w.start("tap tap", in{"wait_seconds": 0, "queue": true})

		a := w.withProgress("p", "ask_agent_start_new_task", in{"task": "tap", "queue": true})

		require.Equal(t, done, a.code())
		got, _ := w.progressed("p")
		require.Equal(t, "waiting for phone A: number 2 in the line", got[0])
		require.Contains(t, got, "running: step 1 of 20")
		require.Equal(t, done, w.wait(first.SessionID).code())
		require.Equal(t, done, w.wait(second.SessionID).code())
		synctest.Wait()
	})
}

func TestAQuestionAndItsSettlingAreTold(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a := w.withProgress("p", "ask_agent_start_new_task", in{"task": "tap ask tap"})
		got, metas := w.progressed("p")
		require.Contains(t, got, "the agent asks: question 1?")
		require.Equal(t, []map[string]any{{"type": "INQUIRY", "inquiryId": a.Question.ID,
			"question_id": a.Question.ID, "question": "question 1?",
			"kind": inquiry.KindInfo, "options": []string{"red", "blue"}}},
			slices.DeleteFunc(metas, isNil), "once")

		go func() {
			time.Sleep(15 * time.Second)
			_, err := w.manager.Broker().Resolve(t.Context(), a.Question.ID,
				inquiry.Reply{Response: "red", Channel: "page"})
			require.NoError(t, err)
		}()
		b := w.withProgress("q", "ask_agent_wait",
			in{"session_id": a.SessionID, "question_id": a.Question.ID})
		require.Equal(t, done, b.code())
		got, metas = w.progressed("q")
		require.Equal(t, "the agent asks: question 1?", got[0], "who comes late is told, too")
		require.Contains(t, got, "waiting for an answer", "the heartbeat")
		require.Equal(t, map[string]any{"type": "INQUIRY_RESOLVED", "inquiryId": a.Question.ID,
			"question_id": a.Question.ID, "status": inquiry.Answered,
			"resolution": map[string]any{"type": inquiry.TypeAnswer, "channel": "page"}},
			slices.DeleteFunc(metas, isNil)[1])
	})
}

func TestAQuestionAtTheConsoleIsTold(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.fopts.Asking.Console = terminal.New(&console{lines: []string{"red"}}, "en")
		w.begin()
		a := w.withProgress("p", "ask_agent_start_new_task",
			in{"task": "ask", "reply_mode": "manual_reply"})
		require.Equal(t, done, a.code())
		got, _ := w.progressed("p")
		require.Contains(t, got, "the agent asks: question 1?")
		require.Contains(t, got, "the question is settled: answered by console")
	})
}

func TestProgressOfOneCallNeverReachesAnother(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.add("B")
		ended := make(chan answer, 2)
		for _, s := range []string{"A", "B"} {
			go func() {
				ended <- w.withProgress(s, "ask_agent_start_new_task",
					in{"task": "tap tap tap", "device_id": s})
			}()
		}
		<-ended
		<-ended
		byToken := map[any][]mcp.JSONRPCNotification{}
		for _, n := range w.notifications() {
			token := n.Params.AdditionalFields["progressToken"]
			byToken[token] = append(byToken[token], n)
		}
		require.Len(t, byToken["A"], 5)
		require.Len(t, byToken["B"], 5)
	})
}
