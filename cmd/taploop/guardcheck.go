package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/judge"
	guardphone "github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

type guardCmd struct {
	Check guardCheckCmd `cmd:""`
}

type guardCheckCmd struct {
	Session string `arg:"" optional:""`
	Action  string `placeholder:"JSON"`
	Rules   string `key:"guard.file" placeholder:"FILE"`
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run explains what the rules decide. It touches no phone and changes nothing.
func (c *guardCheckCmd) Run(ctx context.Context, a *invocation) error {
	if c.Session != "" && c.Action != "" {
		return app.Usage(errors.New("there is a session and an action"), "leave one of them out")
	}
	if err := a.Load(); err != nil {
		return err
	}
	p, err := a.Conf.GuardPolicy(a.Lang())
	if err != nil {
		return app.Usage(err, "")
	}
	app.NoteGuard(&a.Settings)
	switch {
	case p == nil:
		return nil
	case c.Action != "":
		return c.one(ctx, a, p)
	case c.Session != "":
		return c.steps(ctx, a, p)
	}
	return printList(a, c.JSON, p.Rules(), "", "RULE DECISION SEVERITY ACTION APP ABOUT",
		func(r guard.Rule) []any {
			return []any{r.Name, a.term(string(r.Decision)),
				a.term(cmp.Or(r.Severity, "sensitive")),
				cmp.Or(strings.Join(r.Action, ","), "*"), cmp.Or(strings.Join(r.App, ","), "*"),
				cmp.Or(text.Cut(r.When, 200), r.Description, "-")}
		})
}

// one explains the decision about an action that is given as JSON.
func (c *guardCheckCmd) one(ctx context.Context, a *invocation, p *guard.Policy) error {
	var s guard.Subject
	d := json.NewDecoder(bytes.NewReader([]byte(c.Action)))
	d.DisallowUnknownFields()
	err := d.Decode(&s)
	if err == nil && d.Decode(new(any)) != io.EOF {
		err = errors.New("there is more behind it")
	}
	if err == nil && s.Action == "" {
		err = errors.New("it names no action")
	}
	if err != nil {
		return app.Usage(fmt.Errorf("reading --action: %w", err),
			`want one JSON object, such as {"action": "CLICK", "app": "com.shop", `+
				`"element": {"text": "Pay now"}}`)
	}
	verb := strings.ToUpper(s.Action)
	if _, onPhones := actions.TraitsOf(verb); onPhones {
		s.Action = verb
	} else {
		a.notef("%s is no action on a phone: it is judged as the name of a tool",
			text.Quote(s.Action, 100))
	}
	asks, err := judged(ctx, a, p, &s)
	if err != nil {
		return err
	}
	said := p.Decide(s)
	if c.JSON {
		return printJSON(a.out, struct {
			guard.Decision
			Judge string `json:"judge,omitempty"`
		}{said, asks})
	}
	for _, line := range [][2]string{
		{"decision", string(said.Verdict)}, {"severity", said.Severity.String()},
		{"rule", cmp.Or(said.Rule, "none")}, {"why", said.Reason},
		{"described as", said.Description}, {"answers", strings.Join(said.Allowed, ", ")},
		{"judge", asks},
	} {
		if line[1] != "" {
			if _, err := fmt.Fprintf(a.out, "%-14s%s\n", a.term(line[0]),
				a.term(text.Line(line[1]))); err != nil {
				return err
			}
		}
	}
	return nil
}

// judged says what the judge has to do with an action, "" for nothing, and puts what is remembered
// of its label into s.
func judged(
	ctx context.Context, a *invocation, p *guard.Policy, s *guard.Subject,
) (says string, err error) {
	label, key := text.Quote(s.Label(), 100), judge.Key(s.Label())
	all := a.Conf.Guard.Judge == config.Always
	if !a.Conf.Guard.Judges() || key == "" || s.Judged != "" || !all && !p.Unknown(*s) {
		return "", nil
	}
	says = fmt.Sprintf("the model %s is asked about %s in a run",
		cmp.Or(a.Conf.Guard.JudgeModel, a.Conf.Model.Name), label)
	if _, err := os.Stat(a.Conf.DataDir); err != nil {
		return says, nil
	}
	err = a.reading(ctx, func(db *store.Store) error {
		known, err := db.Judged.Judged(ctx, s.App, []string{key})
		if act, is := known[key]; is {
			s.Judged = cmp.Or(act, guard.Harmless)
			says = fmt.Sprintf("of %s it is remembered: %s", label, s.Judged)
		}
		return err
	})
	return says, err
}

// checkedStep is a step with what the rules say about it.
type checkedStep struct {
	Step    int    `json:"step"`
	Action  string `json:"action"`
	App     string `json:"app,omitempty"`
	Element string `json:"element,omitempty"`
	guard.Decision
	// the elements of its screen are not known: the rules go by the action and the app
	Unseen bool `json:"unseen,omitempty"`
}

// steps explains the decision about each step of a session that touches the phone.
func (c *guardCheckCmd) steps(ctx context.Context, a *invocation, p *guard.Policy) error {
	return a.readingSession(ctx, c.Session, func(db *store.Store, sess store.Session) error {
		steps, err := db.Steps(ctx, sess.ID, 0)
		if err != nil {
			return err
		}
		var list []checkedStep
		var run store.Run
		for i := range steps {
			st := &steps[i]
			if st.RunID != run.ID {
				if run, err = db.Runs.Get(ctx, st.RunID); err != nil {
					return err
				}
			}
			act := st.Proposal.Action
			if act != nil && act.Traits().Kind != actions.KindNone {
				list = append(list, checkStep(p, st, run.Task))
			}
		}
		return printList(a, c.JSON, list, "no step of the session touched the phone",
			"STEP ACTION ELEMENT DECISION SEVERITY RULE WHY", func(s checkedStep) []any {
				why := s.Reason
				if s.Unseen {
					why = strings.TrimSpace("(elements not known) " + why)
				}
				return []any{s.Step, s.Action, cmp.Or(s.Element, "-"), a.term(string(s.Verdict)),
					a.term(s.Severity.String()),
					cmp.Or(s.Rule, "-"), cmp.Or(why, "-")}
			})
	})
}

func checkStep(p *guard.Policy, st *store.StepRecord, task string) checkedStep {
	d := st.Proposal.Decision
	s, said, unseen := guardphone.Recheck(p, st.Seen, st.Screen.State.App, task, d)
	out := checkedStep{Step: st.Index, Action: actions.Describe(d.Action), App: s.App,
		Decision: said, Unseen: unseen}
	if e := s.Element; e != nil {
		out.Element = text.Cut(text.Line(cmp.Or(e.Text, e.Description, e.ResourceID)), 60)
	}
	return out
}
