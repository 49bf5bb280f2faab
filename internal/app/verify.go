package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/shape"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/verify"
	"github.com/taploop/taploop/internal/words"
)

// verifyTexts are what the model reads that looks at the end of a task, and what an answer's schema
// is introduced with.
type verifyTexts struct{ Role, Data, Reply, Asked, Schema string }

var verifyIn = words.Of[verifyTexts]("verify")

// verifiers returns the verifiers of runs. A second model is opened when the configuration names
// one, and closed with d.
func (ms *Models) verifiers(p *Policies, d *Parts) (
	func(runs.Settings) (agentloop.Verifier, error), error) {
	c := ms.set.Conf
	client, err := ms.openFor("verify_model", c.VerifyModel, p, d)
	if err != nil {
		return nil, err
	}
	second := secondModel{client, verifyIn(p.lang)}
	return func(s runs.Settings) (agentloop.Verifier, error) {
		v := &verify.Verifier{Mode: verify.Mode(c.Verify), Model: second.ask}
		if s.Verify != "" {
			v.Mode = verify.Mode(s.Verify)
		}
		if !slices.Contains(verify.Modes(), v.Mode) {
			return nil, runs.Refuse(runs.InvalidArgument, "use off, elements, model or both",
				"verify is %s", text.Quote(s.Verify, 20))
		}
		var err error
		if s.AnswerSchema != nil {
			if v.Schema, err = answerShape(s.AnswerSchema); err != nil {
				return nil, err
			}
		}
		if v.Mode == verify.Off && v.Schema == nil {
			return nil, nil
		}
		return v, nil
	}, nil
}

// answerShape is the shape that a run's answer has to fit.
func answerShape(raw []byte) (*shape.Shape, error) {
	of, err := shape.Parse(raw)
	if err != nil {
		return nil, runs.Refuse(runs.InvalidArgument, `pass a JSON Schema that refers to nothing `+
			`outside of it, such as {"type": "object", "properties": {"total": {"type": "number"}}}`,
			"answer_schema: %w", err)
	}
	return of, nil
}

// secondModel looks at the ends of tasks.
type secondModel struct {
	model *model.Client
	words *verifyTexts
}

// ask implements verify.Model.
func (m secondModel) ask(ctx context.Context, a verify.Asked) (
	agentloop.Verified, string, agentloop.Try, error) {
	rules := strings.Join([]string{m.words.Role, m.words.Data, m.words.Reply}, "\n\n")
	asked := fmt.Sprintf(m.words.Asked, text.Quote(a.Task, 4000), text.Quote(a.Done, 4000),
		text.Quote(a.Report, 2000))
	began := time.Now()
	resp, err := askAbout(ctx, m.model, a.Frame, nil, rules, model.Part{Text: asked})
	call := agentloop.Try{Prompt: rules + "\n\n" + asked, Reply: resp.Text, Model: resp.Model,
		Took: time.Since(began), PromptTokens: resp.Usage.PromptTokens,
		CompletionTokens: resp.Usage.CompletionTokens}
	if err != nil {
		call.Error = err.Error()
		return "", "", call, err
	}
	if resp.Truncated() {
		return agentloop.Unverified, "its reply was cut off", call, nil
	}
	says, why := readVerdict(resp.Text)
	return says, why, call, nil
}

// readVerdict reads such a reply. What is neither a yes nor a no is not known.
func readVerdict(reply string) (agentloop.Verified, string) {
	var v struct{ Done, Why string }
	if err := lastObject(reply, &v); err != nil {
		return agentloop.Unverified, "its reply is no verdict: " + text.Quote(reply, 200)
	}
	why := text.Cut(text.Line(v.Why), 300)
	switch strings.ToLower(v.Done) {
	case "yes":
		return agentloop.IsVerified, why
	case "no":
		return agentloop.Contradicted, why
	}
	return agentloop.Unverified, why
}
