package web_test

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

// goal is a session of agents that wrote a file, with other words than theirs, asked a person and
// had a task done on a phone.
func (g *rig) goal() store.Run {
	ctx := g.t.Context()
	x, run, err := g.store.Begin(ctx, store.Session{}, store.Run{Task: "Plan a trip"})
	require.NoError(g.t, err)
	run, err = g.store.Runs.Transition(ctx, run.ID, store.Change{To: store.Running})
	require.NoError(g.t, err)
	wants, writes := inquiry.Args{"path": "notes.txt", "content": "Hello <b>"}, []string{"approve", "edit"}
	for _, asked := range []struct {
		q inquiry.Question
		r inquiry.Reply
	}{
		{inquiry.Question{Text: "files wants to write notes.txt", Body: &inquiry.Approval{
			Severity: inquiry.Sensitive, Act: &consent.Act{Server: "files", Tool: "write_file",
				Object: "notes.txt", Goal: "Plan a trip"},
			ActionRequests: []inquiry.ActionRequest{{Name: "write_file", Args: wants}},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "write_file",
				AllowedDecisions: writes}}}},
			inquiry.Reply{By: "Anna", Channel: inquiry.ChannelPage, Authority: inquiry.AuthorityHumanToken,
				Type: inquiry.TypeDecisions, Decisions: []inquiry.Decision{{Type: inquiry.Edit,
					EditedAction: &inquiry.EditedAction{Name: "write_file",
						Args: inquiry.Args{"path": "notes.txt", "content": "Bye"}}}}}},
		{inquiry.Question{Text: "Which day?", Key: x.ID + " 1-2"},
			inquiry.Reply{By: "Anna", Channel: inquiry.ChannelPage, Authority: inquiry.AuthorityHumanToken, Response: "Monday"}},
	} {
		asked.q.SessionID = x.ID
		q, err := g.broker.Open(ctx, asked.q)
		require.NoError(g.t, err)
		_, err = g.broker.Resolve(ctx, q.ID, asked.r)
		require.NoError(g.t, err)
	}
	for _, line := range []string{`{"agent": "1", "begin": {"goal": "Plan a trip"}}`,
		`{"agent": "1", "reply": {"calls": [
			{"id": "1-1", "name": "write_file", "server": "files", "tool": "write_file",
				"args": {"content": "Hello <b>", "path": "notes.txt"}},
			{"id": "1-2", "name": "ask_person", "args": {"question": "Which day?"}},
			{"id": "1-3", "name": "use_phone", "args": {"task": "Set an alarm"}}]}}`,
		`{"agent": "1", "result": {"call": "1-1", "text": "` + inquiry.ChangedNote +
			`write_file {}\nwritten: 3 bytes"}}`,
		`{"agent": "1", "result": {"call": "1-2", "text": "the person answers: Monday"}}`,
		`{"agent": "1", "result": {"call": "1-3", "text": "no phone", "failed": true}}`} {
		require.NoError(g.t, g.store.Entries(run).Append(ctx, json.RawMessage(line)))
	}
	g.ends(run, store.Change{To: store.Completed, Answer: "The trip is planned."})
	return run
}

// What agents did is told as steps in people's words, with what people decided at each.
func TestTheSessionOfAGoalSaysWhatWasDoneAndDecided(t *testing.T) {
	t.Parallel()
	may := inquiry.Options{CheckEdit: func(inquiry.ActionRequest, inquiry.EditedAction) error { return nil }}
	g := newRig(t, func(o *web.Options) {
		o.Questions = inquiry.NewBroker(o.Sessions.(*store.Store).Questions, &may)
	})
	run := g.goal()
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.do(chromedp.Navigate(g.http.URL + "/ui/sessions/" + run.SessionID))
	const tree = `document.querySelector(".agents")?.innerText`
	for _, lang := range []string{"en", "zh"} {
		p.until(tree + `?.includes("notes.txt") && document.documentElement.lang.startsWith("` + lang + `")`)
		told := p.text(tree)
		for _, want := range map[string][]string{
			"en": {"files: write notes.txt", "files wants to write notes.txt", "Hello <b>", "Bye",
				"Changed to", "asked a person: Which day?", "Monday", "on a phone: Set an alarm"},
			"zh": {"files：写入 notes.txt", "files 想要写入 notes.txt", "Hello <b>", "Bye", "改为",
				"询问用户：Which day?", "Monday", "在手机上：Set an alarm"},
		}[lang] {
			require.Contains(t, told, want)
		}
		require.NotContains(t, told, "{")
		require.NotContains(t, told, "the other side changed")
		require.NotContains(t, told, "written: 3 bytes", "a result is folded")
		require.Equal(t, "0", p.text(`document.querySelectorAll(".came").length`), "all stand at their calls")
		p.do(js(`document.querySelector(".agents details").open = true`))
		require.Contains(t, p.text(tree), "written: 3 bytes")
		p.do(js(`document.querySelector(".agents details").open = false`),
			js(`document.getElementById("lang").click()`))
	}
	p.sound(sight{"goal", "html", tree + ` !== undefined`,
		`for (const d of document.querySelectorAll(".agents details")) d.open = true`}, 1280, 390)
}
