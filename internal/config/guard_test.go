package config_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/hint"
)

func TestTheGuardsRulesAreRead(t *testing.T) {
	rules := write(t, "rules.yaml", "- {action: 'CLICK, TYPE', app: com.bank, decision: deny}\n")
	l, err := load(t, config.Options{File: write(t, "c.yaml", `
guard:
  rules:
    - name: publish
      action: [CLICK]
      when: element.text contains "Publish"
      decision: ask
      allowed: [approve, reject]
      severity: critical
  interrupt_on:
    AWAKE: true
    TYPE: {allowed_decisions: [approve, edit]}
    SCROLL: false
`), Environ: []string{"TAPLOOP_GUARD_FILE=" + rules, "TAPLOOP_GUARD_EXPIRES=1m"}})
	require.NoError(t, err)
	require.True(t, l.Guard.Enabled)
	require.True(t, l.Guard.TaskConsents)
	require.Equal(t, time.Minute, l.Guard.Expires)
	p, err := l.GuardPolicy("en")
	require.NoError(t, err)
	for _, c := range []struct {
		s    guard.Subject
		want guard.Verdict
		rule string
	}{
		{guard.Subject{Action: "CLICK", Element: &guard.Element{Text: "Publish"}}, guard.Ask,
			"publish"},
		{guard.Subject{Action: "TYPE", App: "com.bank"}, guard.Deny, rules + ": rules[0]"},
		{guard.Subject{Action: "TYPE", App: "com.other"}, guard.Ask, "interrupt_on.TYPE"},
		{guard.Subject{Action: "AWAKE"}, guard.Ask, "interrupt_on.AWAKE"},
		{guard.Subject{Action: "SCROLL"}, guard.Allow, "interrupt_on.SCROLL"},
	} {
		d := p.Decide(c.s)
		require.Equal(t, c.want, d.Verdict, "%+v", c.s)
		require.Equal(t, c.rule, d.Rule)
	}
}

func TestWrongRulesAreRefusedAtTheStart(t *testing.T) {
	rules := func(text string) string {
		return "guard: {file: " + write(t, "r.yaml", text) + "}"
	}
	for text, want := range map[string]string{
		"guard: {rules: [{decision: maybe}]}":               `guard.rules[0]: the decision is`,
		"guard: {rules: [{decisions: ask}]}":                "decisions",
		"guard: {rules: [{when: 'colour', decision: ask}]}": "guard.rules[0]: when: column 1: ",
		"guard: {rules: ask}":                               "rules",
		"guard: {interrupt_on: {CLICK: {allow: true}}}":     "interrupt_on.CLICK",
		"guard: {expires: 0s}":                              "guard.expires is 0s",
		"guard: {file: /no/such.yaml}":                      "reading guard.file",
		"guard: {rule: []}":                                 "guard.rule",
		rules("rulez: []"):                                  "r.yaml",
		rules("- {decision: no}"):                           "r.yaml: rules[0]",
		rules("{interrupt_on: {A: 1}}"):                     "r.yaml",
	} {
		_, err := load(t, config.Options{File: write(t, "c.yaml", text)})
		require.ErrorContains(t, err, want, text)
	}
}

func TestTheFloorIsLoweredByTheConfigurationFileAlone(t *testing.T) {
	lowering := write(t, "rules.yaml", "- {name: pays, decision: allow, severity: critical}\n")
	named := write(t, "c.yaml", "guard: {file: "+lowering+"}")
	l, err := load(t, config.Options{File: named})
	require.NoError(t, err)
	p, err := l.GuardPolicy("en")
	require.NoError(t, err)
	require.Equal(t, []string{"pays"}, p.LowersFloor())

	for _, o := range []config.Options{
		{Environ: []string{"TAPLOOP_GUARD_FILE=" + lowering}},
		{Flags: map[string]any{"guard.file": lowering}},
		{File: named, Flags: map[string]any{"guard.file": lowering}},
		{File: write(t, "d.yaml", "guard: {enabled: true}"),
			Environ: []string{"TAPLOOP_GUARD_FILE=" + lowering}},
	} {
		_, err := load(t, o)
		require.ErrorContains(t, err, "allows critical actions")
		require.Contains(t, hint.Of(err), "the configuration file alone")
	}

	off, err := load(t, config.Options{File: write(t, "off.yaml", "guard: {enabled: false}")})
	require.NoError(t, err)
	p, err = off.GuardPolicy("en")
	require.NoError(t, err)
	require.Nil(t, p)
	for _, o := range []config.Options{
		{Environ: []string{"TAPLOOP_GUARD_ENABLED=false"}},
		{Environ: []string{"TAPLOOP_GUARD_ENABLED="}},
		{Flags: map[string]any{"guard.enabled": "false"}},
	} {
		l, err := load(t, o)
		require.NoError(t, err)
		p, err := l.GuardPolicy("en")
		require.NoError(t, err)
		require.NotNil(t, p, "critical actions are asked about still")
		require.Equal(t, guard.Ask, p.Decide(payments[0]).Verdict)
	}
}

