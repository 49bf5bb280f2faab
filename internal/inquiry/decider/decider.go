package decider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// completer asks a model; model.Client is one.
type completer interface {
	Complete(ctx context.Context, r model.Request) (model.Response, error)
}

// Options of a Decider. Model has to be there.
type Options struct {
	Model     completer
	Name      string // of the model, for people
	Lang      string // of the prompt, "en" or "zh"; "" means "en"
	NoPicture bool   // the model gets the screen in words only

	PromptPrice, ReplyPrice float64 // of a million tokens that are sent, and that come back
}

// Case is a question with what there is to decide it by. All but the Question may be missing.
type Case struct {
	Question inquiry.Question
	Steps    []string      // what was done, a line each, oldest first; the last ones are shown
	Notes    []string      // that the agent made for itself, and its own account of what was done
	Earlier  []string      // questions with their answers, a line each, oldest first
	Frame    *screen.Frame // the screen that the question is about
	Caption  string        // that screen in words
}

// Verdict is what a model has decided, and what that has cost.
type Verdict struct {
	Answer           string // fit for a reply: of a form its values as one JSON object
	PromptTokens     int
	CompletionTokens int
	Took             time.Duration
	Cost             float64 // by the prices of Options
}

// UndecidedError says that the model leaves the decision to others. Why is in its words.
type UndecidedError struct{ Why string }

func (e *UndecidedError) Error() string {
	return "cannot decide: " + text.Cut(text.Line(e.Why), 300)
}

// Decider asks one model. Any number of goroutines may use it.
type Decider struct {
	opts Options
}

const (
	longSide    = 1280 // of the picture, in pixels
	quality     = 85
	replyTokens = 1024
	draftTokens = 8192 // where the answer is a whole document
)

// New makes a Decider.
func New(opts *Options) (*Decider, error) {
	if _, ok := words.Find(cmp.Or(opts.Lang, words.Default)); !ok && opts.Lang != words.Auto {
		return nil, hint.Add(fmt.Errorf("decisions in language %q", opts.Lang), "choose en or zh")
	}
	return &Decider{*opts}, nil
}

// Name is the model's, for people.
func (d *Decider) Name() string { return d.opts.Name }

// Decide asks the model. It asks nothing about a question that is not for models, which is that
// error of inquiry.Question.ForModels; a model that leaves the decision to others is an
// *UndecidedError. What the call has cost is in the Verdict along with an error, too.
func (d *Decider) Decide(ctx context.Context, c *Case) (v Verdict, err error) {
	q := &c.Question
	if err := q.ForModels(); err != nil {
		return v, err
	}
	var parts []model.Part
	shown := *c
	if d.opts.NoPicture {
		shown.Frame = nil
	}
	if shown.Frame != nil {
		jpeg, err := shown.Frame.Within(longSide).JPEG(quality)
		if err != nil {
			return v, err
		}
		parts = append(parts, model.Part{JPEG: jpeg})
	}
	rules, data := promptsIn(words.For(d.opts.Lang, q.Task+q.Text)).prompt(&shown)
	heat, tokens := 0.0, replyTokens
	if inquiry.As[inquiry.Ask](*q).Draft != "" {
		tokens = draftTokens
	}
	began := time.Now()
	resp, err := d.opts.Model.Complete(ctx, model.Request{
		Messages: []model.Message{{Role: "system", Parts: []model.Part{{Text: rules}}},
			{Role: "user", Parts: append(parts, model.Part{Text: data})}},
		MaxTokens: tokens, Temperature: &heat,
	})
	v = Verdict{PromptTokens: resp.Usage.PromptTokens,
		CompletionTokens: resp.Usage.CompletionTokens, Took: time.Since(began)}
	v.Cost = (d.opts.PromptPrice*float64(v.PromptTokens) +
		d.opts.ReplyPrice*float64(v.CompletionTokens)) / 1e6
	if err != nil {
		return v, fmt.Errorf("asking the model %s: %w", d.opts.Name, err)
	}
	if resp.Truncated() {
		return v, fmt.Errorf("the reply of the model %s was cut off after %d tokens", d.opts.Name,
			tokens)
	}
	v.Answer, err = parse(q, resp.Text)
	if _, undecided := errors.AsType[*UndecidedError](err); err != nil && !undecided {
		err = fmt.Errorf("the reply of the model %s is no decision: %w (%s)", d.opts.Name, err,
			text.Quote(text.Line(resp.Text), 120))
	}
	return v, err
}

// afterThought is what a model writes behind its thoughts, without the fence around it.
func afterThought(reply string) string {
	const thought, fence = "</think>", "```"
	if i := strings.LastIndex(strings.ToLower(reply), thought); i >= 0 {
		reply = reply[i+len(thought):]
	}
	reply = strings.TrimSpace(reply)
	inner, ok := strings.CutPrefix(reply, fence)
	if !ok {
		return reply
	}
	if inner, ok = strings.CutSuffix(inner, fence); !ok {
		return reply
	}
	return strings.TrimSpace(strings.TrimPrefix(inner, "json"))
}

