package export

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/taploop/taploop/internal/page"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// Listed is a session in a list, with its latest run, nil if it has none.
type Listed struct {
	store.Session
	Run  *Run     `json:"run"`
	Apps []string `json:"apps,omitempty"` // that were in front, of a list that stands alone
}

// List is a listed session.
func List(o store.Overview) Listed {
	return Listed{Session: o.Session, Run: NewRun(o.Latest, o.Tokens)}
}

func writeIndex(ctx context.Context, w io.Writer, src Source) error {
	list, err := src.Sessions(ctx, store.Filter{})
	if err != nil {
		return err
	}
	all := make([]Listed, 0, len(list))
	for _, o := range list {
		t, err := src.Trajectory(ctx, o.ID)
		if err != nil {
			return fmt.Errorf("reading session %s: %w", o.ID, err)
		}
		x := List(o)
		for _, st := range t.Steps {
			if app := st.Screen.State.App; app != "" && !slices.Contains(x.Apps, app) {
				x.Apps = append(x.Apps, app)
			}
		}
		all = append(all, x)
	}
	out, err := page.NewAlone(w, "Sessions", "")
	if err != nil {
		return err
	}
	b, err := json.Marshal(map[string]any{"sessions": all})
	if err != nil {
		return err
	}
	err = out.Add(page.Answer{Path: "/v1/sessions", Type: "application/json", Body: text.JSON(b)})
	if err != nil {
		return err
	}
	return out.Close()
}
