package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/usecase"
)

const (
	chatPath = "/v1/chat/completions"
	// anyPhone is the model that stands for the only usable phone.
	anyPhone        = "taploop"
	maxConversation = 4 << 20 // bytes of a conversation, which its client sends whole each time
	// a conversation that is not streamed is answered before OpenAI's clients give up
	patience = 9 * time.Minute
)

// conversation is a request in the form of OpenAI's chat completions.
// https://platform.openai.com/docs/api-reference/chat/create
type conversation struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Stream   bool          `json:"stream"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	// read leniently, by [conversation.programs]
	MaxTokens           json.RawMessage `json:"max_tokens"`
	MaxCompletionTokens json.RawMessage `json:"max_completion_tokens"`
	ResponseFormat      json.RawMessage `json:"response_format"`
	Metadata            struct {
		Session  string `json:"session_id"`
		Question string `json:"question_id"`
	} `json:"metadata"`

	words    string // of the user, now
	session  string // that it goes on with, or its id's beginning; "" begins one
	question string // that the user saw last, and the words are for; or ""
}

type chatMessage struct {
	Role    string   `json:"role"`
	Content chatText `json:"content"`
}

// chatText is a text, or a list of parts that are texts.
type chatText string

// UnmarshalJSON takes both; null is nothing.
func (c *chatText) UnmarshalJSON(b []byte) error {
	if b[0] != '[' {
		return json.Unmarshal(b, (*string)(c))
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	var texts []string
	for _, p := range parts {
		if p.Type != "text" {
			return fmt.Errorf("a part of a message is %q (want text: put what a picture shows "+
				"into words)", p.Type)
		}
		texts = append(texts, p.Text)
	}
	*c = chatText(strings.Join(texts, "\n"))
	return nil
}

// mark begins all that the assistant says. Clients send a conversation whole, so it tells which
// session one is about; in Markdown it is not shown.
const mark = "[//]: # (taploop %s)\n\n"

// questionMark ends what the assistant says when that is a question: an answer is for the question
// that was seen, also when it is sent again after another one was asked.
const questionMark = "\n\n[//]: # (taploop question %s)"

var (
	marked = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\[//\]: # \(taploop ([A-Za-z0-9_-]{4,200})\)`)
	})
	askedAtEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`\[//\]: # \(taploop question ([A-Za-z0-9_-]{4,200})\)\s*$`)
	})
)

var errNoMark = hint.Add(errors.New("it cannot be told which session this conversation is about: "+
	"the assistant's last message does not begin with the line that it had"),
	"send the assistant's messages back as they came, or metadata.session_id; or begin a new chat")

// readConversation reads the body. What the phone's agent has no use for, such as temperature or a
// system message, is left aside.
func readConversation(r *http.Request) (*conversation, error) {
	b, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	c := new(conversation)
	if !utf8.Valid(b) {
		return nil, badRequest("the body is not UTF-8")
	}
	if err := json.Unmarshal(b, c); err != nil {
		return nil, badRequest("the body is no chat completion request: %w", err)
	}
	n := len(c.Messages)
	if n == 0 || c.Messages[n-1].Role != "user" {
		return nil, badRequest("the last of the messages is to be the user's")
	}
	c.words = strings.TrimSpace(string(c.Messages[n-1].Content))
	if c.words == "" {
		return nil, badRequest("the user's last message is empty")
	}
	if err := c.readMarks(); err != nil {
		return nil, err
	}
	if why := c.programs(); why != "" {
		return nil, refuse("INVALID_ARGUMENT", hint.Add(fmt.Errorf(
			"this is no task of a person: %s", why), "switch off the chat program's own requests "+
			"to this model (titles, tags, follow-ups, completion), or give them another model"))
	}
	return c, nil
}

// readMarks finds which session the conversation is about, and which question was seen last.
func (c *conversation) readMarks() error {
	c.session, c.question = c.Metadata.Session, c.Metadata.Question
	for _, m := range slices.Backward(c.Messages) {
		if m.Role != "assistant" {
			continue
		}
		said := string(m.Content)
		if found := askedAtEnd().FindStringSubmatch(said); found != nil && c.question == "" {
			c.question = found[1]
		}
		found := marked().FindStringSubmatch(said)
		switch {
		case c.session != "":
		case found == nil:
			return refuse("INVALID_ARGUMENT", errNoMark)
		default:
			c.session = found[1]
		}
		break
	}
	return nil
}

