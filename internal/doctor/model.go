package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Model is the model that decides.
type Model struct {
	Name, BaseURL string
	Dialect       string // "auto" to choose by the model's name
	Table         dialect.Table
	Prompt        dialect.Options
	Unset         string // the variable that is to hold the key, if it is not set
	Replayed      bool   // a recording answers in the model's place
	Open          func() (policy.Completer, func() error, error)
}

// modelShare is of the time that the model has for both questions, which it is asked at the same
// time.
const modelShare = 0.85

// check asks the model to read a code that is drawn, and to tap a target on a drawn screen.
func (m *Model) check(ctx context.Context, l *ledger) {
	spoken, err := m.Table.New(m.Dialect, &m.Prompt)
	var asked policy.Completer
	var end func() error
	if err == nil {
		asked, end, err = m.Open()
	}
	if err != nil {
		l.add("model.unset", "model", "why", whyOf(err))
		return
	}
	defer func() { _ = end() }()
	if m.Replayed {
		l.add("model.replay", "model", "model", text.Line(m.Name))
		return
	}
	asking, cancel := part(ctx, modelShare)
	defer cancel()
	var sight reading
	var aim aiming
	var wg sync.WaitGroup
	wg.Go(func() { sight.ask(asking, asked, rand.Uint64(), spoken.Profile().Lang) })
	wg.Go(func() { aim.ask(asking, asked, rand.Uint64(), m, spoken) })
	wg.Wait()
	m.judge(ctx, l, &sight, &aim)
}

// judge names the first thing that is wrong: what is wrong behind it follows from it, or is found
// when it is mended.
func (m *Model) judge(ctx context.Context, l *ledger, sight *reading, aim *aiming) {
	id, why := "model.ready", ""
	switch err := cmp.Or(aim.failed, sight.failed); {
	case blindness(err):
		id, why = "model.blind", whyOf(err)
	case err == nil && !sight.right && !aim.hit && !aim.short:
		id, why = "model.blind", sight.said
	case err != nil && kindOf(err) != "model.silent" && overTLS(ctx, m.BaseURL):
		id, why = "model.scheme", whyOf(err)
	case err != nil:
		id, why = kindOf(err), whyOf(err)
	case aim.unread != nil && aim.cut:
		id, why = "model.cut", whyOf(aim.unread)
	case aim.unread != nil:
		id, why = "model.unreadable", whyOf(aim.unread)
	case aim.family != "" && aim.hit && !aim.misread:
		id = "model.dialect"
	case aim.family != "":
		id = "model.dialect:misread"
	case !aim.pointed:
		id = "model.dialect:pointless"
	case !aim.hit:
		id = "model.places"
	}
	if id == "model.key" && m.Unset != "" {
		id = "model.key:unset"
	}
	l.add(id, "model", "model", m.name(), "variable", text.Line(m.Unset),
		"url", text.Line(text.Address(m.BaseURL)), "why", why, "dialect", aim.asked,
		"family", aim.family, "said", aim.said, "took", seconds(aim.took),
		"sent", strconv.Itoa(aim.usage.PromptTokens),
		"received", strconv.Itoa(aim.usage.CompletionTokens))
}

func (m *Model) name() string {
	return cmp.Or(text.Line(m.Name), "a model without a name (model.name is empty)")
}

// blindness reports whether the endpoint refused the picture itself.
func blindness(err error) bool {
	e, is := errors.AsType[*model.Error](err)
	return is && e.NoPictures()
}

// kindOf returns the finding for an error of asking.
func kindOf(err error) string {
	e, is := errors.AsType[*model.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded), is && e.Kind == model.TimedOut:
		return "model.silent"
	case !is:
		return "model.failed"
	}
	switch e.Kind {
	case model.Unreachable:
		return unreached(e)
	case model.Unauthorized:
		return "model.key"
	case model.NoSuchModel:
		return "model.name"
	case model.NoSuchPath:
		return "model.path"
	case model.RateLimited:
		return "model.limit"
	}
	if e.Alien() {
		return "model.path"
	}
	return "model.failed"
}

// unreached returns the finding for an address that was not understood, or did not answer at all.
func unreached(e *model.Error) string {
	_, refused := errors.AsType[*tls.CertificateVerificationError](e)
	switch {
	case refused:
		return "model.certificate"
	case errors.Is(e, http.ErrSchemeMismatch):
		return "model.scheme"
	case errors.Is(e, io.ErrUnexpectedEOF): // it answered, and not to the end
		return "model.failed"
	}
	return "model.unreachable"
}

