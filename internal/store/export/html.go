package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/page"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/screen/marks"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// HTML writes the session's page as one file that stands for itself: pictures, scripts and styles
// are in it, and nothing is loaded from elsewhere. Pictures have a long side of at most 720 pixels,
// and long texts are cut. All text is shown as text, whoever wrote it, without what would steer or
// hide. Without an id it is the page of all sessions, with filters, which leads to each in the file
// ID.html beside it. When it returns an error, w has got a part of the page or none.
func HTML(ctx context.Context, w io.Writer, src Source, sessionID string) error {
	if sessionID == "" {
		return writeIndex(ctx, w, src)
	}
	t, err := src.Trajectory(ctx, sessionID)
	if err == nil {
		err = Page(ctx, w, src, t)
	}
	if err != nil {
		return fmt.Errorf("exporting session %s as HTML: %w", sessionID, err)
	}
	return nil
}

// Page writes the page of one session.
func Page(ctx context.Context, w io.Writer, src Source, t store.Trajectory) error {
	told, err := TellAll(ctx, src, t)
	if err != nil {
		return err
	}
	title := "A session without a task"
	if len(t.Runs) > 0 {
		title = text.Cut(text.Line(t.Runs[0].Task), longLabel)
	}
	out, err := page.NewAlone(w, title, t.Session.ID)
	if err != nil {
		return err
	}
	at := "/v1/sessions/" + t.Session.ID
	if err := add(out, at+"/trajectory", told); err != nil {
		return err
	}
	for _, r := range told.Runs {
		if err := addPicture(ctx, out, src, r.recorded); err != nil {
			return err
		}
	}
	for _, st := range t.Steps {
		if err := add(out, fmt.Sprintf("%s/steps/%d", at, st.Index), TellStep(st)); err != nil {
			return err
		}
		if err := addPicture(ctx, out, src, st.FrameID); err != nil {
			return err
		}
	}
	return out.Close()
}

// TellAll tells a session, with the agents of one without a phone, what they have spent, and the
// screens that a skill was recorded on and did not find.
func TellAll(ctx context.Context, src Source, t store.Trajectory) (Told, error) {
	agents, spent, err := Tree(ctx, src, t)
	told := Tell(t)
	told.Agents = agents
	if n := len(told.Runs); n > 0 {
		last := &told.Runs[n-1]
		last.PromptTokens += spent.PromptTokens
		last.CompletionTokens += spent.CompletionTokens
		last.Tokens += spent.PromptTokens + spent.CompletionTokens
	}
	for i := range told.Runs {
		r := &told.Runs[i]
		if err == nil {
			r.recorded, err = Recorded(ctx, src, t.Session, t.Runs[i])
		}
		if r.recorded != "" {
			r.RecordedURL = FrameURL(r.recorded)
		}
	}
	return told, err
}

// add writes what a server answers with, its texts cut.
func add(out *page.Alone, path string, v any) error {
	b, err := json.Marshal(v)
	if err == nil && len(b) > longest {
		b, err = cutStrings(b)
	}
	if err != nil {
		return err
	}
	return out.Add(page.Answer{Path: path, Type: "application/json", Body: text.JSON(b)})
}

const (
	longSide = 720
	quality  = 75
)

// addPicture writes a picture, shrunk; "" is none. The page says of one that is not there any more
// that it is lost.
func addPicture(ctx context.Context, out *page.Alone, src Source, id string) error {
	if id == "" {
		return nil
	}
	b, err := src.Frame(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading frame %s: %w", id, err)
	}
	if b, err = Shrink(b, longSide, quality); err != nil {
		return fmt.Errorf("shrinking frame %s: %w", id, err)
	}
	return out.Add(page.Answer{Path: FrameURL(id), Type: "image/jpeg", Body: b})
}

// Recorded is the picture of the screen on which a step of a skill was recorded that the run of the
// session could not repeat, "" if missing, or none that the session's owner may see.
func Recorded(ctx context.Context, src Source, of store.Session, r store.Run) (string, error) {
	frame, session := skill.Diverged(r)
	if frame == "" {
		return "", nil
	}
	t, err := src.Trajectory(ctx, session)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil || t.Session.Client != of.Client {
		return "", err
	}
	own := func(s store.StepRecord) bool { return s.FrameID == frame }
	if !slices.ContainsFunc(t.Steps, own) {
		return "", nil
	}
	return frame, nil
}

// Touched are the places of its frame that a question is about.
func Touched(q inquiry.Question) (places []screen.Point) {
	for _, p := range inquiry.As[inquiry.Approval](q).Places {
		places = append(places, screen.Point{X: p.X, Y: p.Y})
	}
	return places
}

// Shrink is a stored JPEG with a long side of at most side pixels, and with marks at the places
// that are touched.
func Shrink(b []byte, side, quality int, touched ...screen.Point) ([]byte, error) {
	f, err := screen.FromJPEG(b)
	if err != nil {
		return nil, err
	}
	if size := f.Size(); max(size.W, size.H) <= side && touched == nil {
		return b, nil
	}
	return marks.Touch(f.Within(side), touched).JPEG(quality)
}
