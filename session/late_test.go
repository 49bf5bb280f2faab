package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

func TestWhatIsLeftToDoAfterALateReplyIsSaidByHowTheRunStandsNow(t *testing.T) {
	q := inquiry.Question{ID: "q", RunID: "r", Status: inquiry.Answered}
	for _, c := range []struct {
		run    session.Run
		status inquiry.Status
		says   string
	}{
		{session.Run{State: session.Running}, inquiry.Answered, "it goes on with that answer"},
		{session.Run{State: session.Queued}, inquiry.Refused, "it goes on with that answer"},
		{session.Run{State: session.WaitingReply, QuestionID: "q"}, inquiry.Answered,
			"it goes on with that answer"},
		{session.Run{State: session.Running}, inquiry.TimedOut, "it goes on without an answer"},
		{session.Run{State: session.WaitingReply, QuestionID: "q2"}, inquiry.Answered,
			"asks something else by now"},
		{session.Run{State: session.WaitingReply, QuestionID: "q"}, inquiry.Withdrawn,
			"paused or stopped with its question"},
		{session.Run{State: session.WaitingReply, QuestionID: "q"}, inquiry.Expired,
			"ends with its question"},
		{session.Run{State: session.Paused}, inquiry.Answered, "the run is paused"},
		{session.Run{State: session.Completed}, inquiry.Answered, "has ended since (COMPLETED)"},
		{session.Run{State: session.Cancelled}, inquiry.Withdrawn, "has ended since (CANCELLED)"},
		{session.Run{State: session.Expired}, inquiry.Expired, "a new task"},
		{session.Run{ID: "r2", State: session.Running}, inquiry.Answered, "another task since"},
	} {
		if c.run.ID == "" {
			c.run.ID = "r"
		}
		q.Status = c.status
		require.Contains(t, c.run.AfterLate(q), c.says, "%v %v", c.run.State, c.status)
	}
}