// overTLS reports whether https is spoken where an address says http.
func overTLS(ctx context.Context, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	d := tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}} // nothing is sent
	n, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80")))
	if err == nil {
		_ = n.Close()
	}
	return err == nil
}

// reading is the question for a code that is drawn.
type reading struct {
	right  bool
	said   string
	failed error
}

func (r *reading) ask(ctx context.Context, m policy.Completer, seed uint64, lang string) {
	code := newCode(seed)
	jpeg, err := drawCode(code)
	if err != nil {
		r.failed = err
		return
	}
	reply, err := m.Complete(ctx, model.Request{Messages: []model.Message{{Role: "user",
		Parts: []model.Part{{JPEG: jpeg}, {Text: textsIn(lang).Ask.Code}}}}})
	letters := strings.Map(func(c rune) rune {
		if strings.ContainsRune(alphabet, c) {
			return c
		}
		return -1
	}, strings.ToUpper(reply.Text))
	r.right, r.failed = strings.Contains(letters, code), err
	r.said = text.Cut(text.Line(reply.Text), 200)
}

// aiming is the question for a target on a drawn screen.
type aiming struct {
	asked  string // the dialect of the question
	family string // the dialect of the answer if that is another one
	unread error  // why the answer cannot be read
	hit    bool

	pointed bool
	misread bool // the dialect of the question reads other places than that of the answer
	cut     bool // a token limit cut the answer off
	short   bool // the answer is empty, or a token limit cut it off
	said    string
	took    time.Duration
	usage   model.Usage
	failed  error
}

func (a *aiming) ask(
	ctx context.Context, asked policy.Completer, seed uint64, m *Model, spoken dialect.Dialect,
) {
	t, err := drawTarget(seed)
	if err != nil {
		a.failed = err
		return
	}
	reply, at, err := a.put(ctx, asked, t, spoken)
	if policy.RefusesTools(err) {
		if tooled, is := spoken.(dialect.Tooled); is && tooled.Toolless() != nil {
			spoken = tooled.Toolless()
			reply, at, err = a.put(ctx, asked, t, spoken)
		}
	}
	if a.failed = err; err != nil {
		return
	}
	a.said = text.Cut(text.Line(spoken.Transcript(reply)), 200)
	a.cut = reply.Cut
	a.short = reply.Cut || a.said == ""
	a.read(m, spoken, reply, at, t)
}

// put asks for the target in a dialect.
func (a *aiming) put(ctx context.Context, m policy.Completer, t target, d dialect.Dialect) (
	actions.Reply, dialect.Situation, error) {
	profile := d.Profile()
	a.asked = profile.Name
	at := dialect.Situation{Task: textsIn(profile.Lang).Ask.Target,
		Screen: screen.Observation{Frame: t.frame}}
	if profile.Elements {
		at.Screen.Elements = t.elements
	}
	asked, err := d.Prompt(at)
	if err != nil {
		return actions.Reply{}, at, err
	}
	began := time.Now()
	reply, usage, err := policy.Ask(ctx, m, asked)
	a.took, a.usage = time.Since(began), usage
	return reply, at, err
}

// read reads the reply in the dialect of the question, or in the one that it is in.
func (a *aiming) read(
	m *Model, spoken dialect.Dialect, reply actions.Reply, at dialect.Situation, t target,
) {
	decision, err := spoken.Parse(reply, at)
	if d, is := spoken.(dialect.Detector); is && err != nil {
		decision, a.family = d.Detect(reply, at)
	}
	a.pointed, a.hit = t.under(decision)
	if a.hit {
		return
	}
	own := m.Prompt
	own.Template, own.Fit = nil, new(spoken.Profile().Fit)
	for _, f := range m.Table {
		d, bad := m.Table.New(f.Name, &own)
		if f.Name == a.asked || !f.Wrote(reply) || bad != nil {
			continue
		}
		read, bad := d.Parse(reply, at)
		_, hit := t.under(read)
		if bad == nil && (hit || err != nil && a.family == "") {
			a.family, a.misread, a.hit = f.Name, true, hit
		}
		if hit {
			break
		}
	}
	if a.family == "" {
		a.unread = err
	}
}

// under reports whether the action points, and whether it points to the target.
func (t target) under(d actions.Decision) (pointed, hit bool) {
	if d.Action == nil {
		return false, false
	}
	touch := d.Action.Traits()
	pointed = touch.Pointed()
	return pointed, pointed && touch.Points[0].Pixel(t.frame.Size()).In(t.box)
}
