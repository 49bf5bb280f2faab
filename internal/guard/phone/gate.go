package phone

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/judge"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Options of a Gate.
type Options struct {
	Expires time.Duration // how long an approval holds, 0 means 10 minutes
	Lang    string        // of texts for people, see words.Match
	// Leave returns a person's leave for an action about which the policy would ask, or nil. It is
	// not called for critical actions. nil finds none.
	Leave func(ctx context.Context, s guard.Subject, d guard.Decision) (*agentloop.Leave, error)
	// Wish is a person's own words, where the task is not: see guard.Subject.
	Wish *string
	// Said returns what a person has said to the run since it began, oldest first. nil finds none.
	Said func(ctx context.Context) ([]string, error)
	// Judge says what touches do of which the policy finds nothing. It is the run's own. nil leaves
	// these touches to the policy.
	Judge    *judge.Judge
	JudgeAll bool // it is also asked about touches of which the policy knows something
	Replays  bool // the run repeats what another one did

	Now func() time.Time // nil means time.Now
}

// Gate decides about the actions of a run by a policy. It keeps in which apps a person has decided
// about an action of the run.
type Gate struct {
	policy *guard.Policy
	opts   Options

	mu      sync.Mutex
	decided map[string]bool   // by app
	names   map[string]string // of apps that were opened on the home screen, by package
	pressed string            // the name of the app that was last touched there
	typed   []string          // by the run
}

var _ agentloop.Gate = (*Gate)(nil)

// New returns a gate over the policy. opts may be nil.
func New(p *guard.Policy, opts *Options) *Gate {
	g := &Gate{policy: p, decided: map[string]bool{}, names: map[string]string{},
		opts: *cmp.Or(opts, &Options{})}
	g.opts.Expires = cmp.Or(g.opts.Expires, 10*time.Minute)
	if g.opts.Now == nil {
		g.opts.Now = time.Now
	}
	return g
}

// How long the gate waits for the elements once the model has decided. A screen that never rests
// has none, and is judged without them. A scroll does harm only on a slider, and a scrolled screen
// often does not rest. For a scroll the time since the look counts, except for this minimum. Before
// a person is asked only because the elements are missing, the wait is longer, since that costs
// less than a person's time.
const (
	reading          = 5 * time.Second
	readingForScroll = time.Second
	readingToAsk     = 10 * time.Second
)

// Check implements agentloop.Gate.
func (g *Gate) Check(
	ctx context.Context, s agentloop.Situation, d actions.Decision,
) (agentloop.Verdict, error) {
	wait := reading
	if d.Action.Traits().Scrolls {
		since := g.opts.Now().Sub(s.Screen.At)
		wait = min(max(reading-since, readingForScroll), reading)
	}
	v, known, err := g.within(ctx, s, d, wait)
	if err == nil && !known && !v.Allowed() {
		if r, keeps := s.Reader.(interface{ Again() }); keeps {
			r.Again()
		}
		v, _, err = g.within(ctx, s, d, readingToAsk)
	}
	return v, err
}

// within decides by the elements if they arrive in this time, which known says, or do not matter.
// Otherwise it decides without them.
func (g *Gate) within(
	ctx context.Context, s agentloop.Situation, d actions.Decision, wait time.Duration,
) (v agentloop.Verdict, known bool, err error) {
	look := g.read(ctx, s, d.Action, wait)
	if ctx.Err() != nil {
		return v, false, context.Cause(ctx)
	}
	list := Subjects(look, s.Task, d)
	unlisted := len(list[0].Screen) == 0
	if unlisted && g.decides(list[0].App, s.Pending != nil && s.Pending.Ruling != nil) {
		unlisted = false
	}
	name := g.appName(&list[0])
	for i := range list {
		list[i].Wish, list[i].Unlisted, list[i].Name = g.opts.Wish, unlisted, name
	}
	if err := g.judge(ctx, look, list); err != nil {
		return v, false, err
	}
	v, err = g.verdict(ctx, s, look, d, list)
	return v.With(encodeSeen(list)).Costing(g.spent()), look.Elements != nil, err
}

// appName is what people call the app in front: its known name, or the one by which the run has
// opened it on the home screen. It keeps what is typed.
func (g *Gate) appName(s *guard.Subject) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.Typed != "" {
		g.typed = append(g.typed, s.Typed)
	}
	if guard.Launcher(s.App) {
		g.pressed = text.Cut(s.Label(), 100)
		return ""
	}
	g.names[s.App] = cmp.Or(g.names[s.App], g.pressed)
	g.pressed = ""
	return cmp.Or(words.AppName(s.App, words.Default), g.names[s.App])
}

// decides reports whether a person has decided in the app before. now says that one does for the
// present action.
func (g *Gate) decides(app string, now bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.decided[app]
	g.decided[app] = was || now
	return was
}

