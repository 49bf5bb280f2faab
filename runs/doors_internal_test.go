package runs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/inquiry"
)

func TestOnlyDoorsThatCanStillAnswerAreLeft(t *testing.T) {
	past, later := time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
	q := inquiry.Question{Status: inquiry.Pending, Doors: []inquiry.Door{{Name: "manual_reply", Until: past}, {Name: "elicit", Until: later},
		{Name: "auto_reply"}, {Name: "page"}}}
	for name, c := range map[string]struct {
		door ReplyMode
		led  bool
		want []inquiry.Door
	}{
		"by the clock":        {"", false, []inquiry.Door{q.Doors[1], q.Doors[2], q.Doors[3]}},
		"the form asks":       {Elicit, true, []inquiry.Door{{Name: "elicit", Until: later, Asks: true}, q.Doors[2], q.Doors[3]}},
		"the form passed on":  {AutoReply, true, []inquiry.Door{{Name: "auto_reply", Asks: true}, q.Doors[3]}},
		"all have had a turn": {"", true, []inquiry.Door{q.Doors[3]}},
	} {
		require.Equal(t, c.want, doorsLeft(q, c.door, c.led), name)
	}
	q.Doors = []inquiry.Door{{Name: "pass_to_client", Until: past}, {Name: "no_reply"}, {Name: "page"}}
	require.Equal(t, []inquiry.Door{{Name: "pass_to_client"}, {Name: "page"}}, doorsLeft(q, NoReply, true), "nobody is asked at no_reply; a client may always answer")
	q.Status = inquiry.Answered
	require.Empty(t, doorsLeft(q, "", false))
}
