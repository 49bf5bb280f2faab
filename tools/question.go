package tools

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/runs"
)

// Question is an open question in a result. Its texts are somebody else's words.
type Question struct {
	ID             string            `json:"question_id"`
	InquiryID      string            `json:"inquiryId"`            // the same
	SessionID      string            `json:"session_id,omitempty"` // where the result does not name it
	Kind           inquiry.Kind      `json:"kind"`
	Context        string            `json:"context,omitempty"` // of an inquiry: what it is about
	Text           string            `json:"text"`
	Options        []string          `json:"options,omitempty"`
	FreeText       bool              `json:"free_text,omitempty"` // another answer than the options is fine
	Fields         []inquiry.Field   `json:"fields,omitempty"`
	Draft          string            `json:"draft,omitempty"`
	DefaultAnswer  string            `json:"default_answer,omitempty"`
	OnTimeout      inquiry.OnTimeout `json:"on_timeout,omitempty"`
	Secret         bool              `json:"secret,omitempty"` // the answer is shown nowhere
	Doors          []inquiry.Door    `json:"doors,omitempty"`
	ReplyURL       string            `json:"reply_url,omitempty"` // for programs: the HTTP API
	PageURL        string            `json:"page_url,omitempty"`  // for people: the inbox page
	AskedAt        time.Time         `json:"asked_at"`
	AttentionUntil time.Time         `json:"attention_until"`
	ExpiresAt      time.Time         `json:"expires_at"`
	Round          int               `json:"round"`
}

func questionOf(q inquiry.Question) *Question {
	out := &Question{ID: q.ID, InquiryID: q.ID, Kind: q.Kind, Text: q.Text, Options: q.Options, Fields: q.Fields, Draft: q.Draft,
		FreeText: q.FreeText && len(q.Options) > 0, DefaultAnswer: q.DefaultAnswer, OnTimeout: q.OnTimeout, Secret: q.Secret, Doors: runs.DoorsLeft(q),
		AskedAt: q.AskedAt, AttentionUntil: q.AttentionUntil, ExpiresAt: q.ExpiresAt, Round: q.Round}
	if q.RunID == "" { // a run's question has the run's task, which is in the result
		out.Context = q.Task
	}
	return out
}

// questionNow is questionOf with the doors that are left, as who leads the question knows them.
func (t *Tools) questionNow(q inquiry.Question) *Question {
	out := questionOf(q)
	out.Doors = t.opts.Runs.Doors(q)
	if t.formClosed(q.ID) {
		out.Doors = slices.DeleteFunc(out.Doors, func(d inquiry.Door) bool { return d.Name == string(runs.Elicit) })
	}
	t.link(out)
	return out
}

// shorten cuts the texts to about n characters.
func (q *Question) shorten(n int) {
	q.Text, q.Context, q.Draft, q.DefaultAnswer = cut(q.Text, n), cut(q.Context, n), cut(q.Draft, n), cut(q.DefaultAnswer, n)
	q.Options = shortened(q.Options, n)
	q.Fields = slices.Clone(q.Fields[:min(len(q.Fields), n/2)])
	for i := range q.Fields {
		f := &q.Fields[i]
		f.Label, f.Options = cut(f.Label, n/2), shortened(f.Options, n/2)
		if s, is := f.Default.(string); is {
			f.Default = cut(s, n/2)
		}
	}
}

func shortened(options []string, n int) []string {
	options = slices.Clone(options[:min(len(options), n/2)])
	for i, o := range options {
		options[i] = cut(o, n/2)
	}
	return options
}

// link adds the addresses under which the question can be answered over HTTP, when there is an HTTP face.
func (t *Tools) link(q *Question) {
	if q == nil || t.opts.BaseURL == "" {
		return
	}
	q.ReplyURL, q.PageURL = t.replyURL(q.ID), t.base()+"/ui#question="+url.QueryEscape(q.ID)
}

// replyURL is where programs answer the question, "" without an HTTP face.
func (t *Tools) replyURL(id string) string {
	if t.opts.BaseURL == "" {
		return ""
	}
	return t.base() + "/v1/inquiries/" + url.PathEscape(id) + "/reply"
}

func (t *Tools) base() string { return strings.TrimRight(t.opts.BaseURL, "/") }

// questionNotFound is the code about a question that is not there, or that is somebody else's.
const questionNotFound runs.Code = "QUESTION_NOT_FOUND"

// question is one that belongs to the caller: asked in a session of the caller's, or by the caller.
func (t *Tools) question(ctx context.Context, c *call, id string) (inquiry.Question, error) {
	q, err := t.opts.Runs.Broker().Get(ctx, id)
	owned := false
	if err == nil {
		owned, err = t.owns(ctx, c, q)
	}
	if err == nil && !owned || errors.Is(err, inquiry.ErrNotFound) {
		return q, refuse(questionNotFound, "call list_pending_questions and pass a question_id of its result", "there is no question %s", brief(id))
	}
	return q, err
}

func (t *Tools) owns(ctx context.Context, c *call, q inquiry.Question) (bool, error) {
	if q.SessionID == "" {
		return q.Client == c.principal, nil
	}
	_, err := t.opts.Runs.Session(ctx, q.SessionID, c.principal)
	if runs.CodeOf(err) == runs.SessionNotFound {
		return false, nil
	}
	return err == nil, err
}

// unresolved is the broker's refusal of an answer, with its code and with the call that tells more.
func unresolved(q inquiry.Question, err error) error {
	if errors.Is(err, inquiry.ErrNotFound) { // deleted meanwhile
		return refuse(questionNotFound, "call list_pending_questions", "there is no question %s", brief(q.ID))
	}
	err = runs.RefusedReply(err)
	mend := hint.Of(err)
	switch {
	case !inquiry.Late(err):
		return err
	case q.RunID == "":
		mend += "; send_inquiry with a prompt asks anew, and winner says how this question was settled"
	default:
		mend += "; ask_agent_wait with session_id " + quote(q.SessionID) + " shows how it stands"
	}
	return hint.Add(err, mend)
}

// winnerOf tells how a question was settled; nil while it is open. The words of a secret answer are not in it.
func winnerOf(q inquiry.Question) *Winner {
	r := q.Resolution
	if r == nil {
		return nil
	}
	return &Winner{Status: q.Status, Channel: r.Channel, Authority: r.Authority, By: r.By, Answer: r.Response.String(), At: r.At}
}

// valuesOf are the values of a form that was answered, or nil.
func valuesOf(q inquiry.Question) json.RawMessage {
	if len(q.Fields) == 0 || q.Resolution == nil || !json.Valid([]byte(q.Resolution.Response.Reveal())) {
		return nil
	}
	return json.RawMessage(q.Resolution.Response.Reveal())
}