func (g *Gate) verdict(
	ctx context.Context, s agentloop.Situation, look screen.Observation, d actions.Decision,
	list []guard.Subject,
) (agentloop.Verdict, error) {
	subject, decision, err := g.decide(ctx, list)
	if err != nil {
		return agentloop.Verdict{}, err
	}
	if why := blind(look, d.Action); why != "" && !ruled(decision) {
		return agentloop.Refuse(why), nil
	}
	switch decision.Verdict {
	case guard.Deny:
		return agentloop.Refuse(cmp.Or(text.Cut(decision.Reason, 500),
			phrasesIn(g.opts.Lang).Forbidden)), nil
	case guard.HandOver:
		return agentloop.Ask(g.handOver(subject, decision, look, d.Action)), nil
	}
	ruling := rulingIn(s)
	if ruling == nil && decision.Verdict == guard.Allow {
		return allow(decision), nil
	}
	now := bind(look, d.Action, list)
	as := asKnown(now, look, s.Task, d)
	for _, r := range s.Rejected {
		if b, ok := parseBound(r); ok && b.repeated(as(b), look.Elements) {
			return agentloop.Rejected("it was rejected before, on the same screen"), nil
		}
	}
	if ruling != nil { // it was about that screen, however harmless the action is on this one
		again := g.stale(*ruling, as, decision)
		if again == "" {
			return agentloop.Allow().Exactly(), nil
		}
		decision.Severity = max(decision.Severity, severity(*ruling))
		if decision.Verdict == guard.Allow {
			decision.Allowed = guard.Decisions
		}
		return agentloop.Ask(g.question(subject, decision, look, now, d, again)), nil
	}
	if decision.Severity < guard.Critical && g.opts.Leave != nil {
		leave, err := g.opts.Leave(ctx, subject, decision)
		if err != nil || leave != nil {
			return agentloop.Allow().Exactly().Under(leave), err
		}
	}
	return agentloop.Ask(g.question(subject, decision, look, now, d, "")), nil
}

// rulingIn returns what a person has decided about the pending action, or nil.
func rulingIn(s agentloop.Situation) *agentloop.Ruling {
	if s.Pending == nil {
		return nil
	}
	return s.Pending.Ruling
}

// decide is the policy's decision. Where a person's words may consent or forbid, the later ones
// count, too.
func (g *Gate) decide(ctx context.Context, list []guard.Subject) (
	guard.Subject, guard.Decision, error,
) {
	subject, decision := Decide(g.policy, list)
	if decision.Severity != guard.Sensitive || g.opts.Said == nil {
		return subject, decision, nil
	}
	said, err := g.opts.Said(ctx)
	for i := range list {
		list[i].Later = said
	}
	subject, decision = Decide(g.policy, list)
	return subject, decision, err
}

// allow lets an action be carried out without a question. What is more than routine is done on
// exactly the screen that it was decided about.
func allow(d guard.Decision) agentloop.Verdict {
	if d.Severity > guard.Routine {
		return agentloop.Allow().Exactly()
	}
	return agentloop.Allow()
}

// asKnown gives now, which is bound to the look, as far as it was known then.
func asKnown(
	now bound, look screen.Observation, task string, d actions.Decision,
) func(then bound) bound {
	return func(then bound) bound {
		switch {
		case look.Elements == nil:
			return now.withElementsOf(then)
		case then.pictured():
			bare := look
			bare.Elements = nil
			return bind(bare, d.Action, Subjects(bare, task, d))
		}
		return now
	}
}

