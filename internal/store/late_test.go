package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

func TestWhatIsLeftToDoAfterALateReplyIsSaidByHowTheRunStandsNow(t *testing.T) {
	q := inquiry.Question{ID: "q", RunID: "r", Status: inquiry.Answered}
	for _, c := range []struct {
		run    store.Run
		status inquiry.Status
		says   string
	}{
		{store.Run{State: store.Running}, inquiry.Answered, "it goes on with that answer"},
		{store.Run{State: store.Queued}, inquiry.Refused, "it goes on with that answer"},
		{store.Run{State: store.WaitingReply, QuestionID: "q"}, inquiry.Answered,
			"it goes on with that answer"},
		{store.Run{State: store.Running}, inquiry.TimedOut, "it goes on without an answer"},
		{store.Run{State: store.WaitingReply, QuestionID: "q2"}, inquiry.Answered,
			"asks something else by now"},
		{store.Run{State: store.WaitingReply, QuestionID: "q"}, inquiry.Withdrawn,
			"paused or stopped with its question"},
		{store.Run{State: store.WaitingReply, QuestionID: "q"}, inquiry.Expired,
			"ends with its question"},
		{store.Run{State: store.Paused}, inquiry.Answered, "the run is paused"},
		{store.Run{State: store.Completed}, inquiry.Answered, "has ended since (COMPLETED)"},
		{store.Run{State: store.Cancelled}, inquiry.Withdrawn, "has ended since (CANCELLED)"},
		{store.Run{State: store.Expired}, inquiry.Expired, "a new task"},
		{store.Run{ID: "r2", State: store.Running}, inquiry.Answered, "another task since"},
	} {
		if c.run.ID == "" {
			c.run.ID = "r"
		}
		q.Status = c.status
		require.Contains(t, c.run.AfterLate(q), c.says, "%v %v", c.run.State, c.status)
	}
}
