package inquiry

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/text"
)

// MaxReplyID is the most bytes that a reply's id may have.
const MaxReplyID = 200

// InvalidReplyError says why a reply does not fit its question, in words for its sender.
type InvalidReplyError struct {
	Problem string
	Options []string // what the question offers, if it does
	// of a form: what is wrong with each field, by its name; Problem says it, too
	Fields  map[string]string
	TooLong bool // there are more bytes than are taken
}

func (e *InvalidReplyError) Error() string {
	if len(e.Options) == 0 {
		return e.Problem
	}
	return fmt.Sprintf("%s (want one of %q)", e.Problem, e.Options)
}

func invalid(format string, args ...any) *InvalidReplyError {
	return &InvalidReplyError{Problem: fmt.Sprintf(format, args...)}
}

// tooLate is the answer to a reply whose question was settled before.
func (b *Broker) tooLate(q Question, r Reply) (Result, error) {
	won := q.Resolution
	if p := q.Deferred; p != nil && r.ID == p.ReplyID { // it counted, as far as it could
		won = p
	}
	if r.ID == "" || r.ID != won.ReplyID {
		return Result{}, &SettledError{q.erased()}
	}
	if !b.same(q, won, r) {
		return Result{}, fmt.Errorf("question %s: %w", q.ID, ErrReplyIDReused)
	}
	return Result{Question: q, Replayed: true}, nil
}

// same reports whether the reply says what the resolution says. An erased secret is compared by its
// digest, while this process lives; after that the id decides.
func (b *Broker) same(q Question, won *Resolution, r Reply) bool {
	if won.Type == TypeDecisions {
		decisions, err := b.opts.decide(q, r)
		return err == nil && q.checkType(r) == nil &&
			sameDecisions(decisions, won.Decisions)
	}
	if r.Type == TypeTimeout && q.Status == TimedOut {
		return true
	}
	if r.Type != won.Type || r.Remember != won.Remember || len(r.Response) > b.opts.MaxAnswer {
		return false
	}
	if won.Response.IsSecret() && !q.AppliedAt.IsZero() {
		return b.digests.fits(q.ID, q.normalize(r.Response))
	}
	if r.Type == TypeAnswer && len(q.Fields) > 0 {
		answer, err := readForm(q.Fields, r.Response)
		return err == nil && answer == won.Response.Reveal()
	}
	return q.normalize(r.Response) == won.Response.Reveal()
}

// types are those of replies to the question.
func (q Question) types() []Type {
	switch q.Kind {
	case KindApproval:
		return []Type{TypeDecisions, TypeDecline, TypeTimeout}
	case KindTakeover:
		return []Type{TypeDone, TypeCouldNot, TypeAnswer, TypeDecline, TypeTimeout}
	}
	if q.Secret {
		return []Type{TypeAnswer, TypeDecline, TypeTimeout}
	}
	return []Type{TypeAnswer, TypeDecline, TypeDelegate, TypeTimeout}
}

// checkType checks what comes with the content of a reply.
func (q Question) checkType(r Reply) error {
	switch {
	case len(r.ID) > MaxReplyID || !isPlainText(r.ID):
		return invalid("the reply id is not plain text of at most %d bytes", MaxReplyID)
	case slices.Contains(q.types(), r.Type):
		return nil
	case q.Kind == KindApproval && r.Type == TypeAnswer:
		return invalid("the question is about actions: it takes decisions, and no answer in words")
	case r.Type == TypeDelegate:
		return invalid("%s cannot be left to the agent (want one of %q)",
			cmp.Or(map[Kind]string{KindApproval: "a decision about an action",
				KindTakeover: "what a person does by hand"}[q.Kind], "a secret"), q.types())
	case r.Type == TypeDone || r.Type == TypeCouldNot:
		return invalid("a reply of type %q is for a take-over, and this question is none "+
			"(want one of %q)", r.Type, q.types())
	case r.Type == TypeDecisions:
		return invalid("decisions are about actions, and this question is about none "+
			"(want one of %q)", q.types())
	}
	return invalid("unknown type of reply %s (want one of %q)", text.Quote(string(r.Type), 100),
		q.types())
}

// checkReply checks a reply against its question and returns the response as it is kept.
func (q Question) checkReply(r Reply, limit int) (string, error) {
	if err := q.checkType(r); err != nil {
		return "", err
	}
	if (r.Type == TypeTimeout || r.Type == TypeDelegate) && r.Response != "" {
		return "", invalid("a reply of type %q has no words, which would be lost "+
			"(leave them out, or send them as an answer)", r.Type)
	}
	if r.Type != TypeAnswer {
		return q.normalize(r.Response), checkText(r.Response, limit)
	}
	if err := checkText(r.Response, limit); err != nil {
		return "", err
	}
	if len(q.Fields) > 0 {
		return readForm(q.Fields, r.Response)
	}
	answer := q.normalize(r.Response)
	if strings.TrimSpace(answer) == "" {
		return "", &InvalidReplyError{Problem: "the answer is empty", Options: q.Options}
	}
	if len(q.Options) > 0 && !q.FreeText && option(q.Options, answer) == "" {
		return "", &InvalidReplyError{Problem: "the answer is none of the options",
			Options: q.Options}
	}
	return answer, nil
}

