package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

// An edit that could be read in two ways is refused, and the question stays open.
func TestAnEditWithTwoSpellingsOfAnArgumentSettlesNothing(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), nil)
	q := approval()
	body := q.Body.(*inquiry.Approval)
	body.ReviewConfigs[0].ArgsSchema = map[string]any{"type": "object", "properties": map[string]any{
		"id": map[string]any{"type": "string"}, "at": map[string]any{"properties": map[string]any{
			"room": map[string]any{}}}}}
	q = ask(t, b, q)
	edit := func(args map[string]any) error {
		_, err := b.Resolve(t.Context(), q.ID, decide(inquiry.Decision{Type: inquiry.Edit,
			EditedAction: &inquiry.EditedAction{Name: "CLICK", Args: args}}))
		return err
	}
	for _, args := range []map[string]any{{"id": "9", "Id": "3"}, {"ID": "3"},
		{"at": map[string]any{"Room": 1}}} {
		var unfit *inquiry.InvalidReplyError
		require.ErrorAs(t, edit(args), &unfit)
		require.Contains(t, unfit.Problem, "could be read as")
		now, err := b.Get(t.Context(), q.ID)
		require.NoError(t, err)
		require.True(t, now.Open())
	}
	require.NoError(t, edit(map[string]any{"id": "9"}))
}

// LangGraph resumes an interrupt with a list of one decision, or all of them with a list.
func TestInterruptsAreResumedByListsOfDecisions(t *testing.T) {
	q := ask(t, inquiry.NewBroker(new(inquirytest.Memory), nil), approval())
	id := q.Interrupts()[0].ID
	for _, raw := range []string{`{"` + id + `":{"decisions":[{"type":"approve"}]}}`,
		`[{"type":"approve"}]`, `{"decisions":[{"type":"approve"}]}`, `{"type":"approve"}`} {
		got, err := q.Resume([]byte(raw))
		require.NoError(t, err, raw)
		require.Equal(t, []inquiry.Decision{{Type: "approve"}}, got, raw)
	}
	for _, raw := range []string{`["approve"]`, `null`, `{"` + id + `":{"decisions":[]}}`,
		`{"` + id + `":{"type":"approve","x":1}}`} {
		_, err := q.Resume([]byte(raw))
		require.Error(t, err, raw)
		require.NotContains(t, err.Error(), "json: ", raw)
	}
}
