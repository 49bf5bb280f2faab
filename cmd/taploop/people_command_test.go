//go:build unix

package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

func TestAnAnswerFromTheCommandLineLetsTheRunGoOn(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		s := b.open(w)
		asked := s.asks(b.task.Goal)
		id := asked.Question.ID

		list := b.questions()
		require.Len(t, list, 1)
		require.Equal(t, id, list[0].ID)
		out, errs, code := b.run("inquiries")
		require.Zero(t, code, "%s", errs)
		require.Regexp(t,
			`(?m)^`+id+` +`+asked.SessionID+` +\d+s +\d{4}-\d\d-\d\d \d\d:\d\d +\S.* +`+
				`Which size do you wear\?`, out)

		out, errs, code = b.run("reply", id[:8], "42", "--reply-id", "mine", "--remember", "always")
		require.Zero(t, code, "%s", errs)
		require.Equal(t, "answered\n", out)
		done := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": asked.SessionID,
			"question_id": id}))
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
		b.done(tripTouches)

		out, _, _ = b.run("answers")
		require.Regexp(t, `(?m)^`+id+` +\S+ +always +0 +.* 42 +Which size do you wear\?$`, out)
		_, errs, code = b.run("answers", "forget")
		require.Equal(t, exitUsage, code, errs)
		out, errs, _ = b.run("answers", "forget", id[:8])
		require.Equal(t, "forgotten: Which size do you wear?: 42\n", out, errs)
		_, errs, _ = b.run("answers")
		require.Contains(t, errs, "no answer is remembered")
		_, errs, code = b.run("reply", id[:8], "42", "--reply-id", "mine", "--remember", "always")
		require.Zero(t, code, "the same reply again is the same success: %s", errs)
		require.Contains(t, errs, "taken before")
		_, errs, code = b.run("reply", id[:8], "43", "--reply-id", "mine")
		require.Equal(t, exitUsage, code, "the same id for another answer: %s", errs)
		out, errs, code = b.run("reply", id, "43")
		require.Equal(t, exitNotCompleted, code, "%s", errs)
		require.Empty(t, out)
		require.Regexp(t,
			`too late: the question was answered \d{4}-\S+ at \S+ by \S+ `+
				`through command_line \(local_operator\): 42, \d+s after it was asked\n`+
				`  try: the run has ended since \(COMPLETED\)`, errs)
		require.Empty(t, b.questions())
		require.Equal(t, inquiry.Answered, b.questions("--all")[0].Status)

		var story []store.AuditEvent
		var channels []string
		for _, e := range b.audit("--session", asked.SessionID) {
			story, channels = append(story, e.Event), append(channels, e.Channel)
		}
		require.Equal(t, []store.AuditEvent{store.AuditAsked, store.AuditAnswered,
			store.AuditRemembered, store.AuditApplied}, story)
		require.Equal(t, "command_line", channels[1])
		out, _, code = b.run("audit", "--question", id[:8], "--since", "1h")
		require.Zero(t, code)
		require.Regexp(t,
			`(?m) answered +`+id+` +`+asked.SessionID+
				` +command_line +\S+ \(local_operator\) +\S+s +42$`, out)
	})
}

func TestAClientsAnswerBeatsALaterOneFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s := b.open(route{era: legacy})
	asked := s.asks(b.task.Goal)
	s.follow(s.answer(asked, "42"))
	out, errs, code := b.run("reply", asked.Question.ID, "43", "--json")
	require.Equal(t, exitNotCompleted, code)
	require.Contains(t, errs, "by mcp (client_model): 42")
	var v struct {
		Status   string
		Taken    bool
		Question inquiry.Question
	}
	require.NoError(t, json.Unmarshal([]byte(out), &v), "%s", out)
	require.False(t, v.Taken)
	require.Equal(t, "answered", v.Status)
	require.Equal(t, "42", v.Question.Resolution.Response.Reveal())
}

func TestOpenPagesHearOfAnAnswerFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	p, url := b.serve()
	ann, status := b.browser(url, b.link())
	require.Equal(t, 200, status)
	events := ann.listen()
	_, broker := b.folder()
	q := put(t, broker, inquiry.Question{Text: "which?"})
	until(t, events, func(h sseEvent) bool { return h.name == "inquiry.created" })
	watch := p.stopwatch()
	_, errs, code := b.run("reply", q.ID, "this one")
	require.Zero(t, code, "%s", errs)
	var last sseEvent
	until(t, events, func(h sseEvent) bool { last = h; return h.name == "inquiry.resolved" })
	watch.within(2500 * time.Millisecond) // the command, and a second until the server has looked
	require.Contains(t, last.data, "this one")
	require.Contains(t, last.data, "command_line")
}

