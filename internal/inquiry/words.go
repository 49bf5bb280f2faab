package inquiry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/inquiry/secret"
	"github.com/taploop/taploop/internal/text"
)

// Words is the part of a [Body] that questions which are answered in words have in common. Kinds
// embed it.
type Words struct{}

// Waits implements [Body].
func (Words) Waits() Waits { return Waits{"WAITING_REPLY", "INFO_ACTION_NEEDS_REPLY"} }

// Silence implements [Body].
func (Words) Silence(words, _ OnTimeout) OnTimeout { return words }

// Kind implements [Body].
func (Words) Kind() Kind { return "" }

// Types implements [Body].
func (Words) Types(q *Question) []Type {
	if q.Secret {
		return []Type{TypeAnswer, TypeDecline, TypeTimeout}
	}
	return []Type{TypeAnswer, TypeDecline, TypeDelegate, TypeTimeout}
}

// Unfit implements [Body].
func (Words) Unfit(*Question, Type) string { return "" }

// Means implements [Body].
func (Words) Means(string) Type { return TypeAnswer }

// Tidy implements [Body]. It takes out what would steer a terminal or hide in it, and the line
// break at the end. Spaces may belong to a secret, and stay there.
func (Words) Tidy(q *Question, said string) string {
	said = strings.TrimRight(text.Lines(said), "\n")
	if q.Secret {
		return said
	}
	return strings.TrimSpace(said)
}

var errEmpty = &InvalidReplyError{Problem: "the answer is empty"}

// Take implements [Body].
func (Words) Take(q *Question, r Reply, o *Options) (Resolution, error) {
	if err := checkText(r.Response, o.MaxAnswer); err != nil {
		return Resolution{}, err
	}
	r.Response = bodyOf(q).Tidy(q, r.Response)
	if r.Type == TypeAnswer && strings.TrimSpace(r.Response) == "" {
		return Resolution{}, errEmpty
	}
	return kept(q, r), nil
}

// kept is the stored form of a reply in words that were checked.
func kept(q *Question, r Reply) Resolution {
	res := Resolution{Type: r.Type, Response: Plain(r.Response)}
	switch only := r.Type == TypeAnswer && secret.Acknowledges(r.Response); {
	case q.Secret && only:
		res.Response = Plain(strings.TrimSpace(r.Response))
	case q.Secret:
		res.Response = Secret(r.Response)
	}
	return res
}

// Permit implements [Body].
func (Words) Permit(string) *ForbiddenError { return nil }

// Sort implements [Body].
func (Words) Sort() string { return "" }

// Details implements [Body].
func (Words) Details() []Detail { return nil }

// Parts implements [Body].
func (Words) Parts() int { return 1 }

// Offers implements [Body].
func (Words) Offers() []Offer { return nil }

// general are the offers that questions of all kinds have.
var general = map[string]Type{"refuse": TypeDecline, "timeout": TypeTimeout,
	"delegate": TypeDelegate}

// Say implements [Body].
func (Words) Say(q *Question, say ...Said) (Reply, error) {
	if len(say) != 1 {
		return Reply{}, fmt.Errorf("%d things are said to a question (want 1)", len(say))
	}
	name := say[0].Name
	if typ := general[name]; typ != "" || name == "" {
		return Reply{Type: cmp.Or(typ, TypeAnswer), Response: say[0].Words}, nil
	}
	if err := otherKind(name); err != nil {
		return Reply{}, err
	}
	return Reply{}, fmt.Errorf("%s is nothing that can be said here", text.Quote(name, 40))
}

// otherKind says that a command is for questions of another kind; nil if it is no command at all.
func otherKind(name string) error {
	if IsOffer(name) {
		return fmt.Errorf("/%s is for another kind of question", name)
	}
	return nil
}

// chosen is the option whose number was typed, else the line.
func chosen(line string, options []string) string {
	if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n >= 1 && n <= len(options) {
		return options[n-1]
	}
	return line
}

// Words that settle questions about acts when somebody says nothing else.
var (
	consents = []string{"yes", "approve", "同意", "是", "继续"}
	refusals = []string{"no", "reject", "拒绝", "否"}
	finished = []string{"done", "完成", "好了"}
)

// Settles reports whether somebody who says this decides about an act or has done it. Such words
// are for a question and for nothing else.
func Settles(words string) bool { return decides(words) || saidOnly(words, finished) }

// decides reports whether the words consent to acts or refuse them, and say nothing else.
func decides(words string) bool { return saidOnly(words, consents) || saidOnly(words, refusals) }

// saidOnly reports whether somebody said one of the words and nothing else.
func saidOnly(said string, words []string) bool {
	return slices.Contains(words, strings.ToLower(strings.Trim(said, " .!。！\"'“”")))
}

// checkSilence reports whether what silence leads to does not fit a question in words, and brings
// a default answer into the form in which it is kept.
func checkSilence(q *Question, o *Options) error {
	switch {
	case q.OnTimeout == "" || q.OnTimeout == Pause || q.OnTimeout == GoOn || q.OnTimeout == GiveUp:
		return nil
	case q.OnTimeout.Model() != "":
		return nil
	case q.OnTimeout == RejectAll:
		return unknownSilence(q)
	case q.OnTimeout == Default:
		answer, err := bodyOf(q).Take(q, Reply{Type: TypeAnswer, Response: q.DefaultAnswer}, o)
		if err != nil {
			return fmt.Errorf("the default answer does not fit: %w", err)
		}
		q.DefaultAnswer = answer.Response.Reveal()
		if q.Secret {
			return errors.New("a secret question cannot have a default answer")
		}
		return nil
	}
	return fmt.Errorf("unknown on_timeout %q", q.OnTimeout)
}

// unknownSilence says what silence about an action may lead to.
func unknownSilence(q *Question) error {
	return fmt.Errorf("on_timeout is %q for a question of the kind %s "+
		"(silence about an action is %q or %q, and %[4]q is for that alone)", q.OnTimeout,
		q.Kind, Pause, RejectAll)
}
