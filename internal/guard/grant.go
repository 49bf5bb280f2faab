package guard

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/words"
)

// Scope is how far a [Grant] reaches.
type Scope string

// The scopes.
const (
	ForSession Scope = "session" // actions of one session, and of sessions that it has begun
	ForApp     Scope = "app"     // actions on phones in one app
	ForAction  Scope = "action"  // actions on phones of one name
	ForServer  Scope = "server"  // calls of the tools of one server
	ForTool    Scope = "tool"    // calls of one tool: TOOL of any server, or SERVER/TOOL
	ForAll     Scope = "all"
)

// Scopes is all of them. Not to be changed.
var Scopes = []Scope{ForSession, ForApp, ForAction, ForServer, ForTool, ForAll}

// How long a grant holds.
const (
	grantTime    = 15 * time.Minute // when nothing else is said
	MaxGrantTime = 24 * time.Hour
	MaxGrantUses = 1000
)

// Grant is a person's leave to carry out, without asking, what a policy would ask about. It has an
// end, and never covers critical actions.
type Grant struct {
	Scope Scope `json:"scope"`
	// of the session, the action, the server or the tool, or what a well-known app is called, or
	// the package of any. "" means all
	Name string `json:"name,omitempty"`
	// Target is the one [Subject.Target] that it covers, or the label of what is touched, "" for
	// any.
	Target string    `json:"target,omitempty"`
	Times  int       `json:"times,omitempty"` // how often it covers one, 0 for any number
	Used   int       `json:"used,omitempty"`  // how often it has
	From   time.Time `json:"from"`
	Until  time.Time `json:"until"`
	By     string    `json:"by,omitempty"` // who gave it
	// the clients whose actions it covers, nil for everybody's
	For []string `json:"for,omitempty"`
}

// Leave is what a grant is for other than its time.
type Leave struct {
	Scope  Scope    `json:"scope"`
	Name   string   `json:"name,omitempty"`
	Target string   `json:"target,omitempty"`
	Times  int      `json:"times,omitempty"`
	For    []string `json:"-"`
}

// Grant returns the grant of the leave, as [NewGrant] does.
func (l Leave) Grant(from time.Time, holds time.Duration) (Grant, error) {
	g, err := NewGrant(l.Scope, l.Name, from, holds)
	switch {
	case err != nil:
		return Grant{}, err
	case l.Times < 0 || l.Times > MaxGrantUses:
		return Grant{}, hint.Add(fmt.Errorf("it would hold for %d times", l.Times),
			fmt.Sprintf("want 1 to %d times, or leave that out", MaxGrantUses))
	case len(l.Target) > maxTarget:
		return Grant{}, hint.Add(errors.New("the target is too long"),
			fmt.Sprintf("want one of at most %d bytes, as a question names it", maxTarget))
	}
	g.Target, g.Times, g.For = l.Target, l.Times, l.For
	return g, nil
}

// maxTarget is the most bytes of a target.
const maxTarget = 4000

// NewGrant returns a grant that begins at the given time and holds for that long. 0 means
// [grantTime].
func NewGrant(scope Scope, name string, from time.Time, holds time.Duration) (Grant, error) {
	holds = cmp.Or(holds, grantTime)
	g := Grant{Scope: scope, Name: strings.TrimSpace(name), From: from, Until: from.Add(holds)}
	switch {
	case !slices.Contains(Scopes, scope):
		return Grant{}, hint.Add(fmt.Errorf("unknown scope %q", string(scope)),
			"want session, app, action, server, tool or all")
	case scope == ForAll && g.Name != "":
		return Grant{}, hint.Add(fmt.Errorf("the scope all takes no name, and %q was given", name),
			"leave the name out, or choose the scope session, app, action, server or tool")
	case scope != ForAll && g.Name == "":
		return Grant{}, hint.Add(fmt.Errorf("the scope %s has no name", scope),
			"say which "+string(scope)+", or choose the scope all")
	case strings.ContainsAny(g.Name, "*?"):
		return Grant{}, hint.Add(fmt.Errorf("%q is a pattern", name),
			"name one "+string(scope)+", or choose the scope all")
	case holds < 0 || holds > MaxGrantTime:
		return Grant{}, hint.Add(fmt.Errorf("it would hold for %v", holds),
			"want a duration above 0 and up to 24h, such as 15m")
	case scope == ForApp && !strings.Contains(g.Name, ".") && g.Name != "android" &&
		len(words.AppPackages(g.Name)) == 0:
		err := fmt.Errorf("no app is known as %q", g.Name)
		if near := words.NearApps(g.Name); len(near) > 0 {
			err = fmt.Errorf("%w; near names: %s", err, strings.Join(near, ", "))
		}
		return Grant{}, hint.Add(err, "use a well-known app's name, or the app's package")
	}
	return g, nil
}

// String is the grant for people, for example: app com.shop until 2026-01-02 12:15:00 UTC.
func (g Grant) String() string {
	what := string(g.Scope)
	if g.Name != "" {
		what += " " + g.Name
	}
	if g.Target != "" {
		what += ", only " + g.Target
	}
	if g.Times > 0 {
		what += fmt.Sprintf(", %d of %d times", g.Times-g.Used, g.Times)
	}
	return what + " until " + g.Until.UTC().Format("2006-01-02 15:04:05 MST")
}

// Covers reports whether g lets the action, of that session, pass at that time although d asks
// about it. It never does for one that is critical, nor for one that is denied, nor when it would
// hold for longer than MaxGrantTime.
func (g Grant) Covers(now time.Time, session string, s Subject, d Decision) bool {
	if d.Verdict != Ask || d.Severity >= Critical || now.Before(g.From) || !now.Before(g.Until) ||
		g.Until.Sub(g.From) > MaxGrantTime || g.Times > 0 && g.Used >= g.Times ||
		g.Target != "" && g.Target != s.Target() && (g.Target != s.label() || s.Typed != "") {
		return false
	}
	switch g.Scope {
	case ForAll:
		return true
	case ForSession:
		return g.Name != "" && g.Name == session
	case ForApp:
		named := g.Name == s.App || slices.Contains(words.AppPackages(g.Name), s.App)
		return g.Name != "" && named && !s.Tool
	case ForAction:
		return g.Name != "" && strings.EqualFold(g.Name, s.Action) && !s.Tool
	case ForServer:
		return g.Name != "" && g.Name == s.App && s.Tool
	case ForTool:
		return s.Tool && (g.Name == s.Action || g.Name == s.App+"/"+s.Action)
	}
	return false
}

// IsFor reports whether the grant covers actions of the client.
func (g Grant) IsFor(client string) bool { return g.For == nil || slices.Contains(g.For, client) }

// Target is what exactly is touched or called: the app, the action and the label under the finger
// with what is typed, or the server, the tool and its arguments. It is "" if that is not known.
func (s *Subject) Target() string {
	if s.Tool {
		args, err := json.Marshal(s.Args) // with its keys in order
		if err != nil {
			return ""
		}
		return fmt.Sprintf("%s/%s %s", s.App, s.Action, args)
	}
	label := s.label()
	if label == "" || s.App == "" {
		return ""
	}
	target := fmt.Sprintf("%s %s %q", s.App, s.Action, label)
	if s.Typed != "" {
		target += fmt.Sprintf(" %q", s.Typed)
	}
	return target
}