func TestADraftIsPipedIn(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, broker := b.folder()
	q := put(t, broker, inquiry.Question{Text: "Shall I send this?",
		Body: &inquiry.Ask{Draft: "# Dear Ann\n\ncome"}})
	out, _, _ := b.run("inquiries", q.ID)
	require.Contains(t, out, "draft     # Dear Ann\n          \n          come\n")
	_, errs, code := b.feed("# Dear Ann\n\ncome soon\n", "reply", q.ID, "-")
	require.Zero(t, code, "%s", errs)
	stored, err := broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "# Dear Ann\n\ncome soon",
		strings.TrimRight(stored.Resolution.Response.Reveal(), "\n"))
}

// folder opens the store of the data folder along with the programs that use it.
func (b *testEnv) folder() (*store.Store, *inquiry.Broker) {
	db, err := store.Open(b.t.Context(), filepath.Join(b.dir, "data", "taploop"), nil)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { require.NoError(b.t, db.Close()) })
	return db, inquiry.NewBroker(db.Questions, nil)
}

// put opens a question that no run has asked.
func put(t testing.TB, b *inquiry.Broker, q inquiry.Question) inquiry.Question {
	q.Kind = inquiry.KindInquiry
	q, err := b.Open(t.Context(), q)
	require.NoError(t, err)
	return q
}

func TestASecretAnswerIsNotTypedOnTheCommandLineAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	const secret = "tango-7731-foxtrot"
	b := newTestEnv(t, "shop-login", "")
	s := b.open(route{http: true, era: legacy})
	asked := s.asks(b.task.Goal)
	_, errs, code := b.run("reply", asked.Question.ID, secret)
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "others can read the command line")
	require.NotContains(t, errs, secret)
	require.Len(t, b.questions(), 1, "it is still open")

	out, errs, code := b.feed(secret+"\n", "reply", asked.Question.ID[:8], "-", "--json")
	require.Zero(t, code, "%s", errs)
	require.NotContains(t, out+errs, secret)
	s.follow(s.call("ask_agent_wait", map[string]any{"session_id": asked.SessionID,
		"question_id": asked.Question.ID}))
	b.wire.sent.await(t, `(`+secret+`)`) // it was typed into the phone
	_, errs, code = b.run("reply", asked.Question.ID, "-")
	require.Equal(t, exitNotCompleted, code)
	require.Contains(t, errs, inquiry.Masked)
	require.Equal(t, inquiry.Masked, b.audit("--question", asked.Question.ID)[1].Answer)
	require.NotContains(t, s.stderr.String(), secret)
	require.NoError(t, filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		require.False(t, strings.Contains(string(text), secret), "it is in %s", path)
		return err
	}))
}

func TestFormsAreFilledInFromTheCommandLine(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, broker := b.folder()
	fields := []inquiry.Field{
		{Name: "size", Type: inquiry.NumberField},
		{Name: "colours", Type: inquiry.ChoicesField,
			Options: []string{"red, dark", "blue", "green"}},
		{Name: "gift", Type: inquiry.YesNoField}, {Name: "note", Type: inquiry.TextField,
			Optional: true},
	}
	byFields := put(t, broker, inquiry.Question{Text: "which shirt?",
		Body: &inquiry.Form{Fields: fields}})
	for problem, args := range map[string][]string{
		"has no field":    {"--field", "colour=red"},
		"is given twice":  {"--field", "size=4", "--field", "size=5"},
		"has no value":    {"--field", "size"},
		"write a number":  {"--field", "size=large"},
		"write yes or no": {"--field", "gift=perhaps"},
		"does not fit":    {"--field", "size=4"},
		"give one of":     {"{}", "--field", "size=4"},
		"no answer":       {},
	} {
		_, errs, code := b.run(append([]string{"reply", byFields.ID}, args...)...)
		require.Equal(t, exitUsage, code, "%q", args)
		require.Contains(t, errs, problem, "%q", args)
	}
	out, errs, code := b.run("reply", byFields.ID, "--field", "size=42", "--field",
		"colours=red, dark", "--field", "colours=blue", "--field", "gift=Yes", "--field",
		"note=a=b")
	require.Zero(t, code, "%s", errs)
	require.Equal(t, "answered\n", out)
	q, err := broker.Get(t.Context(), byFields.ID)
	require.NoError(t, err)
	require.JSONEq(t, `{"size":42,"colours":["red, dark","blue"],"gift":true,"note":"a=b"}`,
		q.Resolution.Response.Reveal())

	out, errs, code = b.run("inquiries", byFields.ID[:8])
	require.Zero(t, code, "%s", errs)
	for _, line := range []string{"question  " + byFields.ID, "status    answered by ",
		"text      which shirt?", "field     size (number)",
		"field     colours (choices): red, dark / blue / green", "field     note (text, optional)",
		`answer    {"size":42,`} {
		require.Contains(t, out, line)
	}
	byJSON := put(t, broker, inquiry.Question{Text: "which shirt?",
		Body: &inquiry.Form{Fields: fields}})
	_, errs, code = b.feed(`{"size": 41, "colours": ["green"], "gift": false}`, "reply", byJSON.ID,
		"-")
	require.Zero(t, code, "%s", errs)
	plain := put(t, broker, inquiry.Question{Text: "why?"})
	_, errs, code = b.run("reply", plain.ID, "--field", "a=b")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "is no form")
}

