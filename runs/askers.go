package runs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/session"
)

// Answerer answers a question in a person's place.
type Answerer interface {
	Reply(ctx context.Context, task, question string, options []string, f *screen.Frame) (string, error)
}

// agent is the authority of a model that answers in a person's place.
const agent = inquiry.AuthorityAgent

// parker stores the questions of one life of a run for whoever answers in its reply mode.
type parker struct {
	f      *Manager
	run    session.Run
	mode   ReplyMode
	parked *inquiry.Question // that the run waits for
}

// Park implements agentloop.Parker. It stores the question with the frame that it is about.
func (p *parker) Park(ctx context.Context, q agentloop.Question) error {
	frame, err := p.f.store.SaveFrame(ctx, p.run, q.Step, q.Look.Frame)
	if err != nil {
		return fmt.Errorf("keeping the frame of a question: %w", err)
	}
	asked := inquiry.Question{SessionID: p.run.SessionID, RunID: p.run.ID, Fence: p.run.Fence, Step: q.Step,
		Kind: inquiry.Kind(q.Kind), Task: q.Task, Text: q.Text, Options: distinct(q.Options), FreeText: q.FreeText,
		Secret: q.Secret, Round: q.Round, Frame: frame, OnTimeout: p.f.opts.OnTimeout}
	if err := p.f.put(&asked, p.mode); err != nil {
		return err
	}
	if asked, err = p.f.broker.Open(ctx, asked); err == nil {
		p.parked = &asked
	}
	return err
}

// distinct are the options without those that say nothing, or what another one says: a model may write such, and the run goes on.
func distinct(options []string) (list []string) {
	seen := map[string]bool{"": true}
	for _, o := range options {
		if words := strings.TrimSpace(o); !seen[words] {
			seen[words] = true
			list = append(list, o)
		}
	}
	return list
}

// errNotForModels is why no model answers.
var errNotForModels = errors.New("the answer is a secret, which no model is asked for")

// answerInPlace lets the model answer a question in a person's place.
func (f *Manager) answerInPlace(ctx context.Context, q inquiry.Question) error {
	if q.Secret {
		return errNotForModels
	}
	var frame *screen.Frame
	if b, err := f.store.Frame(ctx, q.Frame); err == nil {
		if img, err := jpeg.Decode(bytes.NewReader(b)); err == nil {
			frame, _ = screen.NewFrame(img) // without a picture the model answers from the words
		}
	}
	text, err := f.opts.Answerer.Reply(ctx, q.Task, q.Text, q.Options, frame)
	if err != nil {
		return err
	}
	_, err = f.broker.Resolve(ctx, q.ID, inquiry.Reply{Response: text, Channel: inquiry.ChannelModel, Authority: agent})
	if inquiry.Late(err) { // somebody else was faster
		return nil
	}
	return err
}