// parse reads a reply: one JSON object with one of the keys, and nothing else.
func parse(q *inquiry.Question, reply string) (answer string, err error) {
	keys, value, err := onlyKey(afterThought(reply))
	if err != nil {
		return "", err
	}
	if len(inquiry.As[inquiry.Form](*q).Fields) > 0 && keys == "values" {
		if !strings.HasPrefix(string(value), "{") {
			return "", errors.New("values is no object")
		}
		return string(value), nil
	}
	var said string
	if err := json.Unmarshal(value, &said); err != nil || string(value) == "null" {
		return "", fmt.Errorf("%s is no text", keys)
	}
	switch {
	case keys == "cannot_decide":
		return "", &UndecidedError{said}
	case len(inquiry.As[inquiry.Form](*q).Fields) > 0:
		return "", fmt.Errorf("%s does not answer a form", keys)
	case strings.TrimSpace(said) == "":
		return "", fmt.Errorf("%s is empty", keys)
	case keys == "choice":
		for _, o := range inquiry.As[inquiry.Ask](*q).Options {
			if strings.TrimSpace(o) == strings.TrimSpace(said) {
				return o, nil
			}
		}
		return "", fmt.Errorf("%q is none of the choices", said)
	case len(inquiry.As[inquiry.Ask](*q).Options) > 0 && !inquiry.As[inquiry.Ask](*q).FreeText:
		return "", errors.New("a text does not answer a question with choices only")
	}
	return said, nil
}

// onlyKey is the one key of an object, and its value.
func onlyKey(object string) (key string, value json.RawMessage, err error) {
	d := json.NewDecoder(strings.NewReader(object))
	first, err := d.Token()
	if err != nil || first != json.Delim('{') {
		return "", nil, errors.New("it is no JSON object")
	}
	token, err := d.Token()
	key, is := token.(string)
	switch {
	case err != nil || !is:
		return "", nil, errors.New("the object says nothing")
	case key != "choice" && key != "text" && key != "values" && key != "cannot_decide":
		return "", nil, fmt.Errorf("unknown key %s", text.Quote(key, 40))
	}
	if err := d.Decode(&value); err != nil {
		return "", nil, fmt.Errorf("the value of %s is no JSON", key)
	}
	if end, err := d.Token(); err != nil || end != json.Delim('}') {
		return "", nil, errors.New("there is more than one key")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "", nil, errors.New("there is more than the object")
	}
	return key, value, nil
}

// prompts are the texts for the model, in a language.
type prompts struct {
	Role, Data, Judge, Never, Reply           string
	Choice, Text, Values, Document, Undecided string // the forms of a reply
	Seen, Unseen, Told                        string // of the screen
	Silence                                   string // of a person who did not answer
}

var promptsIn = words.Of[prompts]("decider")

// data is what the model is shown, as one JSON object: text cannot leave its quotes.
type data struct {
	Task     string          `json:"task,omitempty"`
	About    string          `json:"about,omitempty"`
	Steps    []string        `json:"steps,omitempty"`
	Notes    []string        `json:"notes,omitempty"`
	Earlier  []string        `json:"earlier_answers,omitempty"`
	Screen   string          `json:"screen_in_words,omitempty"`
	Person   string          `json:"person,omitempty"`
	Question string          `json:"question"`
	Choices  []string        `json:"choices,omitempty"`
	Form     json.RawMessage `json:"form,omitempty"`
	Document string          `json:"document,omitempty"`
}

// How much of what comes before the question is shown: lines, and characters of each.
const (
	maxSteps, maxNotes   = 20, 10
	maxEarlier           = 8
	lineChars, noteChars = 200, 400
	longChars            = 4000  // of a task, a question, a caption
	documentChars        = 20000 // of a document to edit
)

// prompt is the rules, which are ours alone, and the data, which is others'.
func (w *prompts) prompt(c *Case) (rules, shown string) {
	q := &c.Question
	how := []string{w.Undecided}
	switch {
	case len(inquiry.As[inquiry.Form](*q).Fields) > 0:
		how = append(how, w.Values)
	case inquiry.As[inquiry.Ask](*q).Draft != "":
		how = append(how, w.Document)
	case len(inquiry.As[inquiry.Ask](*q).Options) > 0 && !inquiry.As[inquiry.Ask](*q).FreeText:
		how = append(how, w.Choice)
	case len(inquiry.As[inquiry.Ask](*q).Options) > 0:
		how = append(how, w.Choice, w.Text)
	default:
		how = append(how, w.Text)
	}
	seen := w.Unseen
	switch {
	case c.Frame != nil:
		seen = w.Seen
	case c.Caption != "":
		seen = w.Told
	}
	rules = strings.Join(append([]string{w.Role, w.Data, seen, w.Judge, w.Never, w.Reply}, how...),
		"\n")
	d := data{
		Steps: tail(c.Steps, maxSteps, lineChars), Notes: tail(c.Notes, maxNotes, noteChars),
		Earlier: tail(c.Earlier, maxEarlier, lineChars), Screen: text.Cut(c.Caption, longChars),
		Question: text.Cut(q.Text, longChars), Choices: inquiry.As[inquiry.Ask](*q).Options,
		Document: text.Cut(inquiry.As[inquiry.Ask](*q).Draft, documentChars),
	}
	if q.Kind == inquiry.KindInquiry {
		d.About = text.Cut(q.Task, longChars)
	} else {
		d.Task = text.Cut(q.Task, longChars)
	}
	if len(inquiry.As[inquiry.Form](*q).Fields) > 0 {
		d.Form = inquiry.Schema(inquiry.As[inquiry.Form](*q).Fields)
	}
	if p := q.Deferred; p != nil {
		d.Person = w.Silence
		if said := p.Response.String(); said != "" {
			d.Person += ": " + text.Cut(said, noteChars)
		}
	}
	b, _ := text.Marshal(d) // it is texts only
	return rules, string(b)
}

// tail is the last lines, each cut and on one line.
func tail(lines []string, most, chars int) []string {
	return text.Each(lines[max(len(lines)-most, 0):], func(l string) string {
		return text.Cut(text.Line(l), chars)
	})
}
