package result

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/route"
)

// OpenQuestion is an open question in a result. Its texts are somebody else's words. SessionID is
// there where the result does not name it.
type OpenQuestion struct {
	ID        string          `json:"question_id"`
	InquiryID string          `json:"inquiryId"` // the same
	SessionID string          `json:"session_id,omitempty"`
	Kind      inquiry.Kind    `json:"kind"`
	Context   string          `json:"context,omitempty"`
	Text      string          `json:"text"`
	Options   []string        `json:"options,omitempty"`
	FreeText  bool            `json:"free_text,omitempty"`
	Fields    []inquiry.Field `json:"fields,omitempty"`

	Requests   []inquiry.ActionRequest `json:"action_requests,omitempty"`
	Reviews    []inquiry.ReviewConfig  `json:"review_configs,omitempty"`
	Interrupts []inquiry.Interrupt     `json:"interrupts,omitempty"` // of the result of a run
	Severity   inquiry.Severity        `json:"severity,omitempty"`
	PeopleOnly bool                    `json:"people_only,omitempty"`
	Element    string                  `json:"element,omitempty"`
	Reason     string                  `json:"reason,omitempty"`

	Draft          string            `json:"draft,omitempty"`
	DraftOf        string            `json:"draft_of,omitempty"` // the model that made the draft
	DefaultAnswer  string            `json:"default_answer,omitempty"`
	OnTimeout      inquiry.OnTimeout `json:"on_timeout,omitempty"`
	Secret         bool              `json:"secret,omitempty"`
	Channels       []inquiry.Channel `json:"channels,omitempty"`
	ReplyURL       string            `json:"reply_url,omitempty"` // for programs: the HTTP API
	PageURL        string            `json:"page_url,omitempty"`  // for people: the inbox page
	AskedAt        time.Time         `json:"asked_at"`
	AttentionUntil time.Time         `json:"attention_until"`
	ExpiresAt      time.Time         `json:"expires_at"`
	Round          int               `json:"round"`
}

// NewQuestion is q without the addresses under which it can be answered.
func NewQuestion(q inquiry.Question) *OpenQuestion {
	out := &OpenQuestion{
		ID:         q.ID,
		InquiryID:  q.ID,
		Kind:       q.Kind,
		Text:       q.Text,
		Options:    inquiry.As[inquiry.Ask](q).Options,
		Fields:     inquiry.As[inquiry.Form](q).Fields,
		Requests:   inquiry.As[inquiry.Approval](q).ActionRequests,
		Reviews:    inquiry.As[inquiry.Approval](q).ReviewConfigs,
		Severity:   inquiry.As[inquiry.Approval](q).Severity,
		PeopleOnly: q.ForPeople(),
		Element:    inquiry.As[inquiry.Approval](q).Element,
		Reason:     inquiry.As[inquiry.Approval](q).Reason,
		Draft:      inquiry.As[inquiry.Ask](q).Draft,
		FreeText: inquiry.As[inquiry.Ask](q).FreeText &&
			len(inquiry.As[inquiry.Ask](q).Options) > 0,
		DefaultAnswer:  q.DefaultAnswer,
		OnTimeout:      q.OnTimeout.Kind(),
		Secret:         q.Secret,
		Channels:       route.Left(q, false),
		AskedAt:        q.AskedAt,
		AttentionUntil: q.AttentionUntil,
		ExpiresAt:      q.ExpiresAt,
		Round:          q.Round,
	}
	if s := q.Suggestion; s != nil {
		out.Draft, out.DraftOf = s.Answer, s.By
	}
	if q.RunID == "" { // a run's question has the run's task, which is in the result
		out.Context = q.Task
	}
	return out
}

// PageURL is where people find a question at a server; "" without its address.
func PageURL(base, id string) string {
	if base == "" {
		return ""
	}
	return strings.TrimRight(base, "/") + "/ui#question=" + url.QueryEscape(id)
}

// Winner is how a question was settled. The words of a secret answer are not in it.
type Winner struct {
	Status    inquiry.Status `json:"status"`
	Channel   string         `json:"channel"`
	Authority string         `json:"authority,omitempty"`
	By        string         `json:"by,omitempty"`
	Answer    string         `json:"answer,omitempty"`
	// the model that drafted the answer
	Unedited string    `json:"unedited_draft_of,omitempty"`
	At       time.Time `json:"at"`
}

// newWinner is nil while the question is open.
func newWinner(q inquiry.Question) *Winner {
	r := q.Resolution
	if r == nil {
		return nil
	}
	return &Winner{q.Status, r.Channel, r.Authority, r.By, r.Response.String(), r.Unedited, r.At}
}

// Shorten cuts the question's texts to about n characters, and its lists to n/2 items.
func (q *OpenQuestion) Shorten(n int) {
	if q == nil {
		return
	}
	cutAll(n, &q.Text, &q.Context, &q.Draft, &q.DefaultAnswer)
	q.Options, q.Interrupts = cutOptions(q.Options, n), nil
	q.Fields = slices.Clone(q.Fields[:min(len(q.Fields), n/2)])
	for i := range q.Fields {
		f := &q.Fields[i]
		cutField(f, n/2)
	}
}
