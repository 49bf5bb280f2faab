package tools

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/runs"
)

// What an inquiry may be at most.
const (
	maxPrompt  = 10_000
	maxContext = 2000
	maxOption  = 500
	maxOptions = 50
	maxDraft   = 20_000
	maxOpen    = 100 // inquiries of one client that are open
	maxNumber  = 1e15
)

// answerable is how long an inquiry can be answered, unless its time-out is longer.
const answerable = 24 * time.Hour

// tooManyQuestions is the code about a client that asks and asks.
const tooManyQuestions runs.Code = "QUESTION_LIMIT"

var fieldParams = []param{
	{name: "name", kind: textual, required: true, max: 64, words: "Key of the value in the answer: letters, digits, _ and -."},
	{name: "type", kind: textual, required: true, enum: fieldTypes(), words: "text: a string; choice: one of options; choices: a list of some; yes_no: true or false; number; date: \"2026-01-31\"."},
	{name: "label", kind: textual, max: maxOption, words: "The question for the person. Left out, the name is shown."},
	{name: "options", kind: list, max: inquiry.MaxFieldOptions, item: &param{kind: textual, max: maxOption}, words: "For choice and choices."},
	{name: "optional", kind: flag, def: false, words: "Whether it may be left out."},
	{name: "default", kind: anything, words: "What is filled in beforehand, in the type of the value."},
	{name: "min", kind: number, min: -maxNumber, max: maxNumber, words: "Least number; characters of a text; how many choices."},
	{name: "max", kind: number, min: -maxNumber, max: maxNumber, words: "The same, most."},
}

func fieldTypes() (names []string) {
	for _, f := range allFields {
		names = append(names, string(f))
	}
	return names
}

var silences = []string{string(inquiry.Pause), string(inquiry.GoOn), string(inquiry.Default)}

func inquiryParams() []param {
	seconds := secondsParam
	seconds.words = "How long this call waits for the answer before it returns status pending, in seconds. 0 returns at once. Left out, the server's own time is used (45 unless configured); more than the server allows is cut down to that. The question stays open whatever this is."
	return []param{
		{name: "prompt", kind: textual, max: maxPrompt, words: "The question, in plain words, with all that the person needs to answer it. Needed unless question_id is given."},
		{name: "context", kind: textual, max: maxContext, words: "What the question is about and what depends on the answer; it is shown with the question."},
		{name: "options", kind: list, max: maxOptions, item: &param{kind: textual, max: maxOption}, words: "Answers to choose from. Not together with fields or draft."},
		{name: "free_text", kind: flag, def: true, words: "Whether another answer than one of the options is fine."},
		{name: "fields", kind: list, max: inquiry.MaxFields, items: fieldParams, words: "Several questions in one form, a field each. The answer is one object with a value for each name."},
		{name: "draft", kind: textual, max: maxDraft, words: "A text in Markdown that the person edits. The answer is the whole edited text. Not together with options or fields."},
		{name: "default_answer", kind: textual, max: maxReply, words: "The answer that is taken when nobody answers in time and on_timeout is default_answer; of a form it is one JSON object as text, and left out it is the fields' defaults."},
		{name: "timeout_seconds", kind: number, min: 0, max: 10_000_000, words: "How long the person has before on_timeout applies, in seconds; at least 30 and at most 86400 are used, 600 when it is left out."},
		{name: "on_timeout", kind: textual, enum: silences, def: string(inquiry.Pause), words: "What happens then: pause keeps the question open for a day, and a late answer counts; continue_without_answer closes it unanswered; default_answer closes it with default_answer."},
		{name: "secret", kind: flag, def: false, words: "Whether the answer is shown nowhere, to you neither: you learn only that it was given. Not together with fields, draft or default_answer."},
		{name: "session_id", kind: textual, max: maxID, words: "A session of yours that the question belongs to: it is listed with that session, and deleted with it. The session's run does not read the answer."},
		{name: "idempotency_key", kind: textual, max: maxID, words: "A key of your own making, one for each question. A call with the same key and question joins the one that was asked under it instead of asking again, also after a restart."},
		{name: "question_id", kind: textual, max: maxID, words: "An inquiry that was asked before: the call waits on for its answer, or returns it. Only wait_seconds and answer_from may stand beside it."},
		{name: "answer_from", kind: integer, max: 1_000_000, words: "How many characters of a very long answer to leave out, because an earlier result had them; next says so."},
		seconds,
	}
}

