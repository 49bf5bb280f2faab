package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// judgeTexts are what the model reads that judges a claim.
type judgeTexts struct{ Role, Data, Reply, Claim, Unseen string }

var judgeIn = words.Of[judgeTexts]("judge")

// Judge asks a model whether claims about screens are true. Anything but a yes is a no.
type Judge struct {
	model *model.Client
	lang  string // auto for that of each claim
}

// Ask asks about a claim. The screen's frame is nil where it shows none. why is in the model's
// words, and used what the reply took. The error is one of reaching the model, or a
// *model.Divergence: a verdict is replayed on its own screen only.
func (j *Judge) Ask(ctx context.Context, claim string, look screen.Observation) (
	yes bool, why string, used store.Usage, err error) {
	words := judgeIn(words.For(j.lang, claim))
	asked := []model.Part{{Text: fmt.Sprintf(words.Claim, text.Quote(claim, 4000))}}
	var sight func() (model.Sight, error)
	if look.Frame == nil {
		asked = append(asked, model.Part{Text: words.Unseen})
	} else {
		sight = policy.Sight(0, claim, look)
	}
	rules := strings.Join([]string{words.Role, words.Data, words.Reply}, "\n\n")
	resp, err := askAbout(ctx, j.model, look.Frame, sight, rules, asked...)
	if err != nil {
		return false, "", used, err
	}
	yes, why = verdict(resp.Text)
	return yes, why, store.Usage{Calls: 1, PromptTokens: resp.Usage.PromptTokens,
		CompletionTokens: resp.Usage.CompletionTokens}, nil
}

// askAbout asks a model about a picture, nil without one.
func askAbout(ctx context.Context, m *model.Client, f *screen.Frame,
	sight func() (model.Sight, error), rules string, asked ...model.Part) (
	model.Response, error) {
	const side, quality, tokens = 1280, 85, 512
	if f != nil {
		jpeg, err := f.Within(side).JPEG(quality)
		if err != nil {
			return model.Response{}, err
		}
		asked = append([]model.Part{{JPEG: jpeg}}, asked...)
	}
	cold := 0.0
	return m.Complete(ctx, model.Request{MaxTokens: tokens, Temperature: &cold, Sight: sight,
		Messages: []model.Message{{Role: "system", Parts: []model.Part{{Text: rules}}},
			{Role: "user", Parts: asked}}})
}

// verdict reads a judge's reply.
func verdict(reply string) (yes bool, why string) {
	var v struct {
		True *bool  `json:"true"`
		Why  string `json:"why"`
	}
	if lastObject(reply, &v) != nil || v.True == nil {
		return false, "its reply is no verdict: " + text.Quote(reply, 200)
	}
	return *v.True, text.Cut(text.Line(v.Why), 300)
}

// lastObject reads the JSON object in a reply, behind its thoughts.
func lastObject(reply string, to any) error {
	if i := strings.LastIndex(reply, "</think>"); i >= 0 {
		reply = reply[i:]
	}
	from, end := strings.IndexByte(reply, '{'), strings.LastIndexByte(reply, '}')
	if from < 0 || end < from {
		return errors.New("there is no object in it")
	}
	return json.Unmarshal([]byte(reply[from:end+1]), to)
}
