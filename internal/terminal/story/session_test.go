package story

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/tty"
)

func TestAReplyIsShownAsTheModelWroteIt(t *testing.T) {
	var out bytes.Buffer
	long := strings.Repeat("a long thought ", 40) + "the end"
	s := ShownStep{Replies: []ShownReply{{
		Reply: "<THINK>" + long + "</THINK>\n\x1b[2Jexplain:x\taction:CLICK\tpoint:1,2\n",
		Error: "two " + strings.Repeat("actions ", 100) + "on one line"}}}
	s.print(tty.Sheet{To: &out, Columns: 80})
	said := out.String()
	flat := strings.Join(strings.Fields(said), " ")
	require.Contains(t, flat, long, "whole")
	require.Contains(t, flat, "explain:x⇥action:CLICK⇥point:1,2")
	require.Regexp(t, `(?m)^ {14}\[2Jexplain:x`, said, "a line is a line")
	require.Contains(t, flat, "on one line", "whole")
	require.NotContains(t, said, "\x1b")
}

func TestAReplyThatTheScreenOvertookWasUnderstood(t *testing.T) {
	var out bytes.Buffer
	ShownStep{Replies: []ShownReply{{Reply: "fine", Error: "the screen moved on", Again: true}}}.
		print(tty.Sheet{To: &out, Columns: 80})
	require.Contains(t, out.String(), "not used: the screen moved on")
	require.NotContains(t, out.String(), "not understood")
}

func TestAWarningOfTheRunIsShown(t *testing.T) {
	run := store.Run{Progress: agentloop.Progress{Warnings: []agentloop.Warning{
		{Setting: "phone", Text: "the former keyboard could not be put back"}}}}
	var out bytes.Buffer
	Shown{Runs: []ShownRun{{Run: run}}}.Print(&out, "en")
	require.Contains(t, out.String(), "warning: the former keyboard could not be put back")
}

func TestHowManyStepsWereAskedAboutAgainIsShown(t *testing.T) {
	x := Shown{Runs: []ShownRun{{Again: 2, usage: store.Usage{Steps: 9, Again: 2}}}}
	var out bytes.Buffer
	x.Print(&out, "en")
	require.Contains(t, out.String(), "asked again: 2 of 9 steps, as the screen moved on")

	x.Runs[0].Again = 0
	out.Reset()
	x.Print(&out, "en")
	require.NotContains(t, out.String(), "asked again")
}

func TestARunThatWaitsSaysHowItIsContinued(t *testing.T) {
	const id = "0123456789abcdef"
	info := inquiry.Question{ID: "ce86701700000000", Status: inquiry.Pending, Text: "Which one?"}
	settled := info
	settled.Status = inquiry.Answered
	next := func(session string, q *inquiry.Question) string {
		if q == nil {
			return "continue " + session
		}
		return "answer " + q.ID
	}
	for _, c := range []struct {
		state store.State
		asked inquiry.Question
		hint  string
		want  string
	}{
		{store.WaitingReply, info, "", "answer " + info.ID},
		{store.Paused, settled, "continue the session", "continue the session: continue " + id},
		{store.Paused, info, "continue the session", "continue the session: answer " + info.ID},
		{store.Completed, settled, "", ""},
		{store.Cancelled, info, "start a clearer task", "start a clearer task"},
		{store.Running, settled, "", ""},
	} {
		r := ShownRun{Run: store.Run{SessionID: id, State: c.state, QuestionID: c.asked.ID},
			Hint: c.hint}
		r.addQuestion([]inquiry.Question{{ID: "other", Status: inquiry.Pending}, c.asked}, next)
		require.Equal(t, c.want, r.Hint, "%+v", c)
		waits := c.asked.Open() && !c.state.Terminal()
		require.Equal(t, waits, r.Question != nil)
		var out strings.Builder
		Shown{Runs: []ShownRun{r}}.Print(&out, "en")
		require.Equal(t, waits, strings.Contains(out.String(), "Which one? (question "+info.ID),
			out.String())
	}
}
