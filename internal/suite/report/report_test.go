package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/report"
)

// summary has a result of every outcome, with words in it that are of use to attackers only.
func summary(lang string) *report.Summary {
	s := &report.Summary{Program: "taploop", Started: time.Unix(1, 0), Seconds: 2, Lang: lang}
	for n, o := range suite.Outcomes() {
		r := suite.Result{Suite: "s & <t>", File: "s.yaml", Line: n + 1, Outcome: o,
			Name: string(o) + " \x00\x1b[31m]]> \"'😀\n", Message: "why <not>?"}
		for i := range n {
			r.Attempts = append(r.Attempts, suite.Attempt{Outcome: o, Kind: "phone", Steps: i,
				Message: "]]>\x01", Claimed: true, Answer: "<b>done</b>", Phone: "p|1",
				Asked: []suite.Asked{{Question: "Which?"}}, Notes: []string{"n"},
				Checks: []suite.Checked{{What: "text: x", Got: "y"}}, Trace: "at A"})
		}
		s.Results = append(s.Results, r)
	}
	return s
}

// What people read is in their language. What programs read is the same in each.
func TestWhatPeopleReadIsInTheirLanguage(t *testing.T) {
	en, zh := summary("en"), summary("zh")
	require.Equal(t, "1 passed, 1 healed, 1 flaky, 1 failed, 1 crashed, 1 needs person, "+
		"1 setup failed, 1 skipped in 2.0s", en.Line())
	require.Contains(t, zh.Line(), "1 个通过, 1 个已修复")
	page, err := zh.Page()
	require.NoError(t, err)
	for _, want := range []string{`<html lang="zh">`, "需要人工", "第 4 行", "第 2 次尝试",
		"代理（声称已完成）：“&lt;b&gt;done&lt;/b&gt;”", "测试没有准备答案"} {
		require.Contains(t, string(page), want)
	}
	require.NotContains(t, string(page), "%!")
	for _, one := range []func(*report.Summary) ([]byte, error){
		(*report.Summary).JUnit, (*report.Summary).JSON} {
		a, err := one(en)
		require.NoError(t, err)
		b, err := one(zh)
		require.NoError(t, err)
		require.Equal(t, string(a), string(b))
	}
}