// chat lets a conversation drive a phone: the first message of the user is a task, and each later
// one an answer, an instruction or the next task, as the run stands then.
func (s *Server) chat(w http.ResponseWriter, r *http.Request, v viewer) error {
	c, err := readConversation(r)
	if err != nil {
		return err
	}
	leave, err := s.takePlace(w, v)
	if err != nil {
		return err
	}
	defer leave()
	t := &chatTurn{s: s, v: v, conversation: c, client: v.owner(), words: wordsFor(c.words)}
	if t.key, err = keyOf(r); err != nil {
		return err
	}
	ctx, end := s.untilClosing(r.Context())
	defer end()
	if !c.Stream {
		ctx, cancel := context.WithTimeoutCause(ctx, patience, errPatience)
		defer cancel()
		return t.whole(ctx, w)
	}
	l := &listener{s: s, w: w, r: r, v: v, out: http.NewResponseController(w)}
	err = t.stream(ctx, l)
	if err != nil && l.begun && r.Context().Err() == nil {
		f := refusalOf(err)
		_ = l.send(data(openAIError(f))) // the status is sent already
		return nil
	}
	return l.broken(err)
}

var errPatience = errors.New("the run takes longer than a conversation waits that is not streamed")

// chatTurn is one turn of a conversation.
type chatTurn struct {
	*conversation
	s      *Server
	v      viewer
	client string // whom the session belongs to
	key    string
	words  *chatWords

	id   string      // of the session, once it has begun
	now  runs.Status // how it stands
	step int         // the last one that was told
	late bool        // the words answer a question that is settled
}

func going(st runs.Status) bool { return st.Reason == agentloop.StillRunning }

// do carries out a use case, and keeps how things stand after it.
func (t *chatTurn) do(ctx context.Context, do useCase, progress func()) error {
	q := request{line: "POST " + chatPath, body: map[string]any{}, client: t.client}
	out, err := t.s.call(ctx, t.v, q, do, progress)
	if no, is := errors.AsType[*refused](err); is {
		f := no.body.Error
		return &refusal{code: codeInTable(f.Code), name: f.Code, err: hint.Add(no.err, f.Hint)}
	}
	if err == nil {
		t.now, t.id = out.Status, out.Status.Session.ID
	}
	return err
}

// once is how long a call waits that returns as soon as what it does is stored.
func once() *float64 { return new(0.0) }

// codeInTable is a code with the status of this one. What is not in the table says how things
// stand now.
func codeInTable(code string) string {
	if _, known := codes[code]; known {
		return code
	}
	return "CONFLICT"
}

// begin does what the user's words are for, and returns as soon as that is stored.
func (t *chatTurn) begin(ctx context.Context) error {
	if t.session == "" {
		return t.do(ctx, func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
			return t.s.opts.Tasks.Start(ctx, c, usecase.Start{Task: t.conversation.words,
				Key: t.key, Reset: true, Running: t.onPhone()})
		}, nil)
	}
	x, err := t.s.opts.Sessions.Find(ctx, t.session, t.v.client())
	if err != nil {
		return err
	}
	t.client, t.id, t.step = x.Client, x.ID, x.Steps
	for tries := 0; ; tries++ {
		err := t.steer(ctx)
		// it may have ended, or asked, between the look and the call
		raced := slices.Contains([]runs.Code{runs.RunEnded, runs.RunInProgress,
			runs.NoOpenQuestion, runs.QuestionAlreadyResolved}, runs.CodeOf(err))
		if !raced || tries == 2 {
			return err
		}
	}
}

