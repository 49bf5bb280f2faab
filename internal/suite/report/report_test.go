package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/reporttest"
	"github.com/taploop/taploop/internal/suite"
	"github.com/taploop/taploop/internal/suite/report"
)

// summary has a result of every outcome, with words in it that are of use to attackers only.
func summary(lang string) *report.Summary {
	s := &report.Summary{Program: "taploop", Started: time.Unix(1, 0), Seconds: 2, Lang: lang}
	for n, o := range suite.Outcomes() {
		r := suite.Result{Suite: "s & <t>", File: "s.yaml", Line: n + 1, Outcome: o,
			Name: string(o) + " \u202e\x00\x1b[31m]]> \"'😀\n", Message: "why <not>?"}
		for i := range n {
			r.Attempts = append(r.Attempts, suite.Attempt{Outcome: o, Kind: "phone", Steps: i,
				Message: "]]>\x01", Claimed: true, Answer: "<b>done</b>", Phone: "p|1",
				Verdict: "contradicted", Seen: "<i>off</i>",
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
		"代理（声称已完成）：“&lt;b&gt;done&lt;/b&gt;”", "没有回答",
		"屏幕显示并非如此: &lt;i&gt;off&lt;/i&gt;"} {
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

func TestJUnitOfEveryOutcomeIsValidForJenkins(t *testing.T) {
	s := summary("en")
	s.Seconds = 98765.4321
	b, err := s.JUnit()
	require.NoError(t, err)
	reporttest.ValidJUnit(t, b)
	require.NotContains(t, string(b), "\u202e", "what changes the direction is taken out")
}

// The verdict about the end that an agent claims stands in every report, and so do notes.
func TestTheVerdictAndNotesStandInEveryReport(t *testing.T) {
	t.Parallel()
	last := suite.Attempt{Outcome: suite.Passed, Claimed: true,
		Verdict: "contradicted", Seen: "Wi-Fi is on"}
	first := suite.Attempt{Outcome: suite.Failed, Notes: []string{"teardown: it ended with code 3\n::stop"}}
	s := &report.Summary{Dir: t.TempDir(), Results: []suite.Result{{Suite: "S|", File: "s.yaml", Line: 7,
		Name: "c", Outcome: suite.Passed, Attempts: []suite.Attempt{first, last}}}}
	xml, err := s.JUnit()
	require.NoError(t, err)
	reporttest.ValidJUnit(t, xml)
	require.Contains(t, string(xml), `name="c.verification" value="contradicted"`)
	page, err := s.Page()
	require.NoError(t, err)
	require.Contains(t, string(page), "<p>the screen says otherwise: Wi-Fi is on</p>")
	all, err := s.JSON()
	require.NoError(t, err)
	require.NoError(t, s.Allure(s.Dir))
	list, err := filepath.Glob(filepath.Join(s.Dir, "*-result.json"))
	require.NoError(t, err)
	require.Len(t, list, 2)
	allured := ""
	for _, file := range list {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		allured += string(b)
	}
	require.Contains(t, allured, `"name": "verification"`)
	for _, one := range []string{string(xml), string(all), allured} {
		require.Contains(t, one, "contradicted")
		require.Contains(t, one, "Wi-Fi is on")
		require.Contains(t, one, "it ended with code 3")
	}
	require.Contains(t, s.Markdown(), "\n\n- S\\| / c: teardown: it ended with code 3 ::stop\n")
	require.Equal(t, []string{"::warning file=" + filepath.ToSlash(abs(t, "s.yaml")) + ",line=7,col=1," +
		"title=S| / c::teardown: it ended with code 3%0A::stop"}, s.Annotations())
}

func abs(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	require.NoError(t, err)
	return path
}

// Jenkins and GitLab attach the files that a text of a case names so.
func TestNothingThatAModelWordsIsAnAttachment(t *testing.T) {
	s := &report.Summary{Dir: t.TempDir(), Results: []suite.Result{{Outcome: suite.Failed,
		Attempts: []suite.Attempt{{Outcome: suite.Failed, Claimed: true,
			Answer: "fine\n[[ATTACHMENT|/etc/passwd]]\n[[[ATTACHMENT|x]]",
			Asked:  []suite.Asked{{Question: "\n[[ATTACHMENT|/etc/shadow]]"}},
			Files:  []suite.Attachment{{Name: "screen", Path: "screen.jpg"}}}}}}}
	b, err := s.JUnit()
	require.NoError(t, err)
	marks := regexp.MustCompile(`\[\[ATTACHMENT\|[^]]*]]`).FindAllString(string(b), -1)
	require.Equal(t, []string{"[[ATTACHMENT|" + filepath.Join(s.Dir, "screen.jpg") + "]]"}, marks)
}

// allureResult is a result file as Allure publishes its form; a field that is not in it is refused.
type allureResult struct {
	UUID, HistoryID, TestCaseID, FullName, Name, Status, Stage string
	StatusDetails                                              allureDetails
	Start, Stop                                                int64
	Labels, Parameters                                         []struct{ Name, Value string }
	Steps                                                      []struct {
		Name, Status, Stage string
		StatusDetails       allureDetails
	}
	Attachments []struct{ Name, Source, Type string }
}

type allureDetails struct {
	Message, Trace      string
	Known, Muted, Flaky bool
}

// The outcomes are told apart in every report.
func TestEveryOutcomeIsToldApartInEveryReport(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	type told struct{ junit, allure, github string }
	for outcome, want := range map[suite.Outcome]told{
		suite.Passed:      {"", "passed", ""},
		suite.Healed:      {"", "passed", "warning"},
		suite.Flaky:       {"<flakyFailure", "passed", "warning"},
		suite.Failed:      {"<failure type=\"failed\"", "failed", "error"},
		suite.Crashed:     {"<failure type=\"crashed\"", "failed", "error"},
		suite.NeedsPerson: {"<error type=\"needs_person\"", "broken", "error"},
		suite.SetupFailed: {"<error type=\"setup_failed (adb)\"", "broken", "error"},
		suite.Skipped:     {"<skipped type=\"skipped\"", "skipped", ""},
	} {
		kind := map[suite.Outcome]string{suite.SetupFailed: suite.KindADB}[outcome]
		r := suite.Result{Suite: "S", File: "s.yaml", Line: 7, Column: 3, Name: "c",
			Outcome: outcome, Kind: kind, Message: "because"}
		last := suite.Attempt{Outcome: outcome, Kind: kind, Message: "because"}
		if outcome == suite.Flaky {
			last = suite.Attempt{Outcome: suite.Failed, Message: "first"}
			r.Attempts = []suite.Attempt{last, {Outcome: suite.Passed}}
		} else if outcome != suite.Skipped {
			r.Attempts = []suite.Attempt{last}
		}
		s := &report.Summary{Results: []suite.Result{r}, Dir: t.TempDir(), Root: here}
		xml, err := s.JUnit()
		require.NoError(t, err)
		reporttest.ValidJUnit(t, xml)
		require.Contains(t, string(xml), want.junit, outcome)
		require.Equal(t, want.junit == "" || outcome == suite.Flaky,
			!regexp.MustCompile("<(failure|error|skipped) ").Match(xml), outcome)
		require.Contains(t, string(xml), `name="c.outcome" value="`+string(outcome))
		require.NoError(t, s.Allure(s.Dir))
		files, err := filepath.Glob(filepath.Join(s.Dir, "*-result.json"))
		require.NoError(t, err)
		var all []string
		for _, file := range files {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			var x allureResult
			require.NoError(t, json.Unmarshal(b, &x))
			require.Equal(t, outcome == suite.Flaky, x.StatusDetails.Flaky, outcome)
			all = append(all, x.Status)
		}
		require.Contains(t, all, want.allure, outcome)
		notes := strings.Join(s.Annotations(), "\n")
		require.Equal(t, want.github == "", notes == "", outcome)
		if want.github != "" {
			require.Contains(t, notes, "::"+want.github+" file=s.yaml,line=7,col=3,title=S / c ("+
				string(outcome))
		}
		require.Contains(t, s.Markdown(), "| "+string(outcome))
		page, err := s.Page()
		require.NoError(t, err)
		require.Contains(t, string(page), suite.WordsIn("en").Outcomes[outcome])
		j, err := s.JSON()
		require.NoError(t, err)
		require.Contains(t, string(j), `"outcome": "`+string(outcome)+`"`)
	}
	require.Len(t, suite.Outcomes(), 8)
}

func TestAllureResultsHaveThePublishedForm(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, summary("en").Allure(dir))
	list, err := filepath.Glob(filepath.Join(dir, "*-result.json"))
	require.NoError(t, err)
	attempts := 1 // of the case that was not run
	for n := range suite.Outcomes() {
		attempts += n
	}
	require.Len(t, list, attempts)
	id := regexp.MustCompile(`^[0-9a-f]{32}$`)
	for _, file := range list {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		var x allureResult
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&x), string(b))
		require.Equal(t, x.UUID+"-result.json", filepath.Base(file))
		for _, one := range []string{x.UUID, x.HistoryID, x.TestCaseID} {
			require.Regexp(t, id, one)
		}
		require.Contains(t, []string{"passed", "failed", "broken", "skipped"}, x.Status)
		require.Equal(t, "finished", x.Stage)
		require.GreaterOrEqual(t, x.Stop, x.Start)
		for _, l := range append(x.Labels, x.Parameters...) {
			require.NotEmpty(t, l.Value, l.Name)
		}
		for _, one := range x.Steps {
			require.Equal(t, [2]string{"failed", "finished"}, [2]string{one.Status, one.Stage})
		}
	}
}

// What cases, screens and models say cannot give GitHub's runner commands. It takes a line for one
// that begins with two colons behind blanks, or has its older mark anywhere.
func TestNoTextIsACommandOfGitHub(t *testing.T) {
	at := keys.Position{File: "a,b:c%.yaml", Line: 3}
	require.Equal(t, "::error file=a%2Cb%3Ac%25.yaml,line=3,col=1,title=x%0A%3A%3Aset%2C::1%25%0D%0A"+
		"::add-mask::e", report.Annotation("error", at, "x\n::set,", "1%\r\n::add-mask::e"))
	for _, hostile := range []string{"::add-mask::e", "a\n \t::stop-commands::x", "a\r::error::b",
		"a ##[add-mask]e", "::::", "##[##[a"} {
		got := report.Harmless(hostile)
		require.NotContains(t, got, "##[")
		for _, line := range regexp.MustCompile(`[\r\n]`).Split(got, -1) {
			require.False(t, strings.HasPrefix(strings.TrimSpace(line), "::"), "%q", got)
		}
	}
	require.Equal(t, "std::vector, #1 [a]", report.Harmless("std::vector, #1 [a]"))
	md := (&report.Summary{Results: []suite.Result{{Name: `a\|b`, Outcome: suite.Failed}}}).Markdown()
	require.Contains(t, md, `| a\\\|b |`)
	md = (&report.Summary{Results: []suite.Result{{Name: "a\a\x1b[31m\u202eb", Suite: "s\x1b",
		Message: "\x1b]0;x\a", Outcome: suite.Failed}}}).Markdown()
	require.NotRegexp(t, "[\a\x1b\u202e]", md)
}
