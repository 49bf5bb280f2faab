package inquiry

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// together puts the approvals that are wanted at the same time, such as those of the calls of one
// reply of a model, to people as one question, with a decision for each in their order. It is safe
// for concurrent use.
type together struct {
	key   string
	parts []*Part

	mu      sync.Mutex
	open    int           // parts that have neither asked nor left
	settled chan struct{} // closed when there are no such parts

	ask, apply   sync.Once
	asked        Question
	err, applied error
}

// NewTogether returns the parts of n askers, in the order of their actions. Their question has the
// key, so that they find it again after a restart. Each part must ask or leave.
func NewTogether(key string, n int) []*Part {
	t := &together{key: key, open: n, settled: make(chan struct{})}
	for range n {
		t.parts = append(t.parts, &Part{of: t, at: -1})
	}
	return t.parts
}

// Part is one asker of a [Together]. Its methods do nothing for nil.
type Part struct {
	of   *together
	said bool // has asked or left
	q    *Question
	at   int // the index of its action in the question, -1 if it has a question by itself
}

type partKey struct{}

// With returns a context that carries the part.
func (p *Part) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, partKey{}, p)
}

// PartOf returns the part in a context, or nil.
func PartOf(ctx context.Context) *Part {
	p, _ := ctx.Value(partKey{}).(*Part)
	return p
}

// say notes that the part asks q, or nothing for nil. It reports whether it is the first time.
func (p *Part) say(q *Question) bool {
	t := p.of
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.said {
		return false
	}
	p.said, p.q = true, q
	if t.open--; t.open == 0 {
		close(t.settled)
	}
	return true
}

// Leave says that the part asks nothing.
func (p *Part) Leave() {
	if p != nil {
		p.say(nil)
	}
}

// Ask waits until all parts have asked or left, and opens one question for all that have asked.
// at is the index of the part's action in it. It is -1 if the part has to ask by itself: no other
// part asks, the actions cannot be in one question, or it has asked before.
func (p *Part) Ask(ctx context.Context, b *Broker, q Question) (together Question, at int,
	err error) {
	if p == nil || !p.say(&q) {
		return q, -1, nil
	}
	t := p.of
	select {
	case <-t.settled:
	case <-ctx.Done():
		return q, -1, context.Cause(ctx)
	}
	t.ask.Do(func() { t.asked, t.err = t.find(ctx, b) })
	return t.asked, p.at, t.err
}

// Apply is [Broker.Apply], once for all parts of the question.
func (p *Part) Apply(ctx context.Context, b *Broker, q Question) error {
	if p == nil || p.at < 0 || p.of.asked.ID != q.ID {
		_, err := b.Apply(ctx, q.ID, q.Fence)
		return err
	}
	p.of.apply.Do(func() { _, p.of.applied = b.Apply(ctx, q.ID, q.Fence) })
	return p.of.applied
}

// find opens the question of all parts, or finds the one that was opened before a restart. Parts
// that do not fit into it keep -1.
func (t *together) find(ctx context.Context, b *Broker) (Question, error) {
	whole, parts := t.merged()
	if len(parts) < 2 {
		return Question{}, nil
	}
	q, err := b.Open(ctx, whole)
	if errors.Is(err, ErrKeyTaken) {
		q, err = t.before(ctx, b, whole)
	}
	if err == nil && q.ID != "" {
		for i, p := range parts {
			p.at = i
		}
	}
	return q, err
}

// before returns the question under the key if it is the same and its answer was not used.
func (t *together) before(ctx context.Context, b *Broker, whole Question) (Question, error) {
	list, err := b.List(ctx, Filter{Client: &whole.Client, Key: t.key, Unapplied: true})
	for _, q := range list {
		if As[Approval](q).Bound == As[Approval](whole).Bound {
			return q, err
		}
	}
	return Question{}, err
}

// merged returns one question for the parts that ask and fit into one, and those parts.
func (t *together) merged() (whole Question, parts []*Part) {
	var sum *Approval
	for _, p := range t.parts {
		if p.q == nil {
			continue
		}
		a := As[Approval](*p.q)
		switch {
		case sum == nil:
			whole = p.q.Clone()
			whole.Key = t.key
			sum = As[Approval](whole)
		case !sum.add(a):
			continue
		default:
			whole.Text += "\n" + p.q.Text
		}
		parts = append(parts, p)
	}
	return whole, parts
}

// add adds the actions of another approval. It reports false, and adds nothing, if different things
// may be decided about actions of one name.
func (a *Approval) add(o *Approval) bool {
	for _, c := range o.ReviewConfigs {
		if i := a.configOf(c.ActionName); i >= 0 && !reflect.DeepEqual(c, a.ReviewConfigs[i]) {
			return false
		}
	}
	if len(a.ActionRequests)+len(o.ActionRequests) > maxRequests {
		return false
	}
	for _, c := range o.ReviewConfigs {
		if a.configOf(c.ActionName) < 0 {
			a.ReviewConfigs = append(a.ReviewConfigs, c)
		}
	}
	a.ActionRequests = append(a.ActionRequests, o.ActionRequests...)
	if a.EditNames == nil {
		a.EditNames = map[string][]string{}
	}
	maps.Copy(a.EditNames, o.EditNames)
	a.Severity = worse(a.Severity, o.Severity)
	a.Bound += boundSeparator + o.Bound
	if a.Act != nil && o.Act != nil {
		act := *a.Act
		act.More = append(slices.Clip(act.More), o.Act)
		a.Act = &act
	}
	if !strings.Contains(a.Reason, o.Reason) {
		a.Reason += "; " + o.Reason
	}
	a.Target = "" // leave is for one thing
	for _, both := range []struct{ mine, other *string }{{&a.Rule, &o.Rule},
		{&a.Server, &o.Server}} {
		if *both.mine != *both.other {
			*both.mine = ""
		}
	}
	return true
}

// boundSeparator is between the bounds of the actions of a question.
const boundSeparator = "\n"

// Bounds are what the decisions are about, one each, in the words of who asked.
func (a *Approval) Bounds() []string { return strings.Split(a.Bound, boundSeparator) }

// worse is the severity that more harm goes with.
func worse(a, b Severity) Severity {
	if a == Routine || a == Sensitive && b != Routine {
		return b
	}
	return a
}
