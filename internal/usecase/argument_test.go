package usecase

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
)

// Chat programs and the command line read these, and have names of their own for all arguments.
func TestRefusalsOfArgumentsNameNoneOfAnyEdge(t *testing.T) {
	c := &Call{}
	_, alone := Reply{QuestionID: "4711"}.answer(c)
	_, both := Reply{Words: "red", Decisions: []Decision{{Type: "approve"}}}.answer(c)
	_, nothing := Answer{QuestionID: "4711"}.reply()
	_, two := Answer{Response: "red", Values: []byte("{}")}.reply()
	_, three := Answer{Decline: true, ReplyType: inquiry.TypeDone}.reply()
	_, nowhere := new(Cases).newestOn(context.Background(), c, "")
	_, again := new(Questions).before(context.Background(), c,
		Inquire{QuestionID: "4711", Timeout: new(3.0)})
	silence := agree(Inquire{}, &inquiry.Question{Text: "Which?", OnTimeout: inquiry.Default})
	unasked := agree(Inquire{}, &inquiry.Question{})
	for _, err := range []error{alone, both, nothing, two, three, nowhere, again, unasked} {
		require.Error(t, err)
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), err)
		require.NotEmpty(t, hint.Of(err), err)
		require.NotContains(t, err.Error()+hint.Of(err), "_", "a name of programs")
		r := new(Cases).After(context.Background(), c, err, true, true)
		require.NotNil(t, r.Misuse, err)
		require.Equal(t, err.Error(), r.Misuse.Message.Name(nil))
	}
	require.NotContains(t, hint.Of(silence), "_")
}

func TestAnEdgeNamesArgumentsInItsOwnWay(t *testing.T) {
	_, err := Reply{QuestionID: "4711"}.answer(&Call{})
	no := new(Cases).After(context.Background(), &Call{}, err, true, true).Misuse
	names := map[Argument]string{ArgReply: "--reply", ArgQuestion: "ID"}
	require.Equal(t, "ID is for an answer, and --reply is missing", no.Message.Name(names))
	require.Equal(t, "pass --reply with your user's answer, or leave ID out", no.Mend.Name(names))
	_, err = new(Cases).newestOn(context.Background(), &Call{}, "")
	r := new(Cases).After(context.Background(), &Call{}, err, true, true)
	require.Equal(t, ToListSessions, r.Next.Verb)
}

func TestHowLongATaskMayQueueIsBetweenASecondAndAWeek(t *testing.T) {
	for seconds, refused := range map[float64]string{0: "", 1: "", 604800: "", -1: "-1s",
		1e-9: "1e-09s", 604801: "604801s", 1e300: "1e+300s"} {
		_, err := Turn{QueueSeconds: seconds}.Of(true)
		if refused == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, "the wait for a phone has to be between 1s and 168h, not "+refused)
	}
	_, err := Turn{Priority: Low}.Of(false)
	require.EqualError(t, err, "a priority and the longest wait only apply to a task that queues")
}
