package policy

import (
	"context"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// situation is what the dialect words: notes are facts until here, and past turns have no pictures.
func (p *Policy) situation(ctx context.Context, s *agentloop.Situation) dialect.Situation {
	profile := p.dialect.Profile()
	notes := text.Each(s.Notes, func(n agentloop.Note) string { return n.Text(profile.Lang) })
	look := s.Screen
	if profile.Elements {
		list, err := p.elements(ctx, s)
		if err != nil {
			missing := agentloop.Note{Kind: agentloop.NoteNoElements,
				Detail: actions.Nameless(err.Error(), err)}
			notes = append(notes, missing.Text(profile.Lang))
		}
		look.Elements = list
	}
	return dialect.Situation{
		Task:        s.Task,
		Summary:     s.Summary,
		Remembered:  s.Remembered,
		Exchanges:   s.Exchanges,
		ReplyJustIn: s.ReplyJustIn,
		Notes:       notes,
		History:     p.history(ctx, s, profile),
		Screen:      look,
	}
}

// elements returns the elements of the screen. It returns nil without an error if the phone cannot
// list them.
func (p *Policy) elements(
	ctx context.Context, s *agentloop.Situation,
) ([]screen.Element, error) {
	if s.Screen.Elements != nil || s.Reader == nil {
		return s.Screen.Elements, nil
	}
	list, err := s.Reader.Elements(ctx)
	if err != nil {
		p.log.WarnContext(ctx, "no elements", "step", s.Step, "err", err)
	}
	return list, err
}

// history is the past turns that the dialect wants, the newest of them with their pictures. A
// picture that cannot be had any more is left out.
func (p *Policy) history(
	ctx context.Context, s *agentloop.Situation, profile dialect.Profile,
) []dialect.Turn {
	kept := s.History[max(len(s.History)-profile.Turns, 0):]
	var turns []dialect.Turn
	for i, t := range kept {
		turn := dialect.Turn{Turn: t}
		if s.Album != nil && len(kept)-i <= profile.Pictures {
			f, err := s.Album.Frame(ctx, t.Step)
			if err != nil {
				p.log.WarnContext(ctx, "no picture of a past step", "step", t.Step, "err", err)
			}
			turn.Frame = f
		}
		turns = append(turns, turn)
	}
	return turns
}

// Ask puts to a model once what a dialect asks. There is no run around it: nothing is repaired,
// recorded or remembered.
func Ask(ctx context.Context, m Completer, asked dialect.Request) (
	actions.Reply, model.Usage, error) {
	r, err := m.Complete(ctx, request(asked))
	return replyOf(&r), r.Usage, err
}

// request is what the dialect asks in the model's form.
func request(asked dialect.Request) model.Request {
	out := model.Request{Stop: asked.Stop}
	for _, m := range asked.Messages {
		msg := model.Message{Role: m.Role, CallID: m.CallID}
		for _, p := range m.Parts {
			msg.Parts = append(msg.Parts, model.Part(p))
		}
		for _, c := range m.Calls {
			msg.ToolCalls = append(msg.ToolCalls, model.ToolCall(c))
		}
		out.Messages = append(out.Messages, msg)
	}
	for _, t := range asked.Tools {
		out.Tools = append(out.Tools, model.Tool(t))
	}
	return out
}

// replyOf is what the model answered in the dialect's form.
func replyOf(r *model.Response) actions.Reply {
	reply := actions.Reply{Text: r.Text, Reasoning: r.Reasoning, Cut: r.Truncated()}
	for _, c := range r.ToolCalls {
		reply.Calls = append(reply.Calls, actions.Call(c))
	}
	return reply
}

// transcript returns the request as a text for the record, without pictures.
func transcript(asked dialect.Request) string {
	var b strings.Builder
	for i, m := range asked.Messages {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if i > 0 || m.Role != "user" {
			b.WriteString("[" + m.Role + "]\n")
		}
		for _, p := range m.Parts {
			if p.JPEG != nil {
				b.WriteString("\n[picture]\n")
			}
			b.WriteString(p.Text)
		}
		for _, c := range m.Calls {
			b.WriteString("\n[call] " + c.Name + " " + c.Arguments)
		}
	}
	for _, t := range asked.Tools {
		b.WriteString("\n\n[tool] " + t.Name + " " + string(t.Parameters))
	}
	return b.String()
}
