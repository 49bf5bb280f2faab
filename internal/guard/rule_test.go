package guard_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/patient"
)

func policy(t *testing.T, rules ...guard.Rule) *guard.Policy {
	t.Helper()
	p, err := guard.New(&guard.Options{Lists: []guard.List{{Name: "guard.rules", Rules: rules}}})
	require.NoError(t, err)
	return p
}

func refused(t *testing.T, rules ...guard.Rule) error {
	t.Helper()
	_, err := guard.New(&guard.Options{Lists: []guard.List{{Name: "guard.rules", Rules: rules}}})
	require.Error(t, err, "%+v", rules)
	return err
}

var harmless = guard.Subject{Action: "CLICK", App: "com.example.shop",
	Args:    map[string]any{"x": 0.5, "amount": "12"},
	Element: &guard.Element{Text: "Details", ResourceID: "com.example.shop:id/details"},
	Near:    []string{"Blue shoes"}, Screen: []string{"Blue shoes", "Details", "Total: 30"},
	Task: "look at the shoes"}

func TestTheFirstRuleThatMatchesWins(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules []guard.Rule
		want  guard.Decision
	}{
		{name: "no rule", want: guard.Decision{Verdict: guard.Allow}},
		{name: "action and app are globs", rules: []guard.Rule{
			{Action: []string{"TYPE"}, Decision: "deny"},
			{Action: []string{"cl*"}, App: []string{"com.other", "com.example.*"}, Decision: "deny",
				Severity: "routine", Description: "not in the shop"},
			{Decision: "ask"}},
			want: guard.Decision{Verdict: guard.Deny, Rule: "guard.rules[1]",
				Reason: "not in the shop", Description: "not in the shop"}},
		{name: "an app is not matched in another case", rules: []guard.Rule{
			{App: []string{"COM.*"}, Decision: "deny"}},
			want: guard.Decision{Verdict: guard.Allow}},
		{name: "a rule that asks is sensitive and leaves all decisions", rules: []guard.Rule{
			{Name: "shop", Decision: "ask"}},
			want: guard.Decision{Verdict: guard.Ask, Severity: guard.Sensitive,
				Allowed: guard.Decisions, Rule: "shop"}},
		{name: "what may be answered, and the words", rules: []guard.Rule{
			{Decision: "ask", Allowed: []string{"approve", "reject"}, Description: "buy?",
				Severity: "critical"}},
			want: guard.Decision{Verdict: guard.Ask, Severity: guard.Critical,
				Allowed: []string{"approve", "reject"}, Rule: "guard.rules[0]", Reason: "buy?",
				Description: "buy?"}},
		{name: "allowed before asked", rules: []guard.Rule{
			{Name: "fine", When: `element.text == "Details"`, Decision: "allow"},
			{Decision: "ask"}}, want: guard.Decision{Verdict: guard.Allow, Rule: "fine"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, policy(t, c.rules...).Decide(harmless))
		})
	}
}

func TestAStarStandsForWhatPartsANameToo(t *testing.T) {
	p := policy(t, guard.Rule{Action: []string{"*"}, App: []string{"com*p"}, Decision: "deny"})
	require.Equal(t, guard.Deny,
		p.Decide(guard.Subject{Action: "files/read", App: "com/example/shop"}).Verdict)
	p = policy(t, guard.Rule{Action: []string{"files/*"}, Decision: "deny"})
	require.Equal(t, guard.Deny, p.Decide(guard.Subject{Action: "files/a/read"}).Verdict)
	require.Equal(t, guard.Allow, p.Decide(guard.Subject{Action: "files|read"}).Verdict)
}