func TestRepliesThatCannotBeTakenLeaveTheQuestionOpen(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, broker := b.folder()
	q := put(t, broker, inquiry.Question{Text: "which?",
		Body: &inquiry.Ask{Options: []string{"Red", "Blue"}}})
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no option": {[]string{q.ID, "green"}, exitUsage, `want one of ["Red" "Blue"]`},
		"empty":     {[]string{q.ID, " "}, exitUsage, "the answer is empty"},
		"unknown": {[]string{"0123456789", "red"}, exitError,
			`there is no question "0123456789"`},
		"no id":   {[]string{"", "red"}, exitUsage, "the argument QUESTION is empty"},
		"nothing": {[]string{q.ID}, exitUsage, "there is no answer"},
		"both answers": {[]string{q.ID, "--refuse", "--field", "a=b"}, exitUsage,
			"leave --field out"},
	} {
		_, errs, code := b.run(append([]string{"reply"}, c.args...)...)
		require.Equal(t, c.code, code, "%s: %s", name, errs)
		require.Contains(t, errs, c.says, name)
	}
	require.Len(t, b.questions(), 1)
	out, errs, code := b.run("reply", strings.ToUpper(q.ID[:6]), "not", "--refuse")
	require.Zero(t, code, "%s", errs)
	require.Equal(t, "refused\n", out)
	stored, err := broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.Refused, stored.Status)
	require.Equal(t, "not", stored.Resolution.Response.Reveal())
}

func TestTheBeginningOfAnIdIsEnoughWhenItIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, broker := b.folder()
	byLetter := map[byte][]inquiry.Question{}
	var twice []inquiry.Question
	for len(twice) == 0 { // of seventeen ids two begin with the same letter
		q := put(t, broker, inquiry.Question{Text: "which?"})
		byLetter[q.ID[0]] = append(byLetter[q.ID[0]], q)
		if len(byLetter[q.ID[0]]) == 2 {
			twice = byLetter[q.ID[0]]
		}
	}
	letter := twice[0].ID[:1]
	_, errs, code := b.run("reply", letter, "x")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "2 questions begin with")
	require.Contains(t, errs, twice[1].ID[:8])
	require.NoError(t, broker.Withdraw(t.Context(), twice[0].ID, "enough"))
	_, errs, code = b.run("reply", letter, "x")
	require.Zero(t, code, "what is open goes before what is settled: %s", errs)
}

func TestQuestionsWhoseTimeIsOverAreNotListedAsOpen(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	db, err := store.Open(t.Context(), filepath.Join(b.dir, "data", "taploop"), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	past := inquiry.NewBroker(db.Questions,
		&inquiry.Options{Now: func() time.Time { return time.Now().Add(-25 * time.Hour) }})
	q := put(t, past, inquiry.Question{Text: "which?"})
	require.Empty(t, b.questions(), "without a server, too")
	require.Equal(t, inquiry.Expired, b.questions("--all")[0].Status)
	_, errs, code := b.run("reply", q.ID, "x")
	require.Equal(t, exitError, code)
	require.Contains(t, errs, "expired")
	require.Equal(t, store.AuditExpired, b.audit()[1].Event)
}

func TestTheAuditOutlivesItsSession(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	s := b.open(route{era: legacy})
	asked := s.asks(b.task.Goal)
	s.follow(s.answer(asked, "42"))
	before := b.audit()
	require.Len(t, before, 3)
	_, errs, code := b.run("sessions", "prune", "--older-than", "1ms")
	require.Zero(t, code, "%s", errs)
	require.Contains(t, errs, "deleted 1 session\n")
	require.Empty(t, b.questions("--all"))
	require.Equal(t, before, b.audit("--question", asked.Question.ID))
	newest := b.audit("--limit", "1")
	require.Len(t, newest, 1)
	require.Equal(t, store.AuditPruned, newest[0].Event)
	require.Empty(t, b.audit("--since", time.Now().Add(time.Hour).Format(time.RFC3339)))
	_, errs, code = b.run("audit", "--since", "yesterday")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "write a duration")
}

// Every task that the README gives as an example is one that a reader can try on the simulated
// phone.
func TestTheTasksOfTheReadmeWorkOnTheSandbox(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	given, example := 0, regexp.MustCompile(`taploop run "([^"]+)"`)
	for _, m := range example.FindAllStringSubmatch(string(readme), -1) {
		if m[1] == "TASK" {
			continue
		}
		given++
		b := newTestEnv(t, taskOf(t, m[1]), "")
		_, errs, code := b.run("run", m[1])
		require.Zero(t, code, "%s: %s", m[1], errs)
		require.NoError(t, b.task.Check(b.sim.Phone), m[1])
	}
	require.Greater(t, given, 1)
}

func taskOf(t *testing.T, goal string) string {
	for _, task := range newPhone().Tasks() {
		if strings.HasPrefix(task.Goal, goal) {
			return task.ID
		}
	}
	t.Fatalf("the sandbox has no task like the README's %q", goal)
	return ""
}