// steer passes the words on as the run stands.
func (t *chatTurn) steer(ctx context.Context) error {
	said := t.conversation.words
	if err := t.do(ctx, t.s.look(t.id), nil); err != nil {
		return err
	}
	answered, err := t.answeredBefore(ctx)
	q := t.now.Question
	switch {
	case answered || err != nil:
		return err
	case t.answers(q):
		a := usecase.Continue{Reply: answerTo(q, said), Key: t.key}
		a.ReplyID = t.key
		return t.goOn(ctx, a)
	case t.question != "" && (q == nil || q.ID != t.question):
		t.late = true // the words were for a question that is settled
		return nil
	case q != nil && inquiry.Settles(said):
		return nil // what it is about was not seen, or is not theirs to settle: it is shown again
	case t.now.Run.State.Terminal():
		return t.again(ctx, t.instruct, t.nextTask)
	case going(t.now):
		return t.again(ctx, t.nextTask, t.instruct)
	}
	paused := t.now.Run.State == store.Paused
	err = t.instruct(ctx)
	if err == nil && paused {
		err = t.goOn(ctx, usecase.Continue{})
	}
	return err
}

// goOn goes on with the session.
func (t *chatTurn) goOn(ctx context.Context, a usecase.Continue) error {
	a.SessionID, a.Seconds = t.id, once()
	return t.do(ctx, func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
		return t.s.opts.Tasks.Continue(ctx, c, a)
	}, nil)
}

// answeredBefore reports whether the turn was sent before, under its key, and was an answer then.
func (t *chatTurn) answeredBefore(ctx context.Context) (bool, error) {
	if t.key == "" {
		return false, nil
	}
	list, err := t.s.opts.Questions.List(ctx, inquiry.Filter{SessionID: t.id})
	return slices.ContainsFunc(list, func(q inquiry.Question) bool {
		return q.Resolution != nil && q.Resolution.ReplyID == t.key
	}), err
}

// again passes the words on as now does. What is sent again under its key may have come when the
// words were for something else: before is refused, unless that is so.
func (t *chatTurn) again(ctx context.Context, before, now func(context.Context) error) error {
	if t.key != "" {
		err := before(ctx)
		if _, refused := errors.AsType[*refusal](err); !refused {
			return err
		}
	}
	return now(ctx)
}

// nextTask begins a task, which is refused while one goes on.
func (t *chatTurn) nextTask(ctx context.Context) error {
	return t.goOn(ctx, usecase.Continue{Task: t.conversation.words, Key: t.key,
		Running: t.onPhone()})
}

// instruct tells the run, which is refused once that has ended.
func (t *chatTurn) instruct(ctx context.Context) error {
	return t.do(ctx, func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
		return t.s.opts.Tasks.Message(ctx, c, usecase.Message{SessionID: t.id,
			Text: t.conversation.words, Mode: agentloop.AsInstruction, Key: t.key})
	}, nil)
}

// onPhone names the phone, unless any will do.
func (t *chatTurn) onPhone() usecase.Running {
	on := usecase.Running{Seconds: once()}
	if t.Model != "" && t.Model != anyPhone {
		on.Device = t.Model
	}
	return on
}

// follow waits until the run asks something, rests or has ended. told gets its steps, each in a
// line, and "" now and then.
func (t *chatTurn) follow(ctx context.Context, told func(line string) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	progress := func() {
		if err := t.reportSteps(ctx, told); err != nil {
			end(err)
		}
	}
	for going(t.now) {
		a := usecase.Wait{SessionID: t.id, Since: t.now.Session.Steps,
			Seconds: new(maxWait.Seconds())}
		err := t.do(ctx, func(ctx context.Context, c *usecase.Call) (*usecase.Outcome, error) {
			return t.s.opts.Tasks.Wait(ctx, c, a)
		}, progress)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return err
		}
	}
	return t.reportSteps(ctx, told)
}

// reportSteps tells the steps that were not told.
func (t *chatTurn) reportSteps(ctx context.Context, told func(line string) error) error {
	steps, err := t.s.opts.Sessions.Steps(ctx, t.id, t.step)
	if err != nil {
		return err
	}
	for _, st := range steps {
		if st.State == store.Intent { // it is being done
			break
		}
		t.step = st.Index
		if err := told(stepLine(st)); err != nil {
			return err
		}
	}
	if len(steps) == 0 {
		return told("")
	}
	return nil
}

// stepLine is a step in a line.
func stepLine(st store.StepRecord) string {
	return fmt.Sprintf("%d. %s\n", st.Index, export.Headline(st.Proposal))
}
