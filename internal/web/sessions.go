package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// sessionView is a session with its latest run, as it leaves.
type sessionView struct {
	store.Session
	Run *runView `json:"run"`
}

type runView struct {
	ID         string      `json:"run_id"`
	Task       string      `json:"task"`
	State      store.State `json:"state"`
	StopReason string      `json:"stop_reason,omitempty"`
	Answer     string      `json:"answer,omitempty"`
	Error      string      `json:"error,omitempty"`
	QuestionID string      `json:"question_id,omitempty"`
	Steps      int         `json:"steps"`
	MaxSteps   int         `json:"max_steps,omitempty"`
	ReplyMode  string      `json:"reply_mode,omitempty"`
	CreatedAt  time.Time   `json:"created_at"`
	UpdatedAt  time.Time   `json:"updated_at"`
	EndedAt    time.Time   `json:"ended_at,omitzero"`
}

func viewOfRun(r *store.Run) *runView {
	if r == nil {
		return nil
	}
	return &runView{ID: r.ID, Task: r.Task, State: r.State, StopReason: string(r.StopReason),
		Answer: r.Answer, Error: r.Error,
		QuestionID: r.QuestionID, Steps: r.Progress.Steps, MaxSteps: r.MaxSteps,
		ReplyMode: r.ReplyMode,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt}
}

// stepView is a step as it leaves: in words, and where its picture is.
type stepView struct {
	export.Step
	SessionID     string    `json:"session_id"`
	Index         int       `json:"index"`
	Screenshot    string    `json:"screenshot,omitempty"`
	ScreenshotURL string    `json:"screenshot_url,omitempty"`
	StartedAt     time.Time `json:"started_at"`
	DoneAt        time.Time `json:"done_at,omitzero"`
}

func viewOfStep(st store.StepRecord) stepView {
	v := stepView{Step: export.NewStep(st), SessionID: st.SessionID, Index: st.Index,
		Screenshot: st.FrameID,
		StartedAt:  st.StartedAt, DoneAt: st.DoneAt}
	if st.FrameID != "" {
		v.ScreenshotURL = frameURL(st.SessionID, st.FrameID)
	}
	return v
}

func frameURL(sessionID, frame string) string {
	return "/v1/sessions/" + url.PathEscape(sessionID) + "/frames/" + url.PathEscape(frame)
}

func (s *Server) listSessions(w http.ResponseWriter, r *http.Request, v viewer) error {
	f := store.Filter{State: store.State(r.URL.Query().Get("state"))}
	if f.State != "" && !f.State.Known() {
		return badRequest("unknown state %q (want RUNNING, WAITING_REPLY, PAUSED, ...)", f.State)
	}
	var err error
	if f.Limit, err = number(r, "limit", maxLimit); err != nil {
		return err
	}
	f.Limit = cmp.Or(f.Limit, 50)
	f.Client = v.client()
	all, err := s.opts.Sessions.Sessions(r.Context(), f)
	if err != nil {
		return err
	}
	list := make([]sessionView, 0, len(all))
	for _, o := range all {
		list = append(list, sessionView{o.Session, viewOfRun(o.Latest)})
	}
	return send(w, http.StatusOK, map[string]any{"sessions": list})
}

func (s *Server) getSession(w http.ResponseWriter, r *http.Request, v viewer) error {
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	view, err := s.records.present(r.Context(), x)
	if err != nil {
		return err
	}
	return send(w, http.StatusOK, view)
}

// listSteps lists the steps after one index, or the last few, oldest first.
func (s *Server) listSteps(w http.ResponseWriter, r *http.Request, v viewer) error {
	const most = 1 << 30
	after, err := number(r, "after", most)
	if err != nil {
		return err
	}
	last, err := number(r, "last", most)
	if err != nil {
		return err
	}
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	if last > 0 {
		after = max(after, x.Steps-last)
	}
	steps, err := s.opts.Sessions.Steps(r.Context(), x.ID, after)
	if err != nil {
		return err
	}
	list := make([]stepView, 0, len(steps))
	for _, st := range steps {
		list = append(list, viewOfStep(st))
	}
	return send(w, http.StatusOK, map[string]any{"steps": list})
}

// getFrame gives a picture. Frames begin with their session's id, so one session does not lead to
// another's.
func (s *Server) getFrame(w http.ResponseWriter, r *http.Request, v viewer) error {
	x, err := s.records.session(r, v)
	if err != nil {
		return err
	}
	id := r.PathValue("frame")
	if !strings.HasPrefix(id, x.ID+".") {
		return store.ErrNotFound
	}
	b, err := s.opts.Sessions.Frame(r.Context(), id)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/jpeg")
	_, _ = w.Write(b)
	return nil
}

// halt makes a handler that stops a session's run and answers with its state after that. The body
// is not needed.
func (s *Server) halt(how string) handler {
	return func(w http.ResponseWriter, r *http.Request, v viewer) error {
		x, err := s.records.session(r, v)
		if err != nil {
			return err
		}
		if r.ContentLength != 0 {
			if err := receive(r, new(struct{})); err != nil {
				return err
			}
		}
		// The client may be gone by now: what was asked is done all the same.
		ctx := context.WithoutCancel(r.Context())
		if err := s.opts.Stopper.Stop(ctx, x.ID, how, v.actor()); err != nil {
			return err
		}
		s.opts.Log.InfoContext(r.Context(), "session stopped", "session", x.ID, "by", v.name,
			"through", v.channel())
		return s.answerStanding(w, r, v, x)
	}
}

// records is what is stored, as viewers may see it.
type records struct{ *Options }

func (o records) viewOf(q inquiry.Question) inquiryView {
	q.Channels = channel.Settling(q, o.Channels(q))
	v := inquiryView{q, shownWith{InquiryID: q.ID,
		InputSchema: inquiry.Schema(inquiry.As[inquiry.Form](q).Fields)}}
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
	return o.Questions.Find(r.Context(), r.PathValue("id"), func(q inquiry.Question) (bool, error) {
		return o.sees(r.Context(), v, q)
	})
}

// session is the one that the path names by its id or the beginning of that, if the viewer may see
// it.
func (o records) session(r *http.Request, v viewer) (store.Session, error) {
	return o.Sessions.Find(r.Context(), r.PathValue("id"), v.client())
}

// present is a session with its latest run.
func (o records) present(ctx context.Context, x store.Session) (sessionView, error) {
	run, err := o.Sessions.LatestRun(ctx, x.ID)
	if errors.Is(err, store.ErrNotFound) {
		return sessionView{Session: x}, nil
	}
	return sessionView{x, viewOfRun(&run)}, err
}
