package verify

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// on is a step on a screen that lists these.
func on(list []screen.Element, a actions.Action) agentloop.Step {
	return agentloop.Step{Proposal: agentloop.Proposal{Elements: list,
		Decision: actions.Decision{Action: a}}}
}

// tapped is a tap on the nth of them.
func tapped(list []screen.Element, n int) agentloop.Step {
	return on(list, actions.Click{At: list[n].Bounds.Center()})
}

func refused(s agentloop.Step, why string) agentloop.Step {
	s.Refusal = why
	return s
}

func TestWhatASwitchOrATextWasBeforeIsHeldAgainstTheEnd(t *testing.T) {
	off, isOn := rows(row{says: "Wi-Fi", checkable: true}), rows(row{says: "Wi-Fi", checkable: true, on: true})
	home, empty := rows(row{says: "Network", link: true}), rows(row{says: "New note", link: true})
	field := func(hint, text string) []screen.Element {
		list := rows(row{says: text, field: true}, row{says: "OK", link: true})
		list[0].Focused, list[0].Hint = true, hint
		return list
	}
	named := rows(row{says: "Trip"})
	const titled, tea = `Write a note with the title "Trip"`, `Add an event "Trip" on May 5 to the calendar.`
	typed := on(field("Title", ""), actions.Type{Text: "Trip"})
	const wifi, trip = "Turn Wi-Fi on.", `Write a note "Trip"`
	for name, c := range map[string]struct {
		task string
		past []agentloop.Step
		ends []screen.Element
		want agentloop.Verified
		says string
	}{
		"switched": {wifi, []agentloop.Step{tapped(off, 1)}, isOn, agentloop.IsVerified, "on"},
		"switched, and gone away and back": {wifi, []agentloop.Step{tapped(off, 1), on(isOn, actions.Back{}),
			tapped(home, 0)}, isOn, agentloop.IsVerified, "on"},
		"switched before another": {wifi, []agentloop.Step{tapped(off, 1), tapped(isOn, 0)}, isOn,
			agentloop.IsVerified, "on"},
		"looked up":             {wifi, []agentloop.Step{tapped(home, 0)}, isOn, agentloop.IsVerified, "on"},
		"on all the time":       {wifi, []agentloop.Step{tapped(isOn, 0)}, isOn, agentloop.Unverified, "was there before"},
		"only opened":           {wifi, []agentloop.Step{on(home, actions.OpenApp{App: "x"})}, isOn, agentloop.Unverified, "changed nothing"},
		"only gone back":        {wifi, []agentloop.Step{on(home, actions.Back{})}, isOn, agentloop.Unverified, "changed nothing"},
		"only scrolled":         {wifi, []agentloop.Step{on(home, actions.Scroll{})}, isOn, agentloop.Unverified, "changed nothing"},
		"only waited":           {wifi, []agentloop.Step{on(home, actions.Wait{})}, isOn, agentloop.Unverified, "changed nothing"},
		"a touch not permitted": {wifi, []agentloop.Step{refused(tapped(home, 0), "not allowed: no")}, isOn, agentloop.Unverified, "changed nothing"},
		"a touch that was late": {wifi, []agentloop.Step{refused(tapped(home, 0), "not carried out: it moved")}, isOn, agentloop.Unverified, "changed nothing"},
		"a touch in part": {wifi, []agentloop.Step{refused(tapped(off, 1), agentloop.PartialRefusal+"-")}, isOn,
			agentloop.IsVerified, "on"},
		"a screen that was not listed": {wifi, []agentloop.Step{on(nil, actions.Click{})}, isOn, agentloop.Unverified, "is not known"},
		"off in spite of it":           {wifi, nil, off, agentloop.Contradicted, "off"},
		"written":                      {trip, []agentloop.Step{tapped(empty, 0), typed, tapped(field("Title", "Trip"), 1)}, named, agentloop.IsVerified, "Trip"},
		"written, and there before":    {trip, []agentloop.Step{on(named, actions.Back{}), typed, tapped(field("Title", "Trip"), 1)}, named, agentloop.Unverified, "was there before"},
		"found by searching":           {trip, []agentloop.Step{on(field("Search notes", ""), actions.Type{Text: "Trip", Submit: true})}, named, agentloop.Unverified, "entered"},
		"found by looking":             {trip, []agentloop.Step{tapped(home, 0)}, named, agentloop.Unverified, "entered"},
		"another one is written":       {trip, []agentloop.Step{on(field("Title", ""), actions.Type{Text: "Tripod"})}, named, agentloop.Unverified, "entered"},
		"one that begins alike":        {trip, []agentloop.Step{typed}, rows(row{says: "Tripod"}), agentloop.Unverified, "not on the screen"},
		"a time in another time":       {"Set an alarm for 7:30", []agentloop.Step{on(empty, actions.Type{Text: "7:30"})}, rows(row{says: "17:30"}), agentloop.Unverified, "not on the screen"},
		"a time by its keys": {"Set an alarm for 7:30", []agentloop.Step{tapped(rows(row{says: "07", link: true}), 0),
			tapped(rows(row{says: "30", link: true}), 0)}, rows(row{says: "07:30"}), agentloop.IsVerified, "7:30"},
		"another text with the title": {`Write a note "Trip" with the text "Rome"`, []agentloop.Step{typed}, named, agentloop.Unverified, "Rome"},
		"typed as the title":          {titled, []agentloop.Step{typed}, named, agentloop.IsVerified, "Trip"},
		"typed as the text": {titled, []agentloop.Step{on(field("Note", ""), actions.Type{Text: "Trip"})}, named,
			agentloop.Unverified, "where something else"},
		"on a day not met with":  {tea, []agentloop.Step{typed}, named, agentloop.Unverified, "May 5"},
		"one of several":         {`Text "Trip" to each of them`, []agentloop.Step{typed}, named, agentloop.Unverified, "more than once"},
		"opened without a touch": {`Open the note "Trip"`, []agentloop.Step{on(home, actions.OpenApp{App: "x"})}, named, agentloop.IsVerified, "Trip"},
		"moved":                  {`Move "Trip" to the top`, []agentloop.Step{typed}, named, agentloop.Unverified, "become"},
	} {
		got, why := elements(c.task, c.past, c.ends)
		require.Equal(t, c.want, got, "%s: %s", name, why)
		require.Contains(t, why, c.says, name)
	}
}

