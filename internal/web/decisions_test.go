package web_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

// approvals is a rig whose broker takes edits to TYPE and CLICK.
func approvals(t *testing.T, opts inquiry.Options) *rig {
	opts.CheckEdit = func(_ inquiry.ActionRequest, e inquiry.EditedAction) error {
		if e.Name != "TYPE" && e.Name != "CLICK" {
			return errors.New("there is no action " + e.Name)
		}
		return nil
	}
	return newRig(t, func(o *web.Options) {
		o.Questions = inquiry.NewBroker(o.Sessions.(*store.Store).Questions, &opts)
	})
}

// about is a question about one tap.
func about(severity inquiry.Severity) inquiry.Question {
	return inquiry.Question{Kind: inquiry.KindApproval, Text: "may it tap \"Pay\"?",
		Body: &inquiry.Approval{Severity: severity,
			ActionRequests: []inquiry.ActionRequest{{Name: "CLICK", Description: "tap \"Pay\"",
				Args: map[string]any{"at": map[string]any{"x": 0.5, "y": 0.9}}}},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "CLICK",
				AllowedDecisions: inquiry.DecisionTypes}},
			Places: []inquiry.Place{{X: 0.5, Y: 0.9}}, Bound: strings.Repeat("what is touched", 300),
			Element: "Pay", Reason: "it spends money"},
	}
}

func TestDecisionsOverHTTP(t *testing.T) {
	g := approvals(t, inquiry.Options{})
	q := g.waiting("ann", about(inquiry.Critical))
	got := g.get("/v1/inquiries/"+q.ID, g.boss).json(t)
	require.Equal(t, "approval", got["kind"])
	require.NotContains(t, got, "bound", "it is for the guard alone, and long")
	kept, err := g.store.Questions.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.NotEmpty(t, inquiry.As[inquiry.Approval](kept).Bound)
	require.Equal(t, []any{map[string]any{"name": "CLICK", "description": `tap "Pay"`,
		"args": map[string]any{"at": map[string]any{"x": 0.5, "y": 0.9}}}}, got["action_requests"])
	require.Equal(t, []any{map[string]any{"action_name": "CLICK", "allowed_decisions": []any{
		"approve", "edit", "reject", "respond"}}}, got["review_configs"])
	for body, want := range map[string]string{
		`{"type":"decisions"}`:                                         `no \"decisions\"`,
		`{"type":"decisions","decisions":null}`:                        `no \"decisions\"`,
		`{"type":"decisions","decisions":[]}`:                          "0 decisions",
		`{"decisions":[{"type":"approve"},{"type":"approve"}]}`:        "2 decisions",
		`{"decisions":[{"type":"approve"}],"response":"yes"}`:          "without a",
		`{"decisions":[{"type":"approve"}],"type":"answer"}`:           "without a",
		`{"response":"yes, later"}`:                                    "takes decisions",
		`{"decisions":[{"type":"Approve"}]}`:                           "cannot be decided",
		`{"decisions":[{"type":"approve","extra":1}]}`:                 "unknown field",
		`{"decisions":[{"type":"edit"}]}`:                              "no edited_action",
		`{"decisions":[{"type":"edit","edited_action":{"name":"X"}}]}`: "no action X",
		`{"decisions":["approve"]}`:                                    "want an object",
		`{"decisions":[null]}`:                                         "want an object",
		`{"decisions":[{"type":"approve","args":{}}]}`:                 "want type, edited_action",
		`{"decisions":[{"type":1}]}`:                                   "want a string",
		`{"decisions":[{"type":"edit","edited_action":{"name":"TYPE","args":{}},` +
			`"editedAction":{"name":"CLICK","args":{}}}]}`: "edited_action is there twice",
		`{"decisions":[{"type":"accept","args":{"action":"CLICK","args":{}}}]}`:            "args",
		`{"decisions":[{"type":"edit","args":"no"}]}`:                                      "args",
		`{"decisions":[{"type":"respond","message":"a","args":"b"}]}`:                      "args",
		`{"decisions":[{"type":"edit","edited_action":{"name":"CLICK","action":"TYPE"}}]}`: "twice",
		`{"type":"edit","edited_action":{"name":"TYPE","args":{}},` +
			`"editedAction":{"name":"CLICK","args":{}}}`: "edited_action is there twice",
		`{"decisions":[{"type":"reject","type":"approve"}]}`: "there twice",
		`{"decisions":[],"decisions":[{"type":"approve"}]}`:  "there twice",
		`{"decisions":{"type":"approve"}}`:                   "want a list",
	} {
		a := g.post("/v1/inquiries/"+q.ID+"/reply", g.boss, body)
		require.Equal(t, 400, a.status, "%s: %s", body, a.text)
		require.Contains(t, a.text, want, body)
		g.untouched(q)
	}

	edit := `{"type":"decisions","reply_id":"r1","decisions":[{"type":"edit",` +
		`"edited_action":{"name":"TYPE","args":{"text":"7.30"}}}]}`
	a := g.post("/v1/inquiries/"+q.ID+"/reply", g.boss, edit)
	require.Equal(t, 200, a.status, a.text)
	won := a.json(t)["inquiry"].(map[string]any)["resolution"].(map[string]any)
	require.Equal(t, []any{map[string]any{"type": "edit", "edited_action": map[string]any{
		"name": "TYPE", "args": map[string]any{"text": "7.30"}}}}, won["decisions"])
	require.Equal(t, []any{"http", "human_token", "boss"},
		[]any{won["channel"], won["authority"], won["by"]})
	require.Contains(t, g.post("/v1/inquiries/"+q.ID+"/reply", g.boss, edit).text,
		`"replayed":true`)
	require.Equal(t, 409, g.post("/v1/inquiries/"+q.ID+"/reply", g.boss,
		`{"decisions":[{"type":"approve"}]}`).status)
}

