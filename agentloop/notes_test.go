package agentloop_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
)

func TestNotesAreWordedInTheLanguageOfTheRun(t *testing.T) {
	n := agentloop.Note{Kind: agentloop.NoteRefused, Action: "CLICK (tap {detail})",
		Detail: "no {action} here"}

	require.Equal(t, "The last action, CLICK (tap {detail}), was not carried out: "+
		"no {action} here", n.Text("en"))
	require.Equal(t, "上一步操作(CLICK (tap {detail}))没有执行:no {action} here", n.Text("zh-CN"))
	require.Equal(t, n.Text("en"), n.Text(""))
	require.Equal(t, "a b", agentloop.Note{Kind: "of a later version", Action: "a",
		Detail: "b"}.Text("en"))
}

func TestEveryKindOfNoteIsWordedInBothLanguages(t *testing.T) {
	for _, k := range []agentloop.NoteKind{
		agentloop.NoteRefused, agentloop.NotePartial,
		agentloop.NoteOutcomeUnknown, agentloop.NoteNotDone,
		agentloop.NoteRepeated, agentloop.NoteBlack,
		agentloop.NoteAskedBefore, agentloop.NoteScreenChanged, agentloop.NoteNotAllowed,
		agentloop.NoteListingMoved, agentloop.NoteResumed, agentloop.NoteEarlierTask,
	} {
		n := agentloop.Note{Kind: k, Action: "ACT", Detail: "WHY"}
		require.NotContains(t, n.Text("en"), "{")
		require.NotContains(t, n.Text("zh"), "{")
		require.NotEqual(t, n.Text("en"), n.Text("zh"), "%s", k)
		require.NotEqual(t, "ACT WHY", n.Text("en"), "%s", k)
	}
}