func TestConditionsSeeTheSubject(t *testing.T) {
	s := harmless
	s.Secure, s.Typed, s.Said, s.Destructive = true, "4111", "open it", true
	s.Element = &guard.Element{Text: "支付", Description: "pay icon", ResourceID: "a:id/b",
		Class: "android.widget.Button", Password: true, WholeScreen: true}
	for _, when := range []string{
		`action == "CLICK" and app startsWith "com.example"`,
		`element.text contains "支付" && element.description matches "(?i)PAY"`,
		`element.id endsWith "/b" and element.class == "android.widget.Button"`,
		`element.password and element.whole_screen and element.known`,
		`secure and typed != "" and destructive and lower(said) == "open it"`,
		`any(screen, # contains "Total") and none(near, # == "x") and len(near) == 1`,
		`"Blue shoes" in screen`,
		`args.amount == "12" and args.x < 1 and args.none == nil`,
		`task matches "shoes$" and severity in ["routine", "sensitive", "critical"]`,
	} {
		d := policy(t, guard.Rule{When: when, Decision: "deny"}).Decide(s)
		require.Equal(t, guard.Deny, d.Verdict, "%s: %s", when, d.Reason)
		require.NotContains(t, d.Reason, "condition")
		require.NotEqual(t, guard.Deny, policy(t, guard.Rule{When: "not (" + when + ")",
			Decision: "deny"}).Decide(s).Verdict, when)
	}
	without := policy(t, guard.Rule{When: `element.known or element.text != ""`, Decision: "deny"})
	require.Equal(t, guard.Allow, without.Decide(guard.Subject{Action: "BACK"}).Verdict)
}

// A condition that cannot be answered never lets an action pass.
func TestAConditionThatFailsIsNoLeave(t *testing.T) {
	for _, when := range []string{`args.amount > 3`, `args.none.deeper`, `args.amount`} {
		asks := policy(t, guard.Rule{Name: "sum", When: when, Decision: "ask"}).Decide(harmless)
		require.Equal(t, guard.Ask, asks.Verdict, when)
		require.Contains(t, asks.Reason, "the condition of sum could not be answered", when)
		allows := policy(t, guard.Rule{When: when, Decision: "allow"},
			guard.Rule{Decision: "deny"}).Decide(harmless)
		require.Equal(t, guard.Deny, allows.Verdict, when)
	}
}

func TestWrongRulesAreRefusedWithRuleAndColumn(t *testing.T) {
	for when, want := range map[string]string{
		`element.txt == "x"`:                               "column 9: ",
		"secure and\n  colour == 1":                        "line 2, column 3: unknown name colour",
		`action`:                                           "expected bool",
		`action ==`:                                        "column 9: ",
		`secure == "yes"`:                                  "column 8: ",
		`action matches said`:                              "has to be a text in quotes",
		`action matches "("`:                               "column 8: error parsing regexp",
		`any(screen, any(near, # == "x"))`:                 "a loop within a loop",
		`1 in 1..1000000000`:                               "a range is not a part",
		`let a = typed + typed; a == "x"`:                  "let is not a part",
		`len(map(screen, #)) > 1`:                          "map is not a part",
		`repeat("x", 1000000000) == ""`:                    "repeat",
		`now().Year() > 1`:                                 "now",
		strings.Repeat("secure or ", 300) + "secure":       "characters",
		strings.Repeat("secure or ", 190) + "secure":       "nodes",
		strings.Repeat("(", 1500) + strings.Repeat(")", 5): "",
		"secure\x00":                                       "",
	} {
		err := refused(t, guard.Rule{Decision: "ask"},
			guard.Rule{Name: "mine", When: when, Decision: "ask"})
		require.ErrorContains(t, err, `guard.rules[1] ("mine"): when: `, when)
		require.ErrorContains(t, err, want, when)
		require.NotContains(t, err.Error(), "\n", when)
		require.Contains(t, hint.Of(err), "element.text", when)
	}
	for _, r := range []guard.Rule{{}, {Decision: "yes"}, {Decision: "ask", Severity: "high"},
		{Decision: "ask", Allowed: []string{"accept"}}, {Decision: "deny", Action: []string{"["}},
		{Decision: "deny", App: []string{""}}, {Decision: "allow", Allowed: []string{"approve"}}} {
		err := refused(t, r)
		require.ErrorContains(t, err, "guard.rules[0]")
		require.NotEmpty(t, hint.Of(err), "%+v", r)
	}
	err := refused(t, guard.Rule{Decision: "no"}, guard.Rule{When: "x", Decision: "ask"})
	require.ErrorContains(t, err, "guard.rules[0]")
	require.ErrorContains(t, err, "guard.rules[1]")
}

