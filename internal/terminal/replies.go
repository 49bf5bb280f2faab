package terminal

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/secret"
)

// Replies are answers that a person gives before anything is asked.
type Replies []expected

type expected struct {
	question *regexp.Regexp // nil fits every question
	answer   string
}

// ParseReplies reads answers of the form PATTERN=TEXT. PATTERN is a regular expression for the
// question. Without one the answer fits every question. Answers with a pattern go first.
func ParseReplies(given []string) (Replies, error) {
	var fitting, every Replies
	for _, s := range given {
		pattern, answer, parted := strings.Cut(s, "=")
		if !parted {
			pattern, answer = "", s
		}
		if strings.TrimSpace(answer) == "" {
			return nil, hint.Add(fmt.Errorf("--reply %q has no answer", s),
				"write --reply 'PATTERN=TEXT', or --reply '=TEXT' for every question")
		}
		if pattern == "" {
			every = append(every, expected{nil, answer})
			continue
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, hint.Add(fmt.Errorf("--reply %q: %w", s, err),
				"what stands before the first = is a regular expression; for a text with a = that "+
					"answers every question write --reply '=TEXT'")
		}
		fitting = append(fitting, expected{re, answer})
	}
	return append(fitting, every...), nil
}

// To returns the reply to a question. There is none to a question about an act, which has to be
// seen before it is decided, nor to one for a secret, which a command line does not keep.
func (e Replies) To(q inquiry.Question) (r inquiry.Reply, ok bool) {
	if q.Kind.Flag() != "" {
		return r, false
	}
	for _, one := range e {
		if one.question != nil && !one.question.MatchString(q.Text) ||
			q.Secret && !secret.Acknowledges(one.answer) {
			continue
		}
		r, err := q.Say(inquiry.Said{Words: one.answer})
		return r, err == nil
	}
	return r, false
}
