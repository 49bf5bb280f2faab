package guard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// Scope is how far a [Grant] reaches.
type Scope string

// The scopes.
const (
	ForSession Scope = "session" // actions of one session
	ForApp     Scope = "app"     // actions in one app
	ForAction  Scope = "action"  // actions of one name
	ForAll     Scope = "all"
)

// Scopes is all of them. Not to be changed.
var Scopes = []Scope{ForSession, ForApp, ForAction, ForAll}

// How long a grant holds.
const (
	grantTime    = 15 * time.Minute // when nothing else is said
	MaxGrantTime = 24 * time.Hour
)

// Grant is a person's leave to carry out, without asking, what a policy would ask about. It has an
// end, and never covers critical actions.
type Grant struct {
	Scope Scope     `json:"scope"`
	Name  string    `json:"name,omitempty"` // of the session, the app or the action. "" means all
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
	By    string    `json:"by,omitempty"` // who gave it
}

// NewGrant returns a grant that begins at the given time and holds for that long. 0 means
// [grantTime].
func NewGrant(scope Scope, name string, from time.Time, holds time.Duration) (Grant, error) {
	if holds == 0 {
		holds = grantTime
	}
	g := Grant{Scope: scope, Name: strings.TrimSpace(name), From: from, Until: from.Add(holds)}
	switch {
	case !slices.Contains(Scopes, scope):
		return Grant{}, hint.Add(fmt.Errorf("unknown scope %q", string(scope)),
			"want session, app, action or all")
	case scope == ForAll && g.Name != "":
		return Grant{}, hint.Add(fmt.Errorf("the scope all takes no name, and %q was given", name),
			"leave the name out, or choose the scope session, app or action")
	case scope != ForAll && g.Name == "":
		return Grant{}, hint.Add(fmt.Errorf("the scope %s has no name", scope),
			"say which "+string(scope)+", or choose the scope all")
	case strings.ContainsAny(g.Name, "*?"):
		return Grant{}, hint.Add(fmt.Errorf("%q is a pattern", name),
			"name one "+string(scope)+", or choose the scope all")
	case holds < 0 || holds > MaxGrantTime:
		return Grant{}, hint.Add(fmt.Errorf("it would hold for %v", holds),
			"want a duration above 0 and up to 24h, such as 15m")
	}
	return g, nil
}

// String is the grant for people, for example: app com.shop until 2026-01-02 12:15:00 UTC.
func (g Grant) String() string {
	what := string(g.Scope)
	if g.Name != "" {
		what += " " + g.Name
	}
	return what + " until " + g.Until.UTC().Format("2006-01-02 15:04:05 MST")
}

// Covers reports whether g lets the action, of that session, pass at that time although d asks
// about it. It never does for one that is critical, nor for one that is denied, nor when it would
// hold for longer than MaxGrantTime.
func (g Grant) Covers(now time.Time, session string, s Subject, d Decision) bool {
	if d.Verdict != Ask || d.Severity >= Critical || now.Before(g.From) || !now.Before(g.Until) ||
		g.Until.Sub(g.From) > MaxGrantTime {
		return false
	}
	switch g.Scope {
	case ForAll:
		return true
	case ForSession:
		return g.Name != "" && g.Name == session
	case ForApp:
		return g.Name != "" && g.Name == s.App
	case ForAction:
		return g.Name != "" && strings.EqualFold(g.Name, s.Action)
	}
	return false
}
