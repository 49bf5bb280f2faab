package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// Lines is a terminal at which a person types.
type Lines interface {
	// Ask shows the prompt and returns the line that is typed, without its end. A secret line is
	// not echoed. It returns when ctx ends, and io.EOF when nobody can type any more. One caller at
	// a time.
	Ask(ctx context.Context, prompt string, secret bool) (string, error)
}

// Dialogue asks the person at a terminal, one question at a time. It is safe for concurrent use.
type Dialogue struct {
	lines Lines
	words words
	busy  wait.Mutex // held while a question is on the terminal
}

// New makes a Dialogue in the language of the person: "zh", anything else is English.
func New(lines Lines, lang string) *Dialogue {
	return &Dialogue{lines: lines, words: wordsIn(lang), busy: wait.NewMutex()}
}

// closedError is why nothing more comes from the console: an io.EOF in words.
type closedError string

func (o closedError) Error() string { return string(o) }
func (o closedError) Unwrap() error { return io.EOF }

const (
	errEnded = closedError("the input at the terminal has ended")
	// the person at the console has said that there is no answer in time
	errSilence = closedError("no answer in time was given here, and the question stays open")
)

// Ask puts a question until it is settled, and returns nil then. It returns ctx's cause when ctx
// ends, and an io.EOF if the terminal is closed. The broker b takes the answers, and keeps resume
// with them. stop ends the run that asks.
func (d *Dialogue) Ask(
	ctx context.Context, b *inquiry.Broker, q inquiry.Question, resume json.RawMessage,
	stop func(),
) error {
	if err := d.busy.Lock(ctx); err != nil {
		return err
	}
	defer d.busy.Unlock()
	shown, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(d.words.closed(context.Cause(ctx))) })()
	prompt := d.words.prompt(q)
	var typed []string // the lines about the first of the question's parts
	for {
		line, err := d.lines.Ask(shown, prompt, q.Secret)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return errEnded
		case err != nil:
			return fmt.Errorf("asking at the terminal: %w", err)
		}
		switch said := strings.TrimSpace(line); {
		case said == "/stop":
			stop()
			return nil
		case said == "" && (q.Suggestion == nil || q.Secret):
			prompt = d.empty(ctx, b, &q)
			continue
		case said == "":
			line = q.Suggestion.Answer
		}
		r, err := q.Read(line)
		if err != nil {
			prompt = fmt.Sprintf("%v\n%s", err, d.words.ask(q))
			continue
		}
		if whole := q.Parts(); whole > 1 && len(r.Decisions) > 0 {
			if typed = append(typed, line); len(typed) < whole {
				prompt = fmt.Sprintf("%d. %s", len(typed)+1, d.words.ask(q))
				continue
			}
			r, _ = q.Read(typed...) // each line was read before
			typed = nil
		}
		if prompt, err = d.resolve(ctx, b, q, r, resume); prompt == "" {
			return err
		}
	}
}

// resolve settles the question. prompt is what is to be asked then, "" when nothing is.
func (d *Dialogue) resolve(
	ctx context.Context, b *inquiry.Broker, q inquiry.Question, r inquiry.Reply,
	resume json.RawMessage,
) (prompt string, err error) {
	at := channel.ManualReply.Answer("")
	r.Channel, r.Authority, r.Resume = at.Channel, at.Authority, resume
	var unfit *inquiry.InvalidReplyError
	res, err := b.Resolve(ctx, q.ID, r)
	switch {
	case errors.As(err, &unfit):
		return fmt.Sprintf("%v\n%s", unfit, d.words.ask(q)), nil
	case err != nil:
		return "", inquiry.UnlessLate(err)
	case !res.Question.Open(), res.Question.Deferred != nil: // which a model is asked then
		return "", nil
	case q.OnTimeout.Model() != "":
		return d.words.again, nil // until the model has answered
	}
	return "", errSilence
}

// empty is what is asked after an empty line: that there is a draft by now, or for an answer.
func (d *Dialogue) empty(ctx context.Context, b *inquiry.Broker, q *inquiry.Question) string {
	if now, err := b.Get(ctx, q.ID); err == nil && now.Suggestion != nil {
		q.Suggestion = now.Suggestion
		return d.words.suggestion(q.Suggestion) + d.words.again
	}
	return d.words.ask(*q)
}

// suggestion is a draft of the answer, which an empty line sends.
func (w words) suggestion(s *inquiry.Suggestion) string {
	return fmt.Sprintf(w.draft, text.Line(s.By), strings.ReplaceAll(text.Lines(s.Answer), "\n",
		"\n  "))
}

// words are what a console says, in one language.
type words struct {
	asks, answer, again, halted, answered string
	hands, handBack                       string // of a take-over
	// of an action that waits
	waits, under, because, screen, decide string
	draft                                 string // of the answer, by a model
}

// wordsIn are those of the language; English ones unless it is Chinese.
func wordsIn(lang string) words {
	if strings.HasPrefix(lang, "zh") {
		return words{
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
	return words{
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
func (w words) ask(q inquiry.Question) string {
	switch q.Kind {
	case inquiry.KindApproval:
		return w.decide
	case inquiry.KindTakeover:
		return w.handBack
	}
	return w.again
}

func (w words) prompt(q inquiry.Question) string {
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
func (w words) review(q inquiry.Question) string {
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

// closed is why a question is taken from the console, for the person there.
func (w words) closed(cause error) error {
	var settled *route.ElsewhereError
	switch {
	case errors.Is(cause, route.ErrHalted):
		return errors.New(w.halted)
	case errors.As(cause, &settled):
		return fmt.Errorf("%s (%s)", w.answered, settled.How)
	}
	return cause
}
