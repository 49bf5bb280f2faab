package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/usecase"
)

// chat lets a conversation drive a phone: the first message of the user is a task, and each later
// one an answer, an instruction or the next task, as the run stands then.
func (s *chats) chat(w http.ResponseWriter, r *http.Request, v viewer) error {
	c, err := readConversation(r)
	if err != nil {
		return err
	}
	held, leave, err := s.takePlace(w, r, v)
	if err != nil {
		return err
	}
	defer leave()
	t := &chatTurn{s: s, v: v, conversation: c, client: v.owner(), words: wordsFor(c.words)}
	if t.key, err = keyOf(r); err != nil {
		return err
	}
	ctx, end := s.untilClosing(held)
	defer end()
	if !c.Stream {
		ctx, cancel := context.WithTimeoutCause(ctx, patience, errPatience)
		defer cancel()
		return t.whole(ctx, w)
	}
	l := s.stream(w, r, v)
	err = t.stream(ctx, l)
	if err != nil && l.begun && r.Context().Err() == nil {
		f := refusalOf(err)
		_ = l.send(data(openAIError(f))) // the status is sent already
		return nil
	}
	return l.broken(err)
}

// whole answers at once, when the run asks something, rests or has ended, or patience is over.
func (t *chatTurn) whole(ctx context.Context, w http.ResponseWriter) error {
	if err := t.begin(ctx); err != nil {
		return err
	}
	var said strings.Builder
	said.WriteString(t.first())
	err := t.follow(ctx, func(line string) error {
		said.WriteString(line)
		return nil
	})
	if err != nil && !errors.Is(err, errPatience) {
		return err
	}
	said.WriteString("\n" + t.last())
	out := t.made("chat.completion")
	out.Usage = t.usage()
	words := said.String()
	message := &chatDelta{Role: "assistant", Content: &words}
	if t.now.Question != nil {
		message.Extra = noticeOf(&t.now)
	}
	out.Choices = []chatChoice{{Message: message, Finish: t.finish()}}
	body, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return t.s.answer(w, http.StatusOK, body)
}

// stream answers chunk by chunk. A client that goes away detaches, and its run continues for a
// while.
func (t *chatTurn) stream(ctx context.Context, l *listener) error {
	if err := t.begin(ctx); err != nil {
		return err
	}
	l.begin("text/event-stream")
	say := func(words string) error { return t.chunk(l, &chatDelta{Content: &words}, nil) }
	first := t.first()
	if err := t.chunk(l, &chatDelta{Role: "assistant", Content: &first}, nil); err != nil {
		return err
	}
	err := t.follow(ctx, func(line string) error {
		if line == "" {
			return l.send(wire.AppendComment(nil, "the run goes on"))
		}
		return say(line)
	})
	if err != nil {
		return err
	}
	if t.now.Question != nil {
		if err := t.chunk(l, &chatDelta{Extra: noticeOf(&t.now)}, nil); err != nil {
			return err
		}
	}
	if err := say("\n" + t.last()); err != nil {
		return err
	}
	if err := t.chunk(l, &chatDelta{}, t.finish()); err != nil {
		return err
	}
	if t.Options.Usage {
		out := t.made("chat.completion.chunk")
		out.Choices, out.Usage = []chatChoice{}, t.usage()
		if err := l.send(data(out)); err != nil {
			return err
		}
	}
	return l.send(wire.AppendEvent(nil, wire.Event{Data: []byte("[DONE]")}))
}

// chunk sends one choice.
func (t *chatTurn) chunk(l *listener, d *chatDelta, finish *string) error {
	out := t.made("chat.completion.chunk")
	out.Choices = []chatChoice{{Delta: d, Finish: finish}}
	return l.send(data(out))
}

// chatModel is a phone in the form of OpenAI's models.
type chatModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Owner   string `json:"owned_by"`
}

// models are the phones that take tasks, behind the one that stands for the only one, and the
// agents that reach goals.
func (s *chats) models(r *http.Request, v viewer) ([]chatModel, error) {
	var phones []usecase.Phone
	q := request{line: "GET /v1/models", body: map[string]any{}, client: v.owner()}
	_, err := s.call(r.Context(), v, q, func(ctx context.Context, c *usecase.Call) (
		out *usecase.Outcome, err error) {
		phones, err = s.opts.Tasks.ListPhones(ctx, c, false)
		return nil, err
	}, nil)
	no, is := errors.AsType[*refused](err)
	switch {
	case s.opts.Goals: // which need no phone
	case is:
		return nil, no.refusal()
	case err != nil:
		return nil, err
	}
	list := []chatModel{{anyPhone, "model", 0, "taploop"}}
	if s.opts.Goals {
		list = append(list, chatModel{hostModel, "model", 0, "taploop"})
	}
	for _, p := range phones {
		if p.Usable {
			list = append(list, chatModel{p.Serial, "model", 0, "taploop"})
		}
	}
	return list, nil
}

func (s *chats) listModels(w http.ResponseWriter, r *http.Request, v viewer) error {
	list, err := s.models(r, v)
	return sendUnless(w, err, map[string]any{"object": "list", "data": list})
}

func (s *chats) getModel(w http.ResponseWriter, r *http.Request, v viewer) error {
	list, err := s.models(r, v)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.ID == r.PathValue("model") {
			return send(w, http.StatusOK, m)
		}
	}
	return refuse("model_not_found", fmt.Errorf("there is no phone %q", r.PathValue("model")))
}
