package export

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/screen/marks"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

//go:embed page.html
var pageText string

// Tokens are the colours, the type and the spaces of every page of the program, as a style sheet.
//
//go:embed tokens.css
var Tokens string

//go:embed page.css
var pageStyle string

var style = Tokens + pageStyle

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"span": span, "moment": moment, "grouped": grouped,
	"tone": func(v agentloop.Verified) string { return verdictTones[v] },
}).Parse(pageText))

var verdictTones = map[agentloop.Verified]string{agentloop.IsVerified: "good",
	agentloop.Contradicted: "bad", agentloop.Unverified: "plain"}

// HTML writes the session as one page that stands for itself: pictures and style are in it, nothing
// is loaded from elsewhere, and it runs no script. Pictures have a long side of at most 720 pixels.
// All text is shown as text, whoever wrote it, without what would steer or hide. When it returns an
// error, w has got a part of the page or none.
func HTML(ctx context.Context, w io.Writer, src Source, sessionID string) error {
	t, err := src.Trajectory(ctx, sessionID)
	var agents []*node
	var spent store.Usage
	if err == nil {
		agents, spent, err = tree(ctx, src, t)
	}
	if err == nil {
		v := newView(t, func(id string) (screenshot, error) { return picture(ctx, src, id) })
		v.Tree = agents
		v.Totals.add(spent)
		for i := range v.Runs {
			r := &v.Runs[i]
			if r.Recorded, err = recorded(ctx, src, t.Session, r.Run); err != nil {
				break
			}
		}
		if err == nil {
			err = page.Execute(text.NewWriter(w), v)
		}
	}
	if err != nil {
		return fmt.Errorf("exporting session %s as HTML: %w", sessionID, err)
	}
	return nil
}

// policy allows the page's own style and pictures, and nothing else.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; img-src data:; "+
		"base-uri 'none'; form-action 'none'",
		base64.StdEncoding.EncodeToString(sum[:]))
}

const (
	longSide = 720
	quality  = 75
)

// picture returns a frame, shrunk, or says that the store has lost it.
func picture(ctx context.Context, src Source, id string) (screenshot, error) {
	b, err := src.Frame(ctx, id)
	switch {
	case errors.Is(err, store.ErrFrameLost):
		return screenshot{Missing: "The picture was lost when the machine went down"}, nil
	case errors.Is(err, store.ErrNotFound):
		return screenshot{Missing: "The picture is not there any more"}, nil
	case err != nil:
		return screenshot{}, fmt.Errorf("reading frame %s: %w", id, err)
	}
	if b, err = Shrink(b, longSide, quality); err != nil {
		return screenshot{}, fmt.Errorf("shrinking frame %s: %w", id, err)
	}
	return screenshot{URL: template.URL("data:image/jpeg;base64," +
		base64.StdEncoding.EncodeToString(b))}, nil
}

// Recorded is the picture of the screen on which a step of a skill was recorded that the run of the
// session could not repeat, "" if there is none, or none that the session's owner may see.
func Recorded(ctx context.Context, src Source, of store.Session, r store.Run) (string, error) {
	step, session := skill.Diverged(r)
	if step == nil || step.Frame == "" {
		return "", nil
	}
	t, err := src.Trajectory(ctx, session)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil || t.Session.Client != of.Client {
		return "", err
	}
	own := func(s store.StepRecord) bool { return s.FrameID == step.Frame }
	if !slices.ContainsFunc(t.Steps, own) {
		return "", nil
	}
	return step.Frame, nil
}

func recorded(ctx context.Context, src Source, of store.Session, r store.Run) (
	*screenshot, error) {
	id, err := Recorded(ctx, src, of, r)
	if id == "" || err != nil {
		return nil, err
	}
	shot, err := picture(ctx, src, id)
	return &shot, err
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
