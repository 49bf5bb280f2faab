package runs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"strings"

	"github.com/taploop/taploop/actions"
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

// asker puts the questions of one life of a run to whoever answers in its reply mode.
type asker struct {
	f      *Manager
	run    session.Run
	mode   ReplyMode
	parked *inquiry.Question // that the run waits for
}

// Ask implements agentloop.Asker.
func (a *asker) Ask(ctx context.Context, q agentloop.Question) (actions.Exchange, error) {
	x := actions.Exchange{Question: q.Info.Question}
	if a.mode == NoReply {
		x.Outcome = actions.NoReply
		return x, nil
	}
	if err := a.open(ctx, q); err != nil {
		return x, err
	}
	return x, agentloop.ErrParked
}

// open stores the question with the frame that it is about.
func (a *asker) open(ctx context.Context, q agentloop.Question) error {
	frame, err := a.f.store.SaveFrame(ctx, a.run, q.Step, q.Look.Frame)
	if err != nil {
		return fmt.Errorf("keeping the frame of a question: %w", err)
	}
	asked := inquiry.Question{SessionID: a.run.SessionID, RunID: a.run.ID, Fence: a.run.Fence, Step: q.Step,
		Kind: inquiry.Info, Task: q.Task, Text: q.Info.Question, Options: distinct(q.Info.Options), FreeText: true,
		Secret: q.Info.Secret, Round: q.Round, Frame: frame, OnTimeout: a.f.opts.OnTimeout}
	if err := a.f.put(&asked, a.mode); err != nil {
		return err
	}
	if asked, err = a.f.broker.Open(ctx, asked); err == nil {
		a.parked = &asked
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
