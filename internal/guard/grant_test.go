package guard_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/hint"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestGrantsCoverTheirScopeUntilTheirEnd(t *testing.T) {
	asks := guard.Decision{Verdict: guard.Ask, Severity: guard.Sensitive}
	s := guard.Subject{Action: "CLICK", App: "com.a"}
	for _, c := range []struct {
		scope  guard.Scope
		name   string
		covers bool
	}{
		{guard.ForAll, "", true}, {guard.ForSession, "s1", true}, {guard.ForSession, "s2", false},
		{guard.ForApp, "com.a", true}, {guard.ForApp, "com.ab", false},
		{guard.ForAction, "click", true}, {guard.ForAction, "TYPE", false},
	} {
		g, err := guard.NewGrant(c.scope, c.name, noon, 0)
		require.NoError(t, err)
		require.Equal(t, noon.Add(15*time.Minute), g.Until)
		require.Equal(t, c.covers, g.Covers(noon, "s1", s, asks), "%v %v", c.scope, c.name)
		require.False(t, g.Covers(g.Until, "s1", s, asks), "it has ended")
		require.False(t, g.Covers(noon.Add(-1), "s1", s, asks), "it has not begun")
	}
}

func TestGrantsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		scope guard.Scope
		name  string
		holds time.Duration
	}{
		{"", "", 0}, {"phone", "x", 0}, {guard.ForAll, "x", 0}, {guard.ForApp, " ", 0},
		{guard.ForApp, "*", 0}, {guard.ForApp, "com", 0}, {guard.ForApp, "post", 0},
		{guard.ForAll, "", -1}, {guard.ForAll, "", 24*time.Hour + 1},
	} {
		_, err := guard.NewGrant(c.scope, c.name, noon, c.holds)
		require.Error(t, err, "%+v", c)
		require.NotEmpty(t, hint.Of(err))
	}
}

// No grant of any scope, made or forged, covers what is critical or denied, more than a day,
// another target, one use too many, or a tool by a grant for phones.
func TestNoGrantLowersTheFloor(t *testing.T) {
	hours := rapid.SampledFrom([]int64{-1, 0, 1, 2, 8, 12, 23, 24, 25, 30, math.MaxInt64})
	click := guard.Subject{Action: "CLICK", App: "com.a", Element: &guard.Element{Text: "Send"}}
	plain := guard.Grant{Scope: guard.ForApp, Name: "com.a", From: noon, Until: noon.Add(time.Hour)}
	require.True(t, plain.Covers(noon, "s", click, guard.Decision{Verdict: guard.Ask}))
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom([]guard.Subject{click, {Action: "send", App: "com.a", Tool: true,
			Args: map[string]any{"to": "Ann"}}}).Draw(t, "subject")
		g := guard.Grant{From: noon, Times: rapid.IntRange(0, 3).Draw(t, "times"),
			Used:  rapid.IntRange(0, 3).Draw(t, "used"),
			Until: noon.Add(time.Duration(hours.Draw(t, "holds")) * time.Hour)}
		d := guard.Decision{
			Verdict:  rapid.SampledFrom([]guard.Verdict{guard.Ask, guard.Deny}).Draw(t, "verdict"),
			Severity: rapid.SampledFrom([]guard.Severity{0, 1, 2, 5}).Draw(t, "severity")}
		now := noon.Add(time.Duration(hours.Draw(t, "now")) * time.Hour)
		for _, g.Scope = range guard.Scopes {
			for _, g.Name = range []string{"", "s", "com.a", "CLICK", "send", "com.a/send"} {
				for _, g.Target = range []string{"", of.Target(), "another"} {
					if !g.Covers(now, "s", of, d) {
						continue
					}
					phones := g.Scope == guard.ForApp || g.Scope == guard.ForAction
					tools := g.Scope == guard.ForServer || g.Scope == guard.ForTool
					require.Equal(t, guard.Ask, d.Verdict)
					require.Less(t, d.Severity, guard.Critical)
					require.Less(t, now.Sub(noon), guard.MaxGrantTime)
					require.NotEqual(t, "another", g.Target)
					require.True(t, g.Times == 0 || g.Used < g.Times)
					require.False(t, of.Tool && phones || !of.Tool && tools)
				}
			}
		}
	})
}

