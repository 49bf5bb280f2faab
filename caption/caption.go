package caption

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/words"
)

// Completer asks a model. model.Client is one.
type Completer interface {
	Complete(ctx context.Context, r model.Request) (model.Response, error)
}

// Options has a working zero value.
type Options struct {
	Lang string // of prompts and answers, "en" or "zh". "" means "en"
}

const (
	describeTokens = 256
	replyTokens    = 1024
	temperature    = 0.5
	longSide       = 1280 // pictures are made to fit into this many pixels
	quality        = 85   // of their JPEG
)

// Captioner describes screens and answers questions. Any number of goroutines may use it.
type Captioner struct {
	model Completer
	lang  string // auto for that of each task
}

// New returns a captioner that asks m. opts may be nil.
func New(m Completer, opts *Options) (*Captioner, error) {
	lang := cmp.Or(cmp.Or(opts, &Options{}).Lang, words.Default)
	if _, ok := words.Find(lang); !ok && lang != words.Auto {
		return nil, hint.Add(fmt.Errorf("captions in language %q", lang), "choose en or zh")
	}
	return &Captioner{model: m, lang: lang}, nil
}

// Describe says in words what of the frame matters for the task.
func (c *Captioner) Describe(ctx context.Context, task string, f *screen.Frame) (string, error) {
	if f == nil {
		return "", errors.New("describing a screen that is off: there is no picture")
	}
	text, cut, err := c.ask(ctx, f, promptsIn(words.For(c.lang, task)).describe(task),
		describeTokens)
	if err != nil {
		return "", fmt.Errorf("describing the screen: %w", err)
	}
	if cut { // half a description is better than none, and says that it is half
		text += "…"
	}
	return text, nil
}

// Reply answers a question of the agent as its user would: from the task, the options when there
// are any, and the frame, which may be nil.
func (c *Captioner) Reply(
	ctx context.Context, task, question string, options []string, f *screen.Frame,
) (string, error) {
	if strings.TrimSpace(question) == "" {
		return "", errors.New("answering a question that is empty")
	}
	p := promptsIn(words.For(c.lang, task)).reply(task, question, options)
	text, cut, err := c.ask(ctx, f, p, replyTokens)
	if err == nil && cut { // its end may say the contrary
		err = hint.Add(fmt.Errorf("the model's answer was cut off after %d tokens", replyTokens),
			"answer with a model that keeps to a sentence or two")
	}
	if err != nil {
		return "", fmt.Errorf("answering in the user's place: %w", err)
	}
	return text, nil
}

// ask puts the picture first and the text after it, and takes what follows the model's thoughts.
// cut says that the model was stopped before the end.
func (c *Captioner) ask(
	ctx context.Context, f *screen.Frame, text string, tokens int,
) (answer string, cut bool, err error) {
	var parts []model.Part
	if f != nil {
		jpeg, err := f.Within(longSide).JPEG(quality)
		if err != nil {
			return "", false, err
		}
		parts = append(parts, model.Part{JPEG: jpeg})
	}
	heat := temperature
	resp, err := c.model.Complete(ctx, model.Request{
		Messages:    []model.Message{{Role: "user", Parts: append(parts, model.Part{Text: text})}},
		MaxTokens:   tokens,
		Temperature: &heat,
	})
	if err != nil {
		return "", false, err
	}
	answer, err = answerText(&resp, tokens)
	return answer, resp.Truncated(), err
}

var (
	thinkEnd   = regexp.MustCompile(`(?i)<\s*/\s*think\s*>`)
	thinkBegin = regexp.MustCompile(`(?i)<\s*think\s*>`)
)

// answerText is the text after the last closing think tag. A thought that never ends is no answer,
// nor is silence.
func answerText(r *model.Response, tokens int) (string, error) {
	text := r.Text
	if ends := thinkEnd.FindAllStringIndex(text, -1); ends != nil {
		text = text[ends[len(ends)-1][1]:]
	}
	if begin := thinkBegin.FindStringIndex(text); begin != nil {
		text = text[:begin[0]]
	}
	if text = strings.TrimSpace(text); text != "" {
		return text, nil
	}
	if r.Truncated() {
		return "", hint.Add(
			fmt.Errorf("the model used its %d tokens up before it said anything", tokens),
			"switch the model's thinking off, or caption with a model that does not think",
		)
	}
	return "", hint.Add(errors.New("the model said nothing"),
		"set caption.name to a model that takes pictures; "+
			"`taploop config show` has the present one")
}
