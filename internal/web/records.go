package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// inquiryView is a question as it leaves. A secret answer masks itself.
type inquiryView struct {
	inquiry.Question
	shownWith
}

// shownWith has the fields that are added to a question.
type shownWith struct {
	InquiryID     string          `json:"inquiryId"`
	InputSchema   json.RawMessage `json:"input_schema,omitempty"` // of a form
	ScreenshotURL string          `json:"screenshot_url,omitempty"`
	Offers        []inquiry.Offer `json:"offers,omitempty"` // what can be said other than an answer
	// what the question has beside its text, for people
	Details []inquiry.Detail `json:"details,omitempty"`
	// the actions that wait for a decision, as clients of LangGraph know them
	Interrupts []inquiry.Interrupt `json:"interrupts,omitempty"`
	ByHand     bool                `json:"by_hand,omitempty"` // a person is to use the phone
	export.InWords
	// what a person may say is not to be asked again for a while, as POST /v1/grants takes it
	Leaves []guard.Leave `json:"leaves,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (v inquiryView) MarshalJSON() ([]byte, error) { return v.Question.JSON(v.shownWith) }

// records reads the store, as viewers may see it.
type records struct {
	questions Questions
	sessions  Sessions
	channels  func(inquiry.Question) []inquiry.Channel
}

func (o records) viewOf(q inquiry.Question) inquiryView {
	q.Channels = channel.Settling(q, o.channels(q))
	if a, is := q.Body.(*inquiry.Approval); is {
		shown := *a
		shown.Bound, q.Body = "", &shown // it is for the guard alone
	}
	v := inquiryView{q, shownWith{InquiryID: q.ID, Offers: q.Offers(),
		Interrupts: q.Interrupts(), InWords: export.PutInWords(q),
		InputSchema: inquiry.Schema(inquiry.As[inquiry.Form](q).Fields)}}
	v.Leaves = leavesOf(q)
	for _, d := range q.Details() {
		if !d.Full && d.Text != "" && d.Name != "option" { // options have a key of their own
			v.shownWith.Details = append(v.shownWith.Details, d)
		}
	}
	state, _ := store.WaitingFor(q.Kind)
	v.ByHand = state == store.WaitingTakeover
	if q.Frame != "" && q.SessionID != "" {
		v.ScreenshotURL = export.FrameURL(q.Frame)
	}
	return v
}

// visible lists the newest questions that the viewer may see, oldest first: as many as most, unless
// that is 0. The list is never nil.
func (o records) visible(ctx context.Context, v viewer, f inquiry.Filter, most int) (
	[]inquiryView, error) {
	if v.All {
		f.Limit = most
	}
	all, err := o.questions.List(ctx, f)
	if err != nil {
		return nil, err
	}
	type owner struct{ session, client string }
	owners := map[owner]bool{}
	list := []inquiryView{}
	for _, q := range slices.Backward(all) {
		if most > 0 && len(list) == most {
			break
		}
		key := owner{q.SessionID, q.Client}
		seen, known := owners[key]
		if !known {
			if seen, err = o.sees(ctx, v, q); err != nil {
				return nil, err
			}
			owners[key] = seen
		}
		if seen {
			list = append(list, o.viewOf(q))
		}
	}
	slices.Reverse(list)
	return list, nil
}

// sees decides by whom the question belongs to.
func (o records) sees(ctx context.Context, v viewer, q inquiry.Question) (bool, error) {
	if v.All {
		return true, nil
	}
	client, err := o.owner(ctx, q)
	return v.sees(client), err
}

// owner is whom a question belongs to: as its session, and without one its own client. One with
// neither, or of a session that was deleted, belongs to no client.
func (o records) owner(ctx context.Context, q inquiry.Question) (client *string, err error) {
	if q.SessionID == "" {
		if q.Client == "" {
			return nil, nil
		}
		return &q.Client, nil
	}
	x, err := o.sessions.Find(ctx, q.SessionID, nil)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &x.Client, nil
}

// question is the one that the path names by its id or the beginning of that, if the viewer may see
// it.
func (o records) question(r *http.Request, v viewer) (inquiry.Question, error) {
	ctx := r.Context()
	q, err := o.questions.Find(ctx, r.PathValue("id"), func(q inquiry.Question) (bool, error) {
		return o.sees(ctx, v, q)
	})
	logs.Learn(ctx, logs.Question, q.ID, logs.Session, q.SessionID, logs.Run, q.RunID)
	return q, err
}

// present is a session with its latest run.
func (o records) present(ctx context.Context, x store.Session) (export.Listed, error) {
	list, err := o.sessions.Sessions(ctx, store.Filter{ID: x.ID})
	if err != nil || len(list) == 0 {
		return export.Listed{Session: x}, cmp.Or(err, store.ErrNotFound)
	}
	return export.List(list[0]), nil
}

// leavesOf lists what a person may give leave for in place of deciding about each such action, the
// narrowest first. Critical actions have none.
func leavesOf(q inquiry.Question) (list []guard.Leave) {
	a := inquiry.As[inquiry.Approval](q)
	if q.Kind != inquiry.KindApproval || len(a.ActionRequests) != 1 ||
		a.Severity != inquiry.Routine && a.Severity != inquiry.Sensitive {
		return nil
	}
	if l := (guard.Leave{Scope: guard.ForAll, Target: a.Target}); a.Target != "" {
		list = append(list, l)
	}
	name := a.ActionRequests[0].Name
	if a.Server != "" {
		list = append(list, guard.Leave{Scope: guard.ForTool, Name: a.Server + "/" + name},
			guard.Leave{Scope: guard.ForServer, Name: a.Server})
	}
	if q.SessionID != "" {
		list = append(list, guard.Leave{Scope: guard.ForSession, Name: q.SessionID})
	}
	if q.App != "" && a.Server == "" {
		list = append(list, guard.Leave{Scope: guard.ForApp, Name: q.App})
	}
	return list
}