func checkText(answer string, limit int) error {
	switch {
	case len(answer) > limit:
		return &InvalidReplyError{Problem: fmt.Sprintf("the answer has %d bytes (at most %d)",
			len(answer), limit), TooLong: true}
	case !utf8.ValidString(answer):
		return invalid("the answer is not valid UTF-8")
	case strings.ContainsRune(answer, 0):
		return invalid("the answer contains a NUL character")
	}
	return nil
}

// normalize is the response as it is kept: an option in the question's own spelling, anything else
// without what would steer a terminal or hide in it, and without the line break at its end. Spaces
// stay in a secret: they may belong to it. So they do in a draft that was edited.
func (q Question) normalize(response string) string {
	if o := option(q.Options, response); o != "" {
		return o
	}
	response = text.Lines(response)
	if q.Draft != "" {
		return response
	}
	response = strings.TrimRight(response, "\n")
	if q.Secret {
		return response
	}
	return q.withoutCode(strings.TrimSpace(response))
}

// option is the option that the answer names, upper or lower case, or "". What is not seen does not
// count.
func option(options []string, answer string) string {
	answer = strings.TrimSpace(text.Lines(answer))
	for _, o := range options {
		if o == answer {
			return o
		}
	}
	for _, o := range options {
		if strings.EqualFold(strings.TrimSpace(text.Lines(o)), answer) {
			return o
		}
	}
	return ""
}

// Clean takes out of a question's options what would steer a terminal or hide in them, as it is
// taken out of answers: an answer is compared with them.
func (q *Question) Clean() {
	cleaned := func(options []string) []string {
		options = slices.Clone(options)
		for i, o := range options {
			options[i] = text.Lines(o)
		}
		return options
	}
	q.Options, q.Fields = cleaned(q.Options), slices.Clone(q.Fields)
	for i := range q.Fields {
		q.Fields[i].Options = cleaned(q.Fields[i].Options)
	}
}

// check reports what is wrong with a new question, and brings its defaults into their canonical
// form.
func (q *Question) check(o *Options) error {
	switch q.Kind {
	case KindInfo, KindInquiry, KindApproval, KindTakeover:
	default:
		return fmt.Errorf("unknown kind %q", q.Kind)
	}
	if strings.TrimSpace(q.Text) == "" {
		return errors.New("the question is empty")
	}
	for i, o := range q.Options {
		if strings.TrimSpace(o) == "" {
			return errors.New("an option is empty")
		}
		if slices.ContainsFunc(q.Options[:i], func(before string) bool {
			return strings.TrimSpace(before) == strings.TrimSpace(o)
		}) {
			return fmt.Errorf("the option %s is there twice (want each once)", text.Quote(o, 100))
		}
	}
	if q.AttentionUntil.Before(q.AskedAt) || q.ExpiresAt.Before(q.AttentionUntil) {
		return fmt.Errorf(
			"the deadlines are out of order: asked %s, attention until %s, expires %s", q.AskedAt,
			q.AttentionUntil, q.ExpiresAt)
	}
	if err := q.checkShape(o.MaxAnswer); err != nil {
		return err
	}
	if err := q.checkRequests(); err != nil {
		return err
	}
	return q.checkSilence(o.MaxAnswer)
}

func (q *Question) checkSilence(limit int) error {
	if about := q.Kind == KindApproval; about || q.OnTimeout == RejectAll {
		if about && (q.OnTimeout == "" || q.OnTimeout == Pause || q.OnTimeout == RejectAll) {
			return nil
		}
		return fmt.Errorf("on_timeout is %q for a question of the kind %s "+
			"(silence about an action is %q or %q, and %[4]q is for that alone)", q.OnTimeout,
			q.Kind, Pause, RejectAll)
	}
	switch {
	case q.OnTimeout == "" || q.OnTimeout == Pause || q.OnTimeout == GoOn || q.OnTimeout == GiveUp:
		return nil
	case q.OnTimeout.Model() != "":
		return nil
	case q.OnTimeout == Default:
		answer, err := q.checkReply(Reply{Type: TypeAnswer, Response: q.DefaultAnswer}, limit)
		if err != nil {
			return fmt.Errorf("the default answer does not fit: %w", err)
		}
		q.DefaultAnswer = answer
		if q.Secret {
			return errors.New("a secret question cannot have a default answer")
		}
		return nil
	}
	return fmt.Errorf("unknown on_timeout %q", q.OnTimeout)
}

// digests are of secret answers, so that one which was erased can be told from another that comes
// under the same reply id. They are kept in memory, under a key of this process: on disk a digest
// of a short code would give the code away.
type digests struct {
	key []byte

	mu   sync.Mutex
	sums map[string][]byte // by question
}

func newDigests() *digests {
	return &digests{key: []byte(rand.Text()), sums: map[string][]byte{}}
}

// maxDigests is how many are kept.
const maxDigests = 1000

func (d *digests) sum(id, text string) []byte {
	h := hmac.New(sha256.New, d.key)
	h.Write([]byte(id + "\x00" + text))
	return h.Sum(nil)
}

// keep remembers the answer to a question.
func (d *digests) keep(id, text string) {
	sum := d.sum(id, text)
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.sums) >= maxDigests {
		clear(d.sums)
	}
	d.sums[id] = sum
}

// fits reports whether the answer is the one that was kept; true when none was.
func (d *digests) fits(id, text string) bool {
	sum := d.sum(id, text)
	d.mu.Lock()
	defer d.mu.Unlock()
	kept := d.sums[id]
	return kept == nil || hmac.Equal(kept, sum)
}
