package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// Console is where a person sits.
type Console interface {
	// Ask shows the prompt and returns the line that is typed, without its end. A secret line is
	// not echoed. It returns when ctx ends, and io.EOF when nobody can type any more. One caller at
	// a time.
	Ask(ctx context.Context, prompt string, secret bool) (string, error)
}

// consoleChannel is the channel at which the person at the console is asked, one question at a
// time.
type consoleChannel struct {
	console Console
	broker  *inquiry.Broker
	words   consoleWords
	busy    wait.Mutex               // held while a question is on the console
	stop    func(q inquiry.Question) // ends the run that asks
}

// AskHere puts an open question to the person at the console, whatever its reply mode says and
// whoever else is asked. With the answer the run goes on as r says; nil lets it go on with the
// steps that it has. It returns nil once the question is settled, here or elsewhere. io.EOF means
// that there is no answer to be had here: then nothing has changed.
func (m *Manager) AskHere(ctx context.Context, q inquiry.Question, r *ContinueRequest) error {
	c, is := m.askers[string(channel.ManualReply)].(*consoleChannel)
	if !is {
		return fmt.Errorf("there is no console: %w", io.EOF)
	}
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.spawn(func() { // ends with the question or with asking
		if settled, err := m.broker.Wait(asking, q.ID); err == nil {
			cancel(settledAs(settled))
		}
	})
	var how json.RawMessage
	if r != nil {
		how = encode(r.resumption())
	}
	err := c.ask(asking, q, how)
	if _, settled := errors.AsType[*settledError](err); settled {
		return nil
	}
	return err
}

// Ask implements route.Asker. It asks until there is an answer; io.EOF means that the console is
// closed.
func (c *consoleChannel) Ask(ctx context.Context, q inquiry.Question) error {
	return c.ask(ctx, q, nil)
}

// consoleClosed is why nothing more comes from the console: an io.EOF in words.
type consoleClosed string

func (o consoleClosed) Error() string { return string(o) }
func (o consoleClosed) Unwrap() error { return io.EOF }

const (
	errEnded = consoleClosed("the input at the terminal has ended")
	// the person at the console has said that there is no answer in time
	errSilence = consoleClosed("no answer in time was given here, and the question stays open")
)

// oneWordReplies are the replies of one word.
var oneWordReplies = map[string]inquiry.Type{"/refuse": inquiry.TypeDecline,
	"/timeout": inquiry.TypeTimeout, "/delegate": inquiry.TypeDelegate}

// ask is Ask with how the run goes on with the answer; nil is as it did.
func (c *consoleChannel) ask(ctx context.Context, q inquiry.Question, how json.RawMessage) error {
	if err := c.busy.Lock(ctx); err != nil {
		return err
	}
	defer c.busy.Unlock()
	shown, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(c.words.closed(context.Cause(ctx))) })()
	prompt := c.words.prompt(q)
	var decisions []inquiry.Decision // so far
	for {
		line, err := c.console.Ask(shown, prompt, q.Secret)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return errEnded
		case err != nil:
			return fmt.Errorf("asking at the console: %w", err)
		}
		if err := wrongKind(line, q); err != nil {
			prompt = fmt.Sprintf("%v\n%s", err, c.words.ask(q))
			continue
		}
		switch typed := strings.TrimSpace(line); {
		case typed == "/stop":
			c.stop(q)
			return nil
		case typed == "" && (q.Suggestion == nil || q.Secret):
			prompt = c.empty(ctx, &q)
			continue
		}
		r := replyIn(line, q)
		r.Resume = how
		if q.Kind == inquiry.KindApproval && r.Type == inquiry.TypeAnswer {
			if decisions, prompt = c.decide(line, q, decisions); prompt != "" {
				continue
			}
			r.Type, r.Response = inquiry.TypeDecisions, ""
			r.Decisions, decisions = decisions, nil
		}
		if prompt, err = c.resolve(ctx, q, r); prompt == "" {
			return err
		}
	}
}

// decide adds the decision in the line to those so far. prompt asks for it again, or for the next
// one; "" says that there is one of each action.
func (c *consoleChannel) decide(
	line string, q inquiry.Question, soFar []inquiry.Decision,
) (all []inquiry.Decision, prompt string) {
	d, err := decisionIn(line)
	if err != nil {
		return soFar, fmt.Sprintf("%v\n%s", err, c.words.decide)
	}
	if all = append(soFar, d); len(all) < len(inquiry.As[inquiry.Approval](q).ActionRequests) {
		prompt = fmt.Sprintf("%d. %s", len(all)+1, c.words.decide)
	}
	return all, prompt
}

