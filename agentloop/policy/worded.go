package policy

import (
	"strings"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/model"
)

// situation is what the dialect words: notes are facts until here.
func situation(s *agentloop.Situation, lang string) dialect.Situation {
	notes := make([]string, len(s.Notes))
	for i, n := range s.Notes {
		notes[i] = n.Text(lang)
	}
	return dialect.Situation{
		Task:        s.Task,
		Summary:     s.Summary,
		Remembered:  s.Remembered,
		Exchanges:   s.Exchanges,
		ReplyJustIn: s.ReplyJustIn,
		Notes:       notes,
		Frame:       s.Look.Frame,
	}
}

// worded is the conversation as a request, and as text for the record, pictures left out.
func worded(messages []dialect.Message) (model.Request, string) {
	var request model.Request
	var prompt strings.Builder
	for i, m := range messages {
		if i > 0 {
			prompt.WriteString("\n\n[" + m.Role + "]\n")
		}
		out := model.Message{Role: m.Role}
		for _, p := range m.Parts {
			out.Parts = append(out.Parts, model.Part{Text: p.Text, JPEG: p.JPEG})
			if p.Text == "" {
				prompt.WriteString("\n[picture]\n")
			}
			prompt.WriteString(p.Text)
		}
		request.Messages = append(request.Messages, out)
	}
	return request, prompt.String()
}

// said is the reply as one text: the reasoning that the endpoint split off goes in front, as the thought that it is.
func said(r *model.Response) string {
	if r.Reasoning == "" {
		return r.Text
	}
	return "<THINK> " + strings.TrimSpace(r.Reasoning) + " </THINK>\n" + r.Text
}
