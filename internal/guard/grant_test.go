package guard_test

import (
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
		{guard.ForApp, "com.a", true}, {guard.ForApp, "com", false},
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
		{guard.ForApp, "*", 0},
		{guard.ForAll, "", -1}, {guard.ForAll, "", 24*time.Hour + 1},
	} {
		_, err := guard.NewGrant(c.scope, c.name, noon, c.holds)
		require.Error(t, err, "%+v", c)
		require.NotEmpty(t, hint.Of(err))
	}
}

// No grant, made or forged, covers what is critical, what is denied, or more than a day.
func TestNoGrantLowersTheFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := guard.Grant{Scope: rapid.SampledFrom(guard.Scopes).Draw(t, "scope"), From: noon,
			Name:  rapid.SampledFrom([]string{"", "s", "com.a", "CLICK"}).Draw(t, "name"),
			Until: noon.Add(time.Duration(rapid.Int64().Draw(t, "holds")))}
		d := guard.Decision{
			Verdict:  rapid.SampledFrom([]guard.Verdict{guard.Ask, guard.Deny}).Draw(t, "verdict"),
			Severity: guard.Severity(rapid.IntRange(0, 5).Draw(t, "severity"))}
		now := noon.Add(time.Duration(rapid.Int64().Draw(t, "now")))
		if g.Covers(now, "s", guard.Subject{Action: "CLICK", App: "com.a"}, d) {
			require.Equal(t, guard.Ask, d.Verdict)
			require.Less(t, d.Severity, guard.Critical)
			require.Less(t, now.Sub(noon), guard.MaxGrantTime)
		}
	})
}