func TestGrantsReachToolsByNameServerAndExactCall(t *testing.T) {
	asks := guard.Decision{Verdict: guard.Ask, Severity: guard.Sensitive}
	call := guard.Subject{Action: "send_mail", App: "post", Tool: true,
		Args: map[string]any{"to": "Ann", "cc": "Bo"}}
	touch := guard.Subject{Action: "CLICK", App: "com.mail",
		Element: &guard.Element{Text: "Send"}}
	require.Equal(t, `post/send_mail {"cc":"Bo","to":"Ann"}`, call.Target())
	require.Equal(t, `com.mail CLICK "Send"`, touch.Target())
	for _, c := range []struct {
		leave guard.Leave
		call  bool
		touch bool
	}{
		{guard.Leave{Scope: guard.ForAll}, true, true},
		{guard.Leave{Scope: guard.ForSession, Name: "s1"}, true, true},
		{guard.Leave{Scope: guard.ForServer, Name: "post"}, true, false},
		{guard.Leave{Scope: guard.ForServer, Name: "com.mail"}, false, false},
		{guard.Leave{Scope: guard.ForTool, Name: "send_mail"}, true, false},
		{guard.Leave{Scope: guard.ForTool, Name: "post/send_mail"}, true, false},
		{guard.Leave{Scope: guard.ForTool, Name: "other/send_mail"}, false, false},
		{guard.Leave{Scope: guard.ForTool, Name: "CLICK"}, false, false},
		{guard.Leave{Scope: guard.ForAction, Name: "send_mail"}, false, false},
		{guard.Leave{Scope: guard.ForAll, Target: call.Target()}, true, false},
		{guard.Leave{Scope: guard.ForAll, Target: touch.Target()}, false, true},
		{guard.Leave{Scope: guard.ForApp, Name: "com.mail", Target: touch.Target()}, false, true},
		{guard.Leave{Scope: guard.ForAll, Target: `com.mail CLICK "Sen"`}, false, false},
		{guard.Leave{Scope: guard.ForAll, Target: "Send"}, false, true},
		{guard.Leave{Scope: guard.ForAll, Target: "Sen"}, false, false},
	} {
		g, err := c.leave.Grant(noon, time.Hour)
		require.NoError(t, err)
		require.Equal(t, c.call, g.Covers(noon, "s1", call, asks), "%+v", c.leave)
		require.Equal(t, c.touch, g.Covers(noon, "s1", touch, asks), "%+v", c.leave)
	}
	for _, unknown := range []guard.Subject{{Action: "CLICK", App: "com.mail"},
		{Action: "CLICK", App: "com.mail", Element: &guard.Element{Class: "View"}},
		{Action: "CLICK", App: "com.mail", Element: &guard.Element{Text: "x", WholeScreen: true}},
	} {
		require.Empty(t, unknown.Target(), "nothing is known exactly")
	}
	typed := guard.Subject{Action: "TYPE", App: "a", Typed: "hi",
		Element: &guard.Element{Description: "Message"}}
	require.Equal(t, `a TYPE "Message" "hi"`, typed.Target())
}

func TestGrantsHoldAsOftenAsTheySay(t *testing.T) {
	asks := guard.Decision{Verdict: guard.Ask, Severity: guard.Sensitive}
	g, err := guard.Leave{Scope: guard.ForAll, Times: 3}.Grant(noon, 0)
	require.NoError(t, err)
	require.Equal(t, "all, 3 of 3 times until 2026-01-02 12:15:00 UTC", g.String())
	for g.Used = range 3 {
		require.True(t, g.Covers(noon, "", guard.Subject{}, asks), g.Used)
	}
	g.Used = 3
	require.False(t, g.Covers(noon, "", guard.Subject{}, asks))
	for _, times := range []int{-1, guard.MaxGrantUses + 1} {
		_, err := guard.Leave{Scope: guard.ForAll, Times: times}.Grant(noon, 0)
		require.ErrorContains(t, err, "times")
	}
	g.For = []string{"ann"}
	require.True(t, g.IsFor("ann"))
	require.False(t, g.IsFor(""), "the local operator is another")
}

// An app is named as people call it; what is no app is refused, with near names.
func TestLeaveForAnAppByItsName(t *testing.T) {
	asks := guard.Decision{Verdict: guard.Ask, Severity: guard.Sensitive}
	for _, name := range []string{"Messages", "messaging", "短信", "com.android.messaging"} {
		g, err := guard.NewGrant(guard.ForApp, name, noon, 0)
		require.NoError(t, err, name)
		require.Equal(t, name, g.Name)
		for app, covered := range map[string]bool{"com.android.messaging": true,
			"com.evil.messaging": false, "com.android.settings": false} {
			require.Equal(t, covered, g.Covers(noon, "s1", guard.Subject{App: app, Name: "Messages",
				Action: "CLICK"}, asks), "%s in %s", name, app)
		}
		require.False(t, g.Covers(noon, "s1", guard.Subject{App: "Messages", Tool: true}, asks))
	}
	_, err := guard.NewGrant(guard.ForApp, "Mesages", noon, 0)
	require.ErrorContains(t, err, `no app is known as "Mesages"; near names: Messages`)
	require.Contains(t, hint.Of(err), "package")
	_, err = guard.NewGrant(guard.ForApp, "zzzz", noon, 0)
	require.EqualError(t, err, `no app is known as "zzzz"`)
}
