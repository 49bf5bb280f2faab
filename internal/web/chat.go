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

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
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
	Metadata struct {
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
	return c, c.readMarks()
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

	now  callResult
	step int  // the last one that was told
	late bool // the words answer a question that is settled
}

// callResult is what a turn needs of a result object.
type callResult struct {
	SessionID string      `json:"session_id"`
	RunID     string      `json:"run_id"`
	State     store.State `json:"state"`
	Reason    string      `json:"stop_reason"`
	Local     int         `json:"local_step_idx"`
	Global    int         `json:"global_step_idx"`
	Answer    string      `json:"answer"`
	Final     struct {
		Action struct {
			Value string `json:"value"`
		} `json:"agent_action"`
	} `json:"final_action"`
	Question *chatQuestion `json:"question"`
	Usage    struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
	Error *struct {
		Message string `json:"message"`
		Hint    string `json:"mend"`
	} `json:"error"`
}

func (n *callResult) going() bool { return n.Reason == "STILL_RUNNING" }

// callTool calls a tool and reads how things stand after it.
func (t *chatTurn) callTool(ctx context.Context, tool string, arguments map[string]any,
	progress func()) error {
	if t.now.SessionID != "" {
		arguments["session_id"] = t.now.SessionID
	}
	out, err := t.s.call(ctx, t.v, t.client, tool, arguments, progress)
	if err != nil {
		return err
	}
	var now callResult
	if err := json.Unmarshal(out.Body, &now); err != nil {
		return fmt.Errorf("reading the result of %s: %w", tool, err)
	}
	if out.Code == "" {
		t.now = now
		return nil
	}
	err = errors.New(out.Code)
	if now.Error != nil {
		err = hint.Add(errors.New(now.Error.Message), now.Error.Hint)
	}
	return &refusal{code: codeInTable(out.Code), name: out.Code, err: err}
}

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
		return t.callTool(ctx, startTool, t.keyed(t.onPhone(map[string]any{
			"task": t.conversation.words, "wait_seconds": 0})), nil)
	}
	x, err := t.s.opts.Sessions.Find(ctx, t.session, t.v.client())
	if err != nil {
		return err
	}
	t.client = x.Client
	t.now.SessionID = x.ID
	t.step = x.Steps
	for tries := 0; ; tries++ {
		err := t.steer(ctx)
		f, is := errors.AsType[*refusal](err)
		// it may have ended, or asked, between the look and the call
		raced := is && (f.name == "RUN_ENDED" || f.name == "RUN_IN_PROGRESS" ||
			f.name == "NO_OPEN_QUESTION" || f.name == "QUESTION_ALREADY_RESOLVED")
		if !raced || tries == 2 {
			return err
		}
	}
}

// steer passes the words on as the run stands.
func (t *chatTurn) steer(ctx context.Context) error {
	said := t.conversation.words
	if err := t.callTool(ctx, waitTool, map[string]any{"wait_seconds": 0}, nil); err != nil {
		return err
	}
	answered, err := t.answeredBefore(ctx)
	switch {
	case answered || err != nil:
		return err
	case t.answers(t.now.Question):
		answer := t.keyed(t.now.Question.answered(said))
		if t.key != "" {
			answer["reply_id"] = t.key
		}
		return t.callTool(ctx, continueTool, answer, nil)
	case t.question != "" && (t.now.Question == nil || t.now.Question.ID != t.question):
		t.late = true // the words were for a question that is settled
		return nil
	case t.now.Question != nil && (saidOnly(said, consents) || saidOnly(said, isDone)):
		return nil // what it is about was not seen, or is not theirs to settle: it is shown again
	case t.now.State.Terminal():
		return t.again(ctx, t.instruct, t.nextTask)
	case t.now.going():
		return t.again(ctx, t.nextTask, t.instruct)
	}
	paused := t.now.State == store.Paused
	err = t.instruct(ctx)
	if err == nil && paused {
		err = t.callTool(ctx, continueTool, map[string]any{"wait_seconds": 0}, nil)
	}
	return err
}

// answeredBefore reports whether the turn was sent before, under its key, and was an answer then.
func (t *chatTurn) answeredBefore(ctx context.Context) (bool, error) {
	if t.key == "" {
		return false, nil
	}
	list, err := t.s.opts.Questions.List(ctx, inquiry.Filter{SessionID: t.now.SessionID})
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
	return t.callTool(ctx, continueTool, t.keyed(t.onPhone(map[string]any{
		"task": t.conversation.words, "wait_seconds": 0})), nil)
}

// instruct tells the run, which is refused once that has ended.
func (t *chatTurn) instruct(ctx context.Context) error {
	return t.callTool(ctx, messageTool, t.keyed(map[string]any{"text": t.conversation.words,
		"mode": "instruction"}), nil)
}

func (t *chatTurn) keyed(arguments map[string]any) map[string]any {
	if t.key != "" {
		arguments["idempotency_key"] = t.key
	}
	return arguments
}

// onPhone names the phone, unless any will do.
func (t *chatTurn) onPhone(arguments map[string]any) map[string]any {
	if t.Model != "" && t.Model != anyPhone {
		arguments["device_id"] = t.Model
	}
	return arguments
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
	for t.now.going() {
		err := t.callTool(ctx, waitTool, map[string]any{"since_step": t.now.Global,
			"wait_seconds": maxWait.Seconds()}, progress)
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
	steps, err := t.s.opts.Sessions.Steps(ctx, t.now.SessionID, t.step)
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
