package phone_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/screen"
)

// tapCase is a line of a table.
type tapCase struct {
	line, app, shows, what string
	more                   map[string]string
	to                     screen.Point // where its way ends, when more says so (to, by)
}

func table(t *testing.T, name string) (list []tapCase) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(strings.TrimSpace(line), " | ")
		require.GreaterOrEqual(t, len(parts), 3, line)
		c := tapCase{line: strings.TrimSpace(line), app: parts[0], shows: parts[1], what: parts[2],
			more: map[string]string{}}
		for _, m := range parts[3:] {
			for one := range strings.SplitSeq(m, "; ") {
				key, value, _ := strings.Cut(one, "=")
				c.more[key] = value
			}
		}
		list = append(list, c)
	}
	require.GreaterOrEqual(t, len(list), 40)
	return list
}

// decision is what the line has a model decide about the place.
func (c *tapCase) decision(at screen.Point) actions.Decision {
	d := actions.Decision{Explain: c.more["said"], Action: actions.Click{At: at}}
	_, submit := c.more["submit"]
	switch c.more["verb"] {
	case "DOUBLE_CLICK":
		d.Action = actions.DoubleClick{At: at}
	case "LONGPRESS":
		d.Action = actions.LongPress{At: at}
	case "SLIDE":
		d.Action = actions.Slide{From: at, To: screen.Point{X: 0.9, Y: at.Y}}
		var x, y float64
		took, _ := time.ParseDuration(c.more["took"])
		if n, _ := fmt.Sscanf(c.more["by"], "%g,%g", &x, &y); n == 2 {
			c.to = screen.Point{X: at.X + x, Y: at.Y + y}
		}
		if c.to != (screen.Point{}) {
			d.Action = actions.Slide{From: at, To: c.to, Took: took}
		}
	case "DRAG":
		d.Action = actions.Drag{From: at, To: c.to}
	case "SCROLL":
		d.Action = actions.Scroll{At: at,
			Direction: cmp.Or(actions.Direction(c.more["direction"]), actions.Down)}
	case "TYPE":
		d.Action = actions.Type{Text: "1234", At: &at, Submit: submit}
	}
	return d
}

// check shows the line's screen, reads it through uiautomator, and asks the gate.
func (r *rig) check(t *testing.T, g *phone.Gate, c *tapCase) agentloop.Verdict {
	t.Helper()
	turned := 0
	if c.more["turn"] != "" {
		turned = 1
	}
	r.sim.Display.SetRotation(turned)
	if taps, own := strings.CutPrefix(c.shows, ">"); own {
		var list []string
		for tap := range strings.SplitSeq(taps, ">") {
			if tap = strings.TrimSpace(tap); tap != "" {
				list = append(list, tap)
			}
		}
		r.open(t, c.app, list...)
	} else {
		r.show(t, c.app, c.shows)
	}
	look, err := r.Look(t.Context())
	require.NoError(t, err)
	list, err := r.Elements(t.Context())
	require.NoError(t, err)
	var at screen.Point
	if n, _ := fmt.Sscanf(c.what, "%g,%g", &at.X, &at.Y); n != 2 {
		at = find(t, list, c.what)
	}
	if to := c.more["to"]; to != "" {
		c.to = find(t, list, to)
	}
	task := c.more["task"]
	if task == "" {
		task = "look around"
	}
	var reader agentloop.Reader = r
	if c.more["tree"] == "none" {
		reader = nil
	}
	v, err := g.Check(t.Context(), agentloop.Situation{Screen: look, Reader: reader,
		Progress: agentloop.Progress{Task: task}}, c.decision(at))
	require.NoError(t, err)
	return v
}

func TestDangerousTapsNeedADecisionAndHarmlessOnesDoNot(t *testing.T) {
	dangerous, harmless := table(t, "dangerous.txt"), table(t, "harmless.txt")
	var packages []string
	for _, c := range slices.Concat(dangerous, harmless) {
		own := strings.HasPrefix(c.shows, ">")
		if !own && !slices.Contains(packages, c.app) {
			packages = append(packages, c.app)
		}
	}
	r := newRig(t, "en", packages...)
	p, err := guard.New(nil)
	require.NoError(t, err)
	g := phone.New(p, nil)
	for _, c := range dangerous {
		require.False(t, r.check(t, g, &c).Allowed(), c.line)
	}
	var asked []string
	for _, c := range harmless {
		if !r.check(t, g, &c).Allowed() {
			asked = append(asked, c.line)
		}
	}
	t.Logf("%d of %d harmless ones are asked about: %q", len(asked), len(harmless), asked)
	require.LessOrEqual(t, len(asked), 2)
}