// TestWhoMayDecideOverHTTP walks tokens over severities, and both settings of programs_decide.
func TestWhoMayDecideOverHTTP(t *testing.T) {
	for _, configured := range []bool{false, true} {
		g := approvals(t, inquiry.Options{ProgramsDecide: configured})
		for severity, program := range map[inquiry.Severity]int{inquiry.Routine: 200,
			inquiry.Sensitive: map[bool]int{false: 403, true: 200}[configured],
			inquiry.Critical:  403, "": 403} {
			for token, want := range map[string]int{g.ann: program, g.boss: 200, g.ben: 404} {
				for _, body := range []string{`{"decisions":[{"type":"approve"}]}`,
					`{"decisions":[{"type":"reject"}]}`, `{"type":"decline"}`} {
					q := g.waiting("ann", about(severity))
					a := g.post("/v1/inquiries/"+q.ID+"/reply", token, body)
					require.Equal(t, want, a.status, "%q %s: %s", severity, body, a.text)
					if want != 200 {
						g.untouched(q)
					}
					if want == 403 {
						require.Contains(t, a.text, "DECISION_FORBIDDEN")
						require.Contains(t, a.text, "your user decides")
					}
				}
			}
		}
	}
}

// A word decides where it is a person's, about all actions of the question that it is for.
func TestAWordDecidesWhereItIsAPersons(t *testing.T) {
	for word, want := range map[string]string{"yes": "approve", "是": "approve",
		"继续": "approve", " Yes. ": "approve", "no": "reject", "否": "reject"} {
		g := approvals(t, inquiry.Options{})
		q := g.waiting("ann", about(inquiry.Critical))
		path := "/v1/inquiries/" + q.ID + "/reply"
		body := `{"response":"` + word + `","reply_id":"r"}`
		a := g.post(path, g.ann, body)
		require.Equal(t, 403, a.status, "%s by a program: %s", word, a.text)
		require.Contains(t, a.text, "on the inbox page or at the terminal")
		g.untouched(q)
		audit, err := g.store.Audit.List(t.Context(),
			store.AuditFilter{QuestionID: q.ID, Event: store.AuditForbidden})
		require.NoError(t, err)
		require.Len(t, audit, 1, word)
		require.Equal(t, "ann", audit[0].By)

		a = g.post(path, g.kim, body)
		require.Equal(t, 200, a.status, "%s by a person: %s", word, a.text)
		settled, err := g.broker.Get(t.Context(), q.ID)
		require.NoError(t, err)
		require.Equal(t, want, settled.Resolution.Decisions[0].Type, word)
		require.Contains(t, g.post(path, g.kim, body).text, `"replayed":true`)

		next := g.waiting("ann", about(inquiry.Critical))
		a = g.post(path, g.kim, `{"response":"yes"}`)
		require.Equal(t, 409, a.status, "the question that it was for is settled: %s", a.text)
		g.untouched(next)
	}
}