// journal is an Album of these steps, or of an error.
type journal struct {
	steps []agentloop.Step
	err   error
}

func (j journal) Steps(context.Context) ([]agentloop.Step, error) { return j.steps, j.err }
func (journal) Frame(context.Context, int) (*screen.Frame, error) { return nil, errors.New("none") }

// The second model is told what was done and what people said, and nothing of what the first one
// thought of it.
func TestTheSecondModelIsToldTheStepsAndNoReasons(t *testing.T) {
	list := rows(row{says: "Tom", link: true}, row{says: "Send", link: true})
	list[1].Text, list[1].ContentDesc = "", "Send"
	for i := range list {
		list[i].Depth = 1
	}
	key := tapped(list, 0)
	key.Proposal.Secret = true
	asked := on(list, actions.Info{Question: "Which size?"})
	asked.Exchange = &actions.Exchange{Question: "Which size?", Answer: "42"}
	steps := []agentloop.Step{on(nil, actions.OpenApp{App: "Messages"}), tapped(list, 0),
		on(list, actions.Note{Text: "because I think so"}), on(list, actions.Type{Text: "later"}),
		refused(tapped(list, 1), "not allowed: no"), tapped(list, 1), on(list, nil), asked, key,
		on(list, actions.Scroll{At: list[0].Bounds.Center(), Direction: actions.Down}),
		refused(on(list, actions.Complete{Report: "done"}), "not ended yet: -")}
	for i := range steps {
		steps[i].Proposal.Explain = "because I believe"
		steps[i].Proposal.Thought, steps[i].Proposal.Summary = "because I believe", "because I believe"
	}
	var got Asked
	v := Verifier{Mode: ByModel, Model: func(_ context.Context, a Asked) (
		agentloop.Verified, string, agentloop.Try, error) {
		got = a
		return agentloop.IsVerified, "it is there", agentloop.Try{}, nil
	}}
	s := agentloop.Situation{Album: journal{steps: steps}, Progress: agentloop.Progress{
		Task: "Write to Tom", Summary: "because I believe"}}
	out, err := v.Verify(t.Context(), s, "Done.")
	require.NoError(t, err)
	require.Equal(t, agentloop.IsVerified, out.Verdict)
	require.Equal(t, Asked{Task: "Write to Tom", Report: "Done.", Done: `open "Messages"; tap "Tom"; ` +
		`type "later"; tap "Send"; ask "Which size?": "42"; tap; scroll ↓`}, got)
	s.Task = "给 Tom 发短信"
	_, err = v.Verify(t.Context(), s, "")
	require.NoError(t, err)
	require.Contains(t, got.Done, `打开应用 "`)

	s.Album = journal{err: errors.New("the store is closed")}
	_, err = v.Verify(t.Context(), s, "")
	require.ErrorContains(t, err, "the store is closed")
}
