package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/config"
	"github.com/taploop/taploop/guard"
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
	p, err := l.GuardPolicy()
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
	p, err := l.GuardPolicy()
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
	p, err = off.GuardPolicy()
	require.NoError(t, err)
	require.Nil(t, p)
	for _, o := range []config.Options{
		{Environ: []string{"TAPLOOP_GUARD_ENABLED=false"}},
		{Flags: map[string]any{"guard.enabled": "false"}},
	} {
		l, err := load(t, o)
		require.NoError(t, err)
		p, err := l.GuardPolicy()
		require.NoError(t, err)
		require.NotNil(t, p, "critical actions are asked about still")
	}
}