// several is a question about two calls, of which the second may be edited to another tool.
func several() inquiry.Question {
	return inquiry.Question{Kind: inquiry.KindApproval, Text: "may they be made?",
		Body: &inquiry.Approval{Severity: inquiry.Sensitive,
			ActionRequests: []inquiry.ActionRequest{{Name: "send_mail", Description: "send",
				Args: map[string]any{"to": "ann"}}, {Name: "write_file", Args: map[string]any{}}},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "send_mail",
				AllowedDecisions: []string{"approve", "reject"}}, {ActionName: "write_file",
				AllowedDecisions: []string{"edit", "respond"},
				ArgsSchema:       map[string]any{"type": "object"}}},
			EditNames: map[string][]string{"write_file": {"move_file"}}}}
}

// Each action is an interrupt with an id, and LangGraph's clients resume all of them by their ids.
func TestInterruptsAreResumedByTheirIDs(t *testing.T) {
	g := approvals(t, inquiry.Options{})
	q := g.waiting("ann", several())
	one, two := q.ID+".1", q.ID+".2"
	got := g.get("/v1/inquiries/"+q.ID, g.boss).json(t)["interrupts"].([]any)
	require.Len(t, got, 2)
	first, second := got[0].(map[string]any), got[1].(map[string]any)
	require.Equal(t, one, first["id"])
	require.Equal(t, map[string]any{"type": "tool_approval", "tool_call_id": one,
		"name": "send_mail", "args": map[string]any{"to": "ann"}, "description": "send"},
		first["value"])
	decided := func(properties map[string]any, required ...any) map[string]any {
		return map[string]any{"type": "object", "required": required, "properties": properties}
	}
	words := map[string]any{"type": "string"}
	require.Equal(t, map[string]any{"oneOf": []any{
		decided(map[string]any{"type": map[string]any{"const": "approve"}}, "type"),
		decided(map[string]any{"type": map[string]any{"const": "reject"}, "message": words},
			"type")}}, first["responseSchema"])
	require.Equal(t, first["responseSchema"], first["response_schema"])
	edit := second["responseSchema"].(map[string]any)["oneOf"].([]any)[0].(map[string]any)
	edited := edit["properties"].(map[string]any)["edited_action"].(map[string]any)
	require.Equal(t, map[string]any{"enum": []any{"write_file", "move_file"}},
		edited["properties"].(map[string]any)["name"])

	for body, want := range map[string]string{
		`{"resume":{"` + one + `":{"type":"approve"}}}`: "no decision about " + two,
		`{"resume":{"` + one + `":{"type":"approve"},"` + two + `":{"type":"respond",` +
			`"message":"x"},"other":{"type":"approve"}}}`: `no interrupt \"other\"`,
		`{"resume":{"` + one + `":{"type":"approve","x":1},"` + two + `":{}}}`: "unknown field",
		`{"resume":["approve"]}`: "no object",
		`{"type":"approve"}`:     "1 decision for 2 actions",
		`{"message":"approve"}`:  "are of a decision",
		`{"resume":{"` + one + `":{"type":"respond","message":"x"},"` + two +
			`":{"type":"respond","message":"x"}}}`: "decision 1",
	} {
		a := g.post("/v1/inquiries/"+q.ID+"/reply", g.boss, body)
		require.Equal(t, 400, a.status, "%s: %s", body, a.text)
		require.Contains(t, a.text, want, body)
		g.untouched(q)
	}
	a := g.post("/v1/inquiries/"+q.ID+"/reply", g.boss, `{"resume":{"`+two+
		`":{"type":"edit","editedAction":{"name":"move_file","args":{"to":"b"}}},"`+one+
		`":{"type":"reject","message":"not her"}}}`)
	require.Equal(t, 200, a.status, a.text)
	won := a.json(t)["inquiry"].(map[string]any)["resolution"].(map[string]any)
	require.Equal(t, []any{map[string]any{"type": "reject", "message": "not her"},
		map[string]any{"type": "edit", "edited_action": map[string]any{"name": "move_file",
			"args": map[string]any{"to": "b"}}}}, won["decisions"])
}