// read is the look with its elements, where they matter. That they cannot be had is no error.
func (g *Gate) read(
	ctx context.Context, s agentloop.Situation, a actions.Action, wait time.Duration,
) screen.Observation {
	look := s.Screen
	ruled := s.Pending != nil && s.Pending.Ruling != nil // about a screen with its elements
	matter := onElements(a) || g.policy.Looks() || ruled
	if look.Elements != nil || s.Reader == nil || !matter {
		return look
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if list, err := s.Reader.Elements(ctx); err == nil {
		look.Elements = list
	}
	return look
}

// stale says why a person's decision does not hold for the present screen, or "" if it does.
func (g *Gate) stale(r agentloop.Ruling, now func(bound) bound, d guard.Decision) string {
	then, ok := parseBound(r.Bound)
	switch {
	case r.Type != agentloop.Approve && r.Type != agentloop.Edit || !ok:
		return "the approval"
	case g.opts.Now().Sub(r.At) > g.opts.Expires || r.At.After(g.opts.Now().Add(time.Minute)):
		return "expired"
	case d.Severity > severity(r):
		return "the severity"
	case r.Type == agentloop.Edit:
		return then.screenDiff(now(then))
	}
	return then.diff(now(then))
}

// severity is that of what was decided about.
func severity(r agentloop.Ruling) (s guard.Severity) {
	_ = s.UnmarshalText([]byte(r.Severity)) // leaves what cannot be read routine
	return s
}

// question is what a person is asked.
func (g *Gate) question(
	s guard.Subject, d guard.Decision, look screen.Observation, now bound, does actions.Decision,
	again string,
) agentloop.Question {
	w := phrasesIn(g.opts.Lang)
	what := actions.Describe(does.Action)
	under := w.under(s.Element)
	if does.Secret {
		what, under = actions.Brief(does.Action, g.opts.Lang), w.Key
	}
	why := func(lang, reason string) string {
		return text.Cut(strings.TrimSpace(phrasesIn(lang).Again[again]+"\n"+reason), 500)
	}
	reason := why(g.opts.Lang, d.Reason)
	act := g.act(s, d, look, does.Action)
	if does.Secret {
		act.Label, act.Facts = w.Key, consent.Facts{}
	}
	asks := act.Describe(g.opts.Lang).Text()
	if d.Description != "" && !d.Made {
		asks = d.Description
		act.Says, act.Ruled = d.Description, true
	}
	act.Because = words.Each(func(lang string) string {
		return why(lang, cmp.Or(d.Reasons[lang], d.Reason))
	})
	return agentloop.Question{Kind: agentloop.KindApproval, Text: join(asks, reason),
		Review: &agentloop.Review{Allowed: d.Allowed, Severity: d.Severity.String(),
			Description: cmp.Or(d.Description, s.Describe(what)), Element: under, Rule: d.Rule,
			Reason: reason, Bound: now.String(), Target: s.Target(), Act: act}}
}

// handOver is what a person is asked to do on the phone, in the place of an action.
func (g *Gate) handOver(
	s guard.Subject, d guard.Decision, look screen.Observation, a actions.Action,
) agentloop.Question {
	act := g.act(s, d, look, a)
	says := func(lang string) string {
		asks := fmt.Sprintf(phrasesIn(lang).ByHand, act.Describe(lang).Does)
		return join(cmp.Or(d.Description, asks), cmp.Or(d.Reasons[lang], d.Reason))
	}
	return agentloop.Question{Kind: agentloop.KindTakeover, Text: says(words.Match(g.opts.Lang)),
		Says: words.Each(says)}
}

// act is what a person is asked to consent to.
func (g *Gate) act(
	s guard.Subject, d guard.Decision, look screen.Observation, a actions.Action,
) *consent.Act {
	act := &consent.Act{Verb: a.Verb(), App: s.App, Label: written(s.Element), Typed: s.Typed,
		Name: s.Name}
	if l := s.Layout; l != nil {
		act.Says = asked(*l, act.Label)
		act.Facts = facts(look, a, strings.TrimPrefix(d.Rule, "built-in: "), act.Label, g.typed)
	}
	return act
}

// written is what is written on an element in a line, in which the lines of a card are told apart,
// "" if nothing is: its text is not that of a field.
func written(e *guard.Element) string {
	if e == nil {
		return ""
	}
	if strings.HasSuffix(e.Class, "EditText") {
		return e.Description
	}
	lines := strings.FieldsFunc(cmp.Or(e.Text, e.Description),
		func(r rune) bool { return r == '\n' })
	return strings.Join(lines, " · ")
}

// asked is what a screen asks in its own words: a dialog by a question in it, by its title, or by
// what it says below a title that has nothing to do with the label, such as "Warning". A page has
// questions of other kinds too, such as "Forgot your password?", so one counts only where the label
// answers it.
func asked(l guard.Layout, label string) string {
	if l.Dialog || consent.Answers(label) {
		for _, words := range append([]string{l.Title}, l.Words...) {
			if consent.Asks(words) {
				return words
			}
		}
	}
	if !l.Dialog {
		return ""
	}
	title := text.Line(l.Title)
	if named(title, label) {
		return title
	}
	for _, words := range l.Words {
		if s := consent.Statement(words); s != "" {
			return s
		}
	}
	return title
}

// named reports whether a title has the label in it, or a longer word of it.
func named(title, label string) bool {
	title, label = strings.ToLower(title), strings.ToLower(text.Line(label))
	return label != "" && strings.Contains(title, label) ||
		slices.ContainsFunc(strings.Fields(label), func(word string) bool {
			return utf8.RuneCountInString(word) > 3 && strings.Contains(title, word)
		})
}

func join(a, b string) string {
	if b == "" || b == a {
		return text.Cut(a, 1000)
	}
	return text.Cut(a, 1000) + "\n" + text.Cut(b, 500)
}

// phrases are the texts for people, in a language.
type phrases struct {
	ByHand, Nothing, Forbidden string

	Key string // in the place of a key by which a secret is entered

	Again map[string]string // by what has changed
}

var phrasesIn = words.Of[phrases]("gate")

// under is the element in words: the screen's own are in quotes.
func (w *phrases) under(e *guard.Element) string {
	if e == nil {
		return w.Nothing
	}
	if line := text.Line(cmp.Or(written(e), e.ResourceID, e.Class)); line != "" {
		return text.Quote(line, 100)
	}
	return w.Nothing
}