// replyIn is the reply that the line makes, decisions aside.
func replyIn(line string, q inquiry.Question) inquiry.Reply {
	r := channel.ManualReply.Answer(chosenOption(line, inquiry.As[inquiry.Ask](q).Options))
	line = strings.TrimSpace(line)
	verb, rest, _ := strings.Cut(line, " ")
	switch typ := oneWordReplies[line]; {
	case typ != "":
		r.Type, r.Response = typ, ""
	case line == "" && q.Suggestion != nil:
		r.Response = q.Suggestion.Answer
	case verb == "/remember" && rest != "":
		scope, words, _ := strings.Cut(strings.TrimSpace(rest), " ")
		r.Remember, r.Response = inquiry.Scope(scope), chosenOption(words, inquiry.As[inquiry.Ask](q).Options)
	case verb == "/done" && q.Kind == inquiry.KindTakeover:
		r.Type, r.Response = inquiry.TypeDone, rest
	case verb == "/cannot" && q.Kind == inquiry.KindTakeover:
		r.Type, r.Response = inquiry.TypeCouldNot, rest
	}
	return r
}

// resolve settles the question. prompt is what is to be asked then, "" when nothing is.
func (c *consoleChannel) resolve(
	ctx context.Context, q inquiry.Question, r inquiry.Reply,
) (prompt string, err error) {
	var unfit *inquiry.InvalidReplyError
	res, err := c.broker.Resolve(ctx, q.ID, r)
	switch {
	case errors.As(err, &unfit):
		return fmt.Sprintf("%v\n%s", unfit, c.words.ask(q)), nil
	case err != nil:
		return "", inquiry.UnlessLate(err)
	case !res.Question.Open(), res.Question.Deferred != nil: // which a model is asked then
		return "", nil
	case q.OnTimeout.Model() != "":
		return c.words.again, nil // until the model has answered
	}
	return "", errSilence
}

// commandKinds are the commands that one kind of question alone takes.
var commandKinds = map[string]inquiry.Kind{"/approve": inquiry.KindApproval, "/edit": inquiry.KindApproval,
	"/reject": inquiry.KindApproval, "/respond": inquiry.KindApproval,
	"/done": inquiry.KindTakeover, "/cannot": inquiry.KindTakeover}

// wrongKind says why the line is no answer to the question: it is a command for one of another
// kind.
func wrongKind(line string, q inquiry.Question) error {
	verb, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if kind := commandKinds[verb]; kind == "" || kind == q.Kind || q.Secret {
		return nil
	}
	return fmt.Errorf("%s is for another kind of question", verb)
}

// empty is what is asked after an empty line: that there is a draft by now, or for an answer.
func (c *consoleChannel) empty(ctx context.Context, q *inquiry.Question) string {
	if now, err := c.broker.Get(ctx, q.ID); err == nil && now.Suggestion != nil {
		q.Suggestion = now.Suggestion
		return c.words.suggestion(q.Suggestion) + c.words.again
	}
	return c.words.ask(*q)
}

// suggestion is a draft of the answer, which an empty line sends.
func (w consoleWords) suggestion(s *inquiry.Suggestion) string {
	return fmt.Sprintf(w.draft, text.Line(s.By), strings.ReplaceAll(text.Lines(s.Answer), "\n",
		"\n  "))
}

// consoleWords are what a console says, in one language.
type consoleWords struct {
	asks, answer, again, halted, answered string
	hands, handBack                       string // of a take-over
	// of an action that waits
	waits, under, because, screen, decide string
	draft                                 string // of the answer, by a model
}