// sendInquiry asks the person, or waits on for an answer to what was asked before.
func (t *Tools) sendInquiry(ctx context.Context, c *call) (*reply, error) {
	began := time.Now()
	q, err := t.inquiry(ctx, c)
	if err != nil {
		return nil, err
	}
	return t.followInquiry(ctx, c, &following{began: began}, q.ID)
}

// followInquiry waits for the answer within the call's budget, and shows the question in a form when that is wanted.
func (t *Tools) followInquiry(ctx context.Context, c *call, f *following, id string) (*reply, error) {
	budget := c.budget()
	end := f.began.Add(budget)
	q, err := t.opts.Runs.Broker().Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if t.inquiryInForm(c, q) && time.Now().Before(end) {
		t.tellAsked(ctx, c, q)
		if form, err := t.elicit(ctx, c, f, q, end); err != nil || form != nil {
			return form, err
		}
		if q, err = t.opts.Runs.Broker().Get(ctx, id); err != nil {
			return nil, err
		}
	}
	q, err = t.awaitAnswer(ctx, c, q, max(time.Until(end), 0))
	if err != nil {
		return nil, err
	}
	timing := result.NewWaiting(time.Since(f.began), budget)
	r, err := t.answerReply(c, q, result.Inquiry{Timing: &timing, Notes: f.notes})
	if err == nil {
		t.delivered(ctx, q)
	}
	return r, err
}

// inquiry is the question that the call is about: a new one, or one that was asked before.
func (t *Tools) inquiry(ctx context.Context, c *call) (inquiry.Question, error) {
	if c.args.has("question_id") {
		return t.asked(ctx, c)
	}
	q, err := t.drafted(ctx, c)
	if err != nil {
		return q, err
	}
	if q.Key != "" {
		if before, found, err := t.underKey(ctx, q); found || err != nil {
			return before, err
		}
	}
	if err := t.mayAsk(ctx, c); err != nil {
		return q, err
	}
	out, err := t.opts.Runs.Broker().Open(ctx, q)
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, inquiry.ErrKeyTaken): // the same call was faster in this moment
		before, _, err := t.underKey(ctx, q)
		return before, err
	case errors.Is(err, inquiry.ErrInvalid):
		return q, invalid("mend the question and send it again; nothing was asked", "%w", err)
	}
	return q, err
}

// asked is the inquiry that the call waits on for.
func (t *Tools) asked(ctx context.Context, c *call) (inquiry.Question, error) {
	for _, p := range inquiryParams() {
		if p.name != "question_id" && p.name != "wait_seconds" && p.name != "answer_from" && p.def == nil && c.args.has(p.name) {
			return inquiry.Question{}, invalid("leave "+p.name+" out to wait on; leave question_id out to ask anew", "there are both question_id and %s", p.name)
		}
	}
	q, err := t.question(ctx, c, c.args.text("question_id"))
	if err == nil && q.RunID != "" {
		return q, invalid("call ask_agent_wait with session_id "+quote(q.SessionID), "question %s is one of the agent on the phone", q.ID)
	}
	return q, err
}

// drafted is the new question of the call.
func (t *Tools) drafted(ctx context.Context, c *call) (inquiry.Question, error) {
	a := c.args
	q := inquiry.Question{Kind: inquiry.Inquiry, Client: c.principal, SessionID: a.text("session_id"), Task: a.text("context"), Text: a.text("prompt"),
		Options: a.texts("options"), Fields: fieldsOf(a.list("fields")), Draft: a.text("draft"), DefaultAnswer: a.text("default_answer"),
		OnTimeout: inquiry.OnTimeout(a.text("on_timeout")), Secret: a.flag("secret"), Key: a.text("idempotency_key"), Doors: t.inquiryDoors(c)}
	q.FreeText = len(q.Options) > 0 && a.flag("free_text")
	switch shapes := []bool{len(q.Options) > 0, len(q.Fields) > 0, q.Draft != ""}; {
	case q.Text == "":
		return q, invalid("pass prompt with the question, or question_id to wait on for an answer", "prompt is missing")
	case count(shapes) > 1:
		return q, invalid("ask in one way, or in several calls", "options, fields and draft do not go together")
	case q.Secret && (len(q.Fields) > 0 || q.Draft != "" || q.DefaultAnswer != ""):
		return q, invalid("ask for each secret in a call of its own, with nothing but prompt and context", "a secret question has no form, no draft and no default answer")
	case q.OnTimeout == inquiry.Default && q.DefaultAnswer == "" && len(q.Fields) > 0:
		q.DefaultAnswer = defaultsOf(q.Fields)
	case q.OnTimeout == inquiry.Default && q.DefaultAnswer == "":
		return q, invalid("pass default_answer, or another on_timeout", "on_timeout is default_answer, and there is none")
	}
	if d := a.seconds("timeout_seconds"); d != nil {
		now, d := time.Now(), inquiry.Clamp(*d)
		q.AttentionUntil, q.ExpiresAt = now.Add(d), now.Add(max(answerable, d+time.Hour)) // what silence leads to comes before the end
	}
	if q.SessionID != "" {
		if _, err := t.opts.Runs.Session(ctx, q.SessionID, c.principal); err != nil {
			return q, err
		}
	}
	return q, nil
}