// TestConditionsEndSoon tries what is slow on the largest subject that there is.
func TestConditionsEndSoon(t *testing.T) {
	huge := guard.Subject{Action: "CLICK", Typed: strings.Repeat("a", 1<<20)}
	for range 5000 {
		huge.Screen = append(huge.Screen, strings.Repeat("a", 5000))
	}
	p := policy(t, guard.Rule{Decision: "ask",
		When: `any(screen, # matches "(a*)*b") or typed matches "(a|aa)+$b"`})
	began := time.Now()
	require.Equal(t, guard.Allow, p.Decide(huge).Verdict)
	// an engine that goes back takes longer than anybody waits; a slow machine does not
	require.Less(t, time.Since(began), patient.Lid)
}

func TestLangChainsForms(t *testing.T) {
	rules, err := guard.InterruptOn(map[string]any{
		"write_file": true,
		"read_data":  false,
		"execute_sql": map[string]any{"allowed_decisions": []any{"approve", "reject"},
			"description": "a database is changed"},
		"delete*": true, "delete_cache": false,
	})
	require.NoError(t, err)
	p, err := guard.New(&guard.Options{DescriptionPrefix: "Tool execution pending approval",
		Lists: []guard.List{{Name: "guard.interrupt_on", Rules: rules}}})
	require.NoError(t, err)
	decide := func(action string) guard.Decision {
		return p.Decide(guard.Subject{Action: action, Args: map[string]any{"path": "a.txt"}})
	}
	require.Equal(t, guard.Decision{Verdict: guard.Ask, Severity: guard.Sensitive,
		Allowed: guard.Decisions, Rule: "interrupt_on.write_file",
		Description: "Tool execution pending approval\n\nTool: write_file\n" +
			"Args: {\"path\":\"a.txt\"}", Made: true}, decide("write_file"))
	require.Equal(t, guard.Allow, decide("read_data").Verdict)
	sql := decide("execute_sql")
	require.Equal(t, []string{"approve", "reject"}, sql.Allowed)
	require.Equal(t, "a database is changed", sql.Description)
	require.Equal(t, guard.Allow, decide("delete_cache").Verdict)
	require.Equal(t, guard.Ask, decide("delete_rows").Verdict)
	require.Equal(t, guard.Allow, decide("search").Verdict)

	for _, bad := range []any{nil, "yes", 1, map[string]any{"allowed_decisions": []any{"accept"}},
		map[string]any{"allowed_decisions": []any{}}, map[string]any{"allowed_decisions": "edit"},
		map[string]any{"description": 1}, map[string]any{"allow": true}} {
		_, err := guard.InterruptOn(map[string]any{"a": true, "write_file": bad})
		require.ErrorContains(t, err, "interrupt_on.write_file", "%v", bad)
		require.NotEmpty(t, hint.Of(err))
	}
}

func FuzzConditions(f *testing.F) {
	f.Add(`any(screen, # contains "Total") and args.amount > 3`)
	f.Add(`action matches "(?i)^cl"`)
	f.Fuzz(func(t *testing.T, when string) {
		p, err := guard.New(&guard.Options{Lists: []guard.List{{Name: "r", Rules: []guard.Rule{
			{When: when, Decision: "deny"}, {When: when, Decision: "ask"}}}}})
		if err != nil {
			require.ErrorContains(t, err, "r[0]: when: ")
			return
		}
		require.NotEqual(t, guard.Ask, p.Decide(harmless).Verdict, "one condition, two answers")
	})
}

func TestADescriptionSaysWhatIsTouchedAndTheArgumentsOnce(t *testing.T) {
	touch := guard.Subject{Action: "CLICK", App: "com.mail", Element: &guard.Element{Text: "Send"},
		Args: map[string]any{"at": map[string]any{"x": 0.5, "y": 0.9}}}
	require.Equal(t, "tap (0.5,0.9)\nOn: \"Send\" in com.mail\nArgs: {\"at\":{\"x\":0.5,\"y\":0.9}}",
		touch.Describe("tap (0.5,0.9)"))
	field := guard.Subject{Action: "TYPE", App: "com.mail", Args: map[string]any{"text": "hi"},
		Element: &guard.Element{Text: "what was there", Description: "Message",
			Class: "android.widget.EditText"}}
	require.Equal(t, "type\nOn: \"Message\" in com.mail\nArgs: {\"text\":\"hi\"}",
		field.Describe("type"))
	require.Equal(t, "back", (&guard.Subject{Action: "BACK"}).Describe("back"))
}
