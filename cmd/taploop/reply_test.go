package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// Several actions of one question are decided about in their order, all of them or none.
func TestSeveralActionsAreDecidedAboutInOneReply(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	defer db.Close()
	click := inquiry.ActionRequest{Name: "CLICK",
		Args: map[string]any{"at": map[string]any{"x": 0.5, "y": 0.5}}}
	q, err := inquiry.NewBroker(db.Questions, nil).Open(t.Context(), inquiry.Question{
		Kind: inquiry.KindApproval, Text: "may it tap?",
		Body: &inquiry.Approval{Severity: inquiry.Critical,
			ActionRequests: []inquiry.ActionRequest{click, click, click},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "CLICK",
				AllowedDecisions: inquiry.DecisionTypes}}},
	})
	require.NoError(t, err)
	reply := func(decisions ...string) (out, errs string, code int) {
		args := []string{"reply", q.ID, "--data-dir", dir}
		for _, d := range decisions {
			args = append(args, "--decision", d)
		}
		var stdout, stderr bytes.Buffer
		code = run(t.Context(), args, []string{"HOME=" + dir}, streams{strings.NewReader(""),
			&stdout, &stderr})
		return stdout.String(), stderr.String(), code
	}
	edit := `edit={"name": "CLICK", "args": {"at": {"x": 0.1, "y": 0.2}}}`
	for want, given := range map[string][]string{
		"1 decision for 3 actions":  {"approve"},
		"4 decisions for 3 actions": {"approve", "approve", "approve", "approve"},
		"decision 2: approve has a message, which would be lost": {"approve", "approve=gladly",
			"approve"},
		"--decision \"yes\" is no decision": {"approve", edit, "yes"},
		"respond has no message":            {"approve", "approve", "respond"},
		"the action cannot be read":         {"approve", "edit=CLICK", "approve"},
	} {
		_, errs, code := reply(given...)
		require.Equal(t, exitUsage, code, "%s: %s", want, errs)
		require.Contains(t, errs, want)
		now, err := db.Questions.Get(t.Context(), q.ID)
		require.NoError(t, err)
		require.True(t, now.Open(), "nothing is changed")
	}

	out, errs, code := reply("reject=too dear = no", edit, "approve")

	require.Equal(t, exitDone, code, errs)
	require.Equal(t, "answered\n", out)
	now, err := db.Questions.Get(t.Context(), q.ID)
	require.NoError(t, err)
	got := now.Resolution.Decisions
	require.Equal(t, []string{"reject", "edit", "approve"},
		[]string{got[0].Type, got[1].Type, got[2].Type})
	require.Equal(t, "too dear = no", got[0].Message)
	require.Equal(t, map[string]any{"x": 0.1, "y": 0.2}, got[1].EditedAction.Args["at"])
}