// wordsOfConsole are those of the language; English ones unless it is Chinese.
func wordsOfConsole(lang string) consoleWords {
	if strings.HasPrefix(lang, "zh") {
		return consoleWords{
			asks:     "手机助手提问：",
			answer:   "请回答（/refuse 不回答，/delegate 由助手决定，/timeout 超时，/stop 停止）：",
			again:    "请输入回答：",
			halted:   "任务已停止或暂停",
			answered: "问题已在别处得到回答",
			hands:    "请在手机上亲自完成：",
			handBack: "完成后输入 /done，没能完成输入 /cannot 原因（/stop：停止任务）：",
			waits:    "执行之前需要你的决定：",
			under:    "手指所在的元素：",
			because:  "询问原因：",
			screen:   "屏幕截图（标出位置）：",
			decide: "请决定（/approve 同意，/edit {\"name\":...,\"args\":...} 修改，/reject 原因 拒绝，" +
				"/respond 答复，/stop 停止任务）：",
			draft: "模型 %s 拟的回答（直接按回车即发送）：\n  %s\n",
		}
	}
	return consoleWords{
		asks:     "The agent asks:",
		answer:   "Answer (/refuse, /delegate to the agent, /timeout, /stop the task): ",
		again:    "Please type an answer: ",
		halted:   "the run was stopped or paused",
		answered: "the question was answered elsewhere",
		hands:    "Please do this on the phone by hand:",
		handBack: "Then type /done, or /cannot and why (/stop: end the task): ",
		waits:    "Before this is done, you decide:",
		under:    "Under the finger:",
		because:  "Asked because:",
		screen:   "The screen, with the place marked:",
		decide: "Decide (/approve, /edit {\"name\":...,\"args\":...}, /reject WHY, " +
			"/respond ANSWER, /stop: end the task): ",
		draft: "Draft of the model %s (Enter sends it):\n  %s\n",
	}
}

// ask asks for what the question takes.
func (w consoleWords) ask(q inquiry.Question) string {
	switch q.Kind {
	case inquiry.KindApproval:
		return w.decide
	case inquiry.KindTakeover:
		return w.handBack
	}
	return w.again
}

func (w consoleWords) prompt(q inquiry.Question) string {
	if q.Kind == inquiry.KindApproval {
		return w.review(q)
	}
	asks, answer := w.asks, w.answer
	if q.Kind == inquiry.KindTakeover {
		asks, answer = w.hands, w.handBack
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n  %s\n", asks,
		strings.ReplaceAll(text.Lines(q.Text), "\n", "\n  "))
	for i, o := range inquiry.As[inquiry.Ask](q).Options {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, text.Line(o))
	}
	if q.Suggestion != nil {
		b.WriteString(w.suggestion(q.Suggestion))
	}
	b.WriteString(answer)
	return b.String()
}

// review is the prompt about actions that wait for a decision.
func (w consoleWords) review(q inquiry.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n  %s\n", w.waits,
		strings.ReplaceAll(text.Lines(q.Text), "\n", "\n  "))
	for i, r := range inquiry.As[inquiry.Approval](q).ActionRequests {
		what := r.Edited()
		if r.Description != "" {
			what = fmt.Sprintf("%s (%s)", text.Line(r.Description), what)
		}
		fmt.Fprintf(&b, "  %d. %s\n", i+1, what)
	}
	for _, line := range [][2]string{{w.under, inquiry.As[inquiry.Approval](q).Element}, {w.because, inquiry.As[inquiry.Approval](q).Reason}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "  %s %s\n", line[0], text.Line(line[1]))
		}
	}
	if q.Frame != "" {
		fmt.Fprintf(&b, "  %s taploop inquiries %.8s --picture FILE.jpg\n", w.screen, q.ID)
	}
	b.WriteString(w.decide)
	return b.String()
}

// decisionIn is the decision in a line that was typed.
func decisionIn(line string) (d inquiry.Decision, err error) {
	verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	d.Type = strings.TrimPrefix(verb, "/")
	switch {
	case !slices.Contains(inquiry.DecisionTypes, d.Type) || verb == d.Type:
		return d, fmt.Errorf("%s is no decision (want one of /%s)", text.Quote(verb, 40),
			strings.Join(inquiry.DecisionTypes, ", /"))
	case d.Type == inquiry.Edit:
		d.EditedAction, err = inquiry.ParseEdit(rest)
	default:
		d.Message = strings.TrimSpace(rest)
	}
	return d, err
}

// closed is why a question is taken from the console, for the person there.
func (w consoleWords) closed(cause error) error {
	var settled *settledError
	switch {
	case errors.Is(cause, errHalted):
		return errors.New(w.halted)
	case errors.As(cause, &settled):
		return fmt.Errorf("%s (%s)", w.answered, settled.how)
	}
	return cause
}

// chosenOption is the option whose number was typed, else the line.
func chosenOption(line string, options []string) string {
	if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n >= 1 && n <= len(options) {
		return options[n-1]
	}
	return line
}