// A question about one action is an interrupt with the question's id, which takes a decision alone.
func TestOneInterruptTakesItsDecision(t *testing.T) {
	const typed = `"editedAction":{"name":"TYPE","args":{"text":"7"}}`
	const older = `{"action":"TYPE","args":{"text":"7"}}`
	edited := map[string]any{"type": "edit", "edited_action": map[string]any{"name": "TYPE",
		"args": map[string]any{"text": "7"}}}
	for body, want := range map[string]any{
		`{"type":"approve"}`: map[string]any{"type": "approve"},
		`{"type":"reject","message":"no"}`: map[string]any{"type": "reject",
			"message": "no"},
		`{"resume":{"decisions":[{"type":"approve"}]}}`: map[string]any{"type": "approve"},
		`{"resume":{"type":"approve"}}`:                 map[string]any{"type": "approve"},
		`{"resume":{"ID":{"type":"approve"}}}`:          map[string]any{"type": "approve"},
		// as LangGraph's server and its older clients write it
		`{"command":{"resume":{"decisions":[{"type":"approve"}]}}}`: map[string]any{
			"type": "approve"},
		`{"command":{"resume":[{"type":"accept","args":null}]}}`: map[string]any{
			"type": "approve"},
		`{"resume":[{"type":"ignore"}]}`:                                           map[string]any{"type": "reject"},
		`{"resume":{"type":"accept"}}`:                                             map[string]any{"type": "approve"},
		`{"type":"accept"}`:                                                        map[string]any{"type": "approve"},
		`{"decisions":[{"type":"edit","action":` + older + `}]}`:                   edited,
		`{"resume":[{"type":"edit","args":` + older + `}]}`:                        edited,
		`{"type":"edit","edited_action":{"name":"TYPE","arguments":{"text":"7"}}}`: edited,
		`{"resume":[{"type":"response","args":"not now"}]}`: map[string]any{
			"type": "respond", "message": "not now"},
		// as LangChain's JavaScript writes it
		`{"decisions":[{"type":"edit",` + typed + `}]}`:   edited,
		`{"type":"edit",` + typed + `}`:                   edited,
		`{"resume":{"ID":{"type":"edit",` + typed + `}}}`: edited,
	} {
		g := approvals(t, inquiry.Options{})
		q := g.waiting("ann", about(inquiry.Critical))
		a := g.post("/v1/inquiries/"+q.ID+"/reply", g.boss, strings.ReplaceAll(body, "ID", q.ID))
		require.Equal(t, 200, a.status, a.text)
		won := a.json(t)["inquiry"].(map[string]any)["resolution"].(map[string]any)
		require.Equal(t, []any{want}, won["decisions"], body)
	}
}