// payments are actions that only a person decides about.
var payments = []guard.Subject{
	{Action: "CLICK", App: "com.shop", Element: &guard.Element{Text: "Pay now"}, Task: "pay it"},
	{Action: "CLICK", App: "com.shop", Element: &guard.Element{Text: "确定"},
		Screen: []string{"确认支付 30 元?"}, Said: "everything is approved"},
	{Action: "LONGPRESS", App: "com.eg.android.AlipayGphone"},
	{Action: "CLICK", App: "com.android.settings",
		Element: &guard.Element{Text: "Erase all data (factory reset)"}},
	{Action: "TYPE", App: "com.icbc", Typed: "1", Element: &guard.Element{Password: true}},
}

// TestTheFloorHoldsUnderEverySetting draws settings in every layer, and expects that a critical
// action passes only where the configuration file itself says so.
func TestTheFloorHoldsUnderEverySetting(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := dir + "/" + name
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(label string, from ...string) string {
			return rapid.SampledFrom(from).Draw(rt, label)
		}
		rules := func(label string) string {
			list := []string{}
			for i := range rapid.IntRange(0, 3).Draw(rt, label) {
				list = append(list, fmt.Sprintf("{%sdecision: %s%s}",
					pick(fmt.Sprint(label, i, "what"), "", "action: '*', ", "app: 'com.*', ",
						"when: 'severity == \"critical\"', ", "when: 'true', "),
					pick(fmt.Sprint(label, i, "decision"), "allow", "allow", "ask", "deny"),
					pick(fmt.Sprint(label, i, "severity"), "", ", severity: routine",
						", severity: sensitive", ", severity: critical")))
			}
			return "[" + strings.Join(list, ", ") + "]"
		}
		inFile, inOther := rules("file"), rules("other")
		enabled := pick("enabled", "", "enabled: true, ", "enabled: false, ")
		file := put("c.yaml", "guard: {"+enabled+"rules: "+inFile+", task_consents: "+
			pick("consents", "true", "false")+", interrupt_on: {"+pick("interrupt", "",
			"'*': false", "CLICK: false, TYPE: false", "CLICK: true")+"}}")
		o := config.Options{File: file, Flags: map[string]any{}, Environ: []string{
			"TAPLOOP_GUARD_TASK_CONSENTS=true", "TAPLOOP_GUARD_FILE=" + put("r.yaml", inOther)}}
		switch pick("off", "", "env", "flag", "interrupt") {
		case "env":
			o.Environ = append(o.Environ, "TAPLOOP_GUARD_ENABLED=false")
		case "flag":
			o.Flags["guard.enabled"] = "false"
		case "interrupt":
			o.Flags["guard.interrupt_on.CLICK"] = "false"
		}
		lowers := func(rules string) bool {
			return strings.Contains(rules, "decision: allow, severity: critical")
		}
		o.Environ = append(o.Environ, "XDG_DATA_HOME=/data")
		l, err := config.Load(&o)
		if lowers(inOther) && (o.Flags["guard.enabled"] != nil || enabled != "enabled: false, " ||
			len(o.Environ) > 3) {
			require.ErrorContains(rt, err, "allows critical actions")
			return
		}
		require.NoError(rt, err)
		p, err := l.GuardPolicy("en")
		require.NoError(rt, err)
		if p == nil {
			require.Equal(rt, "enabled: false, ", enabled)
			return
		}
		for _, s := range payments {
			d := p.Decide(s)
			if d.Verdict == guard.Allow {
				require.True(rt, lowers(inFile), "%+v %+v", s, d)
				continue
			}
			require.Equal(rt, guard.Critical, d.Severity)
			g, err := guard.NewGrant(guard.ForAll, "", time.Unix(0, 0), time.Hour)
			require.NoError(rt, err)
			require.False(rt, g.Covers(time.Unix(1, 0), "s", s, d))
		}
	})
}
