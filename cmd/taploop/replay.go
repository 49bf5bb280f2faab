package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/lab"
	"github.com/taploop/taploop/internal/lab/replay"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
)

type replayCmd struct {
	Session string  `arg:""`
	Model   string  `key:"model.name" placeholder:"NAME"`
	BaseURL string  `key:"model.base_url" placeholder:"URL"`
	Lang    string  `key:"model.lang" placeholder:"LANG"`
	Within  float64 `default:"0.1" placeholder:"SHARE"`
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run asks the model about every step of a session, and prints how far it agrees.
func (c *replayCmd) Run(ctx context.Context, a *invocation) error {
	if !(c.Within >= 0 && c.Within <= 3) { // NaN is not, either
		return app.Usage(fmt.Errorf("--within is %v", c.Within),
			"want a share of the screen's width from 0 to 3, for example 0.1")
	}
	return a.readingSession(ctx, c.Session, func(db *store.Store, sess store.Session) error {
		a.quiet()
		p, err := app.NewModels(&a.Settings).Policies()
		if err != nil {
			return err
		}
		family, err := app.NewModels(&a.Settings).Dialect()
		if err != nil {
			return errors.Join(app.Usage(err, ""), p.Close())
		}
		live := tty.StatusOf(a.err)
		defer live.Show("")
		r, err := replay.Run(ctx, db, sess.ID, replay.Options{
			Policy: p.Plain, Lang: a.ModelLang(), Within: c.Within,
			Own: replay.Own(families.Known, family),
			Asking: func(n int) {
				live.Show(a.phrase(fmt.Sprintf("step %d of %d: asking %s", n, sess.Steps,
					a.Conf.Model.Name)))
			}})
		live.Show("")
		if err == nil && len(r.Steps) == 0 {
			err = app.Usage(fmt.Errorf("session %s has no steps", sess.ID), "taploop sessions list")
		} else {
			err = errors.Join(err, c.print(a, r))
		}
		return app.Closing(err, p.Close)
	})
}

// shownReplay is the report with who was asked.
type shownReplay struct {
	Model string `json:"model"`
	replay.Report
}

func (c *replayCmd) print(a *invocation, r replay.Report) error {
	switch {
	case c.JSON:
		return printJSON(a.out, shownReplay{a.Conf.Model.Name, r})
	case len(r.Steps) == 0:
		return a.tell("no step was asked")
	}
	err := printList(a, false, r.Steps, "",
		"STEP AGREES RECORDED ASKED APART TIME TOKENS", func(s replay.Step) []any {
			row := []any{s.Index, a.term("no"), s.Was, s.Is, "-",
				fmt.Sprintf("%.1fs", s.Seconds), s.PromptTokens + s.CompletionTokens}
			switch {
			case s.Skipped != "":
				row = []any{s.Index, "-", s.Was, "(" + a.term(s.Skipped) + ")", "-", "-", "-"}
			case s.Unreadable != "":
				row[3] = "(" + text.Cut(text.Line(s.Unreadable), 200) + ")"
			case s.Agrees:
				row[1] = a.term("yes")
			}
			if s.Distance != nil {
				row[4] = fmt.Sprintf("%.1f%% (%.0f px)", 100**s.Distance, *s.Pixels)
			}
			return row
		})
	if err == nil {
		err = c.sum(a, r)
	}
	return err
}

// sum says what the steps come to.
func (c *replayCmd) sum(a *invocation, r replay.Report) error {
	if r.Asked == 0 {
		return a.tell("no step was asked")
	}
	err := a.tell(fmt.Sprintf("\n%s agrees in %d of %s, %s (95%%: %s to %s); of the same "+
		"kind %d, unreadable %d", text.Line(a.Conf.Model.Name), r.Agreed,
		text.Count(r.Asked, "step"), lab.Percent(r.Share), lab.Percent(r.Low),
		lab.Percent(r.High), r.SameKind, r.Unreadable))
	if err == nil && r.Distance != nil {
		err = a.tell(fmt.Sprintf("points lie %.1f%% of the width apart (%.0f px, median); at "+
			"most %.1f%% agree", 100**r.Distance, *r.Pixels, 100*r.Within))
	}
	if err == nil {
		err = a.tell(fmt.Sprintf("a step took %.1fs (median; 90%% under %.1fs), %.1fs when it "+
			"was recorded; %d tokens sent, %d received", r.Seconds, r.Seconds90,
			r.RecordedSeconds, r.PromptTokens, r.CompletionTokens))
	}
	if r.Shrunk {
		a.notef("note: pictures are stored with a long side of at most 1280 pixels; the recorded " +
			"model saw larger ones")
	}
	return err
}