func count(flags []bool) (n int) {
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

// inquiryTool asks people.
const inquiryTool = "send_inquiry"

// inquiryDoors are the ways to answer an inquiry: a form, when the server or the connection wants forms and the client shows
// them; the client's own call; and the places where all questions are listed.
func (t *Tools) inquiryDoors(c *call) []inquiry.Door {
	var doors []inquiry.Door
	mode := c.switches.replyMode(t.opts.ReplyMode, t.opts.ReplyMode)
	if c.forms && !c.args.flag("secret") && slices.Contains(mode.Doors(), runs.Elicit) {
		doors = append(doors, inquiry.Door{Name: string(runs.Elicit)})
	}
	doors = append(doors, inquiry.Door{Name: string(runs.PassToClient)})
	for _, name := range t.opts.Doors {
		doors = append(doors, inquiry.Door{Name: name})
	}
	return doors
}

func fieldsOf(list []args) (fields []inquiry.Field) {
	for _, a := range list {
		f := inquiry.Field{Name: a.text("name"), Label: a.text("label"), Type: inquiry.FieldType(a.text("type")), Options: a.texts("options"),
			Optional: a.flag("optional"), Default: a["default"]}
		for name, to := range map[string]**float64{"min": &f.Min, "max": &f.Max} {
			if v, ok := a[name].(float64); ok {
				*to = &v
			}
		}
		fields = append(fields, f)
	}
	return fields
}

// defaultsOf is the answer that the defaults of the fields are.
func defaultsOf(fields []inquiry.Field) string {
	values := map[string]any{}
	for _, f := range fields {
		if f.Default != nil {
			values[f.Name] = f.Default
		}
	}
	return quote(values)
}

// underKey is the inquiry that was asked under the key before; false when there is none.
func (t *Tools) underKey(ctx context.Context, q inquiry.Question) (inquiry.Question, bool, error) {
	list, err := t.opts.Runs.Broker().List(ctx, inquiry.Filter{Client: q.Client, Key: q.Key})
	list = slices.DeleteFunc(list, func(o inquiry.Question) bool { return o.Client != q.Client }) // "" is a client, too
	switch {
	case err != nil || len(list) == 0:
		return q, false, err
	case !sameInquiry(list[0], q):
		return q, false, invalid("use a new key for a new question", "the key %s stands for question %s, which was another one", brief(q.Key), list[0].ID)
	}
	return list[0], true, nil
}

func sameInquiry(a, b inquiry.Question) bool {
	return a.Text == b.Text && a.Task == b.Task && a.SessionID == b.SessionID && a.Secret == b.Secret && a.Draft == b.Draft && a.OnTimeout == b.OnTimeout &&
		slices.Equal(a.Options, b.Options) &&
		slices.EqualFunc(a.Fields, b.Fields, func(x, y inquiry.Field) bool {
			return x.Name == y.Name && x.Label == y.Label && x.Type == y.Type && x.Optional == y.Optional && slices.Equal(x.Options, y.Options)
		})
}

// mayAsk refuses a client that has asked too much that nobody has answered.
func (t *Tools) mayAsk(ctx context.Context, c *call) error {
	open, err := t.opts.Runs.Broker().List(ctx, inquiry.Filter{Client: c.principal, Status: inquiry.Pending})
	if err != nil {
		return err
	}
	n := 0
	for _, q := range open {
		if q.Kind == inquiry.Inquiry && q.Client == c.principal {
			n++
		}
	}
	if n >= maxOpen {
		return runs.Refuse(tooManyQuestions, "wait for answers: list_pending_questions has them; ask for several things in one form", "%d inquiries are open (at most %d)", n, maxOpen)
	}
	return nil
}
