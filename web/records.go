package web

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

// records is what is stored, as viewers may see it.
type records struct{ *Options }

func (o records) viewOf(q inquiry.Question) inquiryView {
	q.Channels = o.Channels(q)
	v := inquiryView{Question: q, InquiryID: q.ID, InputSchema: inquiry.Schema(q.Fields)}
	if q.Frame != "" && q.SessionID != "" {
		v.ScreenshotURL = frameURL(q.SessionID, q.Frame)
	}
	return v
}

// visible lists the questions that the viewer may see, oldest first; never nil.
func (o records) visible(ctx context.Context, v viewer, f inquiry.Filter) ([]inquiryView, error) {
	all, err := o.Questions.List(ctx, f)
	if err != nil {
		return nil, err
	}
	type owner struct{ session, client string }
	owners := map[owner]bool{}
	list := make([]inquiryView, 0, len(all))
	for _, q := range all {
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
	return slices.Clip(list), nil
}

// sees decides by whom the question belongs to.
func (o records) sees(ctx context.Context, v viewer, q inquiry.Question) (bool, error) {
	if v.all {
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
	x, err := o.Sessions.Find(ctx, q.SessionID, nil)
	if errors.Is(err, session.ErrNotFound) {
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
	return o.Questions.Find(r.Context(), r.PathValue("id"), func(q inquiry.Question) (bool, error) {
		return o.sees(r.Context(), v, q)
	})
}

// session is the one that the path names by its id or the beginning of that, if the viewer may see
// it.
func (o records) session(r *http.Request, v viewer) (session.Session, error) {
	return o.Sessions.Find(r.Context(), r.PathValue("id"), v.client())
}

// present is a session with its latest run.
func (o records) present(ctx context.Context, x session.Session) (sessionView, error) {
	run, err := o.Sessions.LatestRun(ctx, x.ID)
	if errors.Is(err, session.ErrNotFound) {
		return sessionView{Session: x}, nil
	}
	return sessionView{x, viewOfRun(&run)}, err
}
