package goals

import (
	"context"
	"errors"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// people asks people the questions of agents.
type people struct{ *work }

// Ask implements agents.People. The question is in the inbox like any other.
func (p people) Ask(ctx context.Context, key, question string, choices []string) (string, error) {
	b, x := p.goal.Runs.Broker(), p.life.Session
	q := inquiry.Question{Kind: inquiry.KindInquiry, Client: x.Client, SessionID: x.ID, Key: key,
		Task: p.life.Run.Task, Text: question, OnTimeout: inquiry.Pause,
		Body: &inquiry.Ask{Options: choices, FreeText: len(choices) > 0}}
	if p.TellSilence {
		q.OnTimeout = inquiry.GoOn
	}
	q.Secret = q.AsksForSecret()
	for _, name := range p.Channels {
		q.Channels = append(q.Channels, inquiry.Channel{Name: name})
	}
	asked, err := b.Open(ctx, q)
	if errors.Is(err, inquiry.ErrKeyTaken) {
		var list []inquiry.Question
		list, err = b.List(ctx, inquiry.Filter{Client: &x.Client, Key: key})
		if len(list) > 0 {
			asked = list[0]
		}
	}
	if err != nil {
		if errors.Is(err, inquiry.ErrInvalid) {
			return "the question could not be asked: " + text.Line(err.Error()), nil
		}
		return "", err
	}
	if asked, err = b.Wait(ctx, asked.ID); err != nil {
		return "", err
	}
	if used, err := b.Apply(ctx, asked.ID, asked.Fence); err == nil {
		asked = used
	}
	return answerOf(asked), nil
}

// answerOf tells the model how a question was settled.
func answerOf(q inquiry.Question) string {
	switch r := q.Resolution; {
	case q.Status == inquiry.Answered && q.Secret:
		return "the person answered with a secret, which is not shown to agents"
	case q.Status == inquiry.Answered && r.Type == inquiry.TypeDelegate:
		return "the person leaves it to you"
	case q.Status == inquiry.Answered:
		return "the person answers: " + r.Response.String()
	case q.Status == inquiry.Refused:
		return "the person refuses to answer"
	}
	return "no answer came in time"
}
