package story_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

func TestTheStatusLineTellsTheStoreFromTheModel(t *testing.T) {
	name := filepath.Join(t.TempDir(), "terminal")
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	live := tty.NewStatus(f)
	s := story.New(text.NewWriter(live), tty.Painter{}, nil, "en", false)
	s.Begin(runs.Status{Run: store.Run{MaxSteps: 40}})
	for _, c := range []struct {
		kind agentloop.EventKind
		want string
	}{
		{agentloop.Looked, "step 1 of at most 40: thinking"},
		{agentloop.Decided, "step 1 of at most 40: " + story.In("en").Check},
		{agentloop.Acting, "step 1 of at most 40: doing: go back"},
		{agentloop.Acted, "step 1 of at most 40: " + story.In("en").Note},
	} {
		s.Event(runs.Event{Event: agentloop.Event{Kind: c.kind, Step: agentloop.Step{Index: 1,
			Proposal: agentloop.Proposal{Decision: actions.Decision{Action: actions.Back{}}}}}})
		shown, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Regexp(t, `(\x1b\[J|\n)`+regexp.QuoteMeta(c.want)+`( \ds)?$`, string(shown))
		require.LessOrEqual(t, len(c.want), 75, "with the time on a terminal of 80 columns")
	}
	s.End()
}

func TestAWaitThatWasCutShortIsNoRefusalOfThePhone(t *testing.T) {
	s := agentloop.Step{Refusal: agentloop.CutShort + "the person pressed Ctrl-C"}
	s.Proposal.Action = actions.Wait{For: time.Second}
	require.Contains(t, story.In("en").Made(s), "; cut short")
	require.NotContains(t, story.In("en").Made(s), "refused")
	require.Contains(t, story.In("zh").Made(s), "；已中断")
	s.Refusal = "not carried out: Killed"
	require.Contains(t, story.In("en").Made(s), "wait 1s; not carried out: Killed")
}

// What came of a question ends without a colon when there was no answer.
func TestAQuestionWithoutAnAnswerEndsWithItsOutcome(t *testing.T) {
	for lang, want := range map[string]string{"en": "Which? not asked",
		"zh": "Which? 没有提问"} {
		var out bytes.Buffer
		s := story.New(&out, tty.Painter{}, nil, lang, false)
		s.Begin(runs.Status{})
		out.Reset()
		s.Event(runs.Event{Event: agentloop.Event{Kind: agentloop.Stepped, Step: agentloop.Step{
			Exchange: &actions.Exchange{Question: "Which?", Outcome: actions.NoReply}}}})
		require.Contains(t, out.String(), "   "+want+"\n")
	}
}

// How a run stands, and why, is told in the terminal's language; codes are for programs.
func TestTheEndOfARunIsToldWithoutCodes(t *testing.T) {
	code := regexp.MustCompile(`[A-Z]+_[A-Z]+`)
	for lang, states := range map[string]map[store.State]string{
		"en": {store.Aborted: "given up after ", store.Paused: "paused after ",
			store.WaitingReply: "needs an answer after ", store.Completed: "done in "},
		"zh": {store.Aborted: "已放弃，用时 ", store.Paused: "已暂停，用时 ",
			store.WaitingReply: "等待回答，用时 ", store.Completed: "完成，用时 "}} {
		w := story.In(lang)
		reasons := slices.Collect(maps.Keys(w.Reasons))
		for reason := range story.In("zh").InFront {
			reasons = append(reasons, agentloop.StopReason(reason))
		}
		reasons = append(reasons, agentloop.TaskCompleted, agentloop.TaskAborted,
			agentloop.InfoNeedsReply, agentloop.SkillDiverged)
		for state, want := range states {
			for _, reason := range reasons {
				var out bytes.Buffer
				story.New(&out, tty.Painter{}, nil, lang, false).Ended(runs.Status{
					Run: store.Run{State: state}, Reason: reason})
				require.Contains(t, out.String(), want)
				require.NotRegexp(t, code, out.String())
				require.Contains(t, out.String(), w.Why(string(reason)))
			}
		}
	}
}

// Each label of what is printed has a translation.
func TestLabelsAreInTheTerminalsLanguage(t *testing.T) {
	source, err := os.ReadFile("session.go")
	require.NoError(t, err)
	labels := regexp.MustCompile(`(?:Line\(|Written\(|label :?= )(?:below\+|by\+)?" *([a-z][a-z ]*):? "`).
		FindAllSubmatch(source, -1)
	require.Greater(t, len(labels), 20)
	for _, l := range labels {
		require.NotEqual(t, string(l[1]), words.Phrase("zh", string(l[1])))
	}
	for outcome, label := range story.In("zh").Outcomes {
		var out bytes.Buffer
		story.Shown{Runs: []story.ShownRun{{}}, Steps: []story.ShownStep{{
			Exchange: &actions.Exchange{Question: "Which?", Outcome: outcome}}}}.Print(&out, "zh")
		require.Contains(t, out.String(), label+"：-")
	}
}

// What others have written is shown as they wrote it, in any language.
func TestTheWordsOfQuestionsAndAnswersAreNotTranslated(t *testing.T) {
	var out bytes.Buffer
	q := &inquiry.Question{ID: "q1", Text: "all", Status: inquiry.Answered,
		Resolution: &inquiry.Resolution{Response: inquiry.Plain("done"), Channel: "page", By: "Ann"}}
	story.Shown{Runs: []story.ShownRun{{Question: q}},
		Steps: []story.ShownStep{{Question: q}}}.Print(&out, "zh")
	require.Contains(t, out.String(), "all（问题 q1）")
	require.Contains(t, out.String(), "done（")
}

func TestTheStepsOfAHostsPhonesAreShownWithThePhone(t *testing.T) {
	for lang, home := range map[string]string{"en": "went to the home screen: Search",
		"zh": "回到了主屏幕：Search"} {
		requireSteps(t, lang, home)
	}
}

func requireSteps(t *testing.T, lang, home string) {
	t.Helper()
	var out strings.Builder
	l := story.NewGoals(story.GoalOptions{Out: &out, Lang: lang})
	l.Task("s1", "emu-1", "Look\x1b")
	l.Step(runs.Event{SessionID: "s1", Event: agentloop.Event{Kind: runs.StateChanged}})
	l.Step(runs.Event{SessionID: "s1", Event: agentloop.Event{Kind: agentloop.Stepped,
		Step: agentloop.Step{Index: 3, Proposal: agentloop.Proposal{Decision: actions.Decision{
			Action: actions.Home{}, Explain: "Search\x1b[2J it"}}}}})
	require.Regexp(t, `^    emu-1: Look.* \((session|会话) s1\)\n    emu-1 3: `+home+`.*it\n$`,
		out.String())
	require.NotContains(t, out.String(), "\x1b")
}
