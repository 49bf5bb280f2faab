package main

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/suite"
)

// report reads a file of the folder.
func (f *tested) report(name ...string) string {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{f.dir}, name...)...))
	require.NoError(f.t, err)
	return string(b)
}

// An expectation that cannot be asked says nothing about the app: wherever it stands the outcome is
// the same, and every report says why it was not asked.
func TestWhatCannotBeAskedIsNotToldAsFailed(t *testing.T) {
	t.Parallel()
	const app, gone, judged = "{app: com.x}", `{query: {uri: "content://nosuch/x", rows: 0}}`,
		"{judged: It is paid.}"
	for _, order := range []string{app + ", " + gone + ", " + judged,
		gone + ", " + app + ", " + judged} {
		f := newTested(t, 1, "rules:\n- {when: 'Claim:', reply: '{\"true\": true, \"why\": \"-\"}'}\n"+
			say("", claim))
		junit := filepath.Join(f.dir, "j.xml")
		code, all := f.test("cases: [{name: a, task: t, expect: ["+order+"]}]", "--junit", junit,
			"--allure", filepath.Join(f.dir, "allure"))
		require.Equal(t, exitNotCompleted, code, f.said)
		last := all[0].Last()
		require.Equal(t, suite.Failed, last.Outcome)
		require.Contains(t, last.Message, "expected app: com.x, but ")
		require.Len(t, last.Checks, 3)
		for _, c := range last.Checks {
			require.False(t, c.OK)
			require.Equal(t, c.What == "app: com.x", c.NotAsked == "", c.What)
			require.Equal(t, c.What == "app: com.x", c.Got != "", c.What)
			if c.Judged {
				require.Equal(t, "judged: It is paid. (judged by a model)", c.What)
				require.Equal(t, "the outcome was known before", c.NotAsked)
			}
		}
		const why = "Could not find provider"
		require.Contains(t, f.report("j.xml"), "not asked: query: {uri: content://nosuch/x, rows: 0}: ")
		require.Contains(t, f.report("j.xml"), "not asked: judged: It is paid. (judged by a model): ")
		require.Contains(t, f.report("r", "index.html"), "(judged by a model) (not asked: the outcome")
		files, err := filepath.Glob(filepath.Join(f.dir, "allure", "*-result.json"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		allure, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.Contains(t, string(allure), "It is paid. (judged by a model)")
		for _, report := range []string{f.report("j.xml"), f.report("r", "index.html"),
			f.report("r", "all.json"), string(allure)} {
			require.Contains(t, report, why)
		}
	}
	f := newTested(t, 1, "rules:\n"+say("", claim))
	code, all := f.test("cases: [{name: a, task: t, expect: [" + gone + ", " + judged + "]}]")
	require.Equal(t, exitPhone, code, f.said)
	require.Equal(t, suite.KindSuite, all[0].Kind)
	require.NotEmpty(t, all[0].Last().Checks[1].NotAsked, "no model is asked about what is open")
}

// A picture of another shape can never look alike: that is the author's fault, and not the app's.
func TestAPictureOfTheWrongShapeIsTheAuthorsFault(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	file, err := os.Create(filepath.Join(f.dir, "p.png"))
	require.NoError(t, err)
	require.NoError(t, png.Encode(file, image.NewGray(image.Rect(0, 0, 50, 50))))
	require.NoError(t, file.Close())
	code, all := f.test("cases: [{name: a, task: t, expect: [{picture: {like: p.png}}]}]")
	require.Equal(t, exitPhone, code, f.said)
	require.Equal(t, map[string]string{"a": "setup_failed suite"}, outcomes(all))
	require.Contains(t, all[0].Message, "p.png has another shape than the region")
	require.NotContains(t, all[0].Message, "claimed")
}

// GitLab shows the first attachment of a case: the screen of the attempt that decided. The pages of
// the attempts are not those of tasks that are done, and say once why they failed.
func TestTheScreenOfTheLastFailureComesFirst(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	junit := filepath.Join(f.dir, "j.xml")
	code, all := f.test("cases: [{name: a, task: t, retries: 1, expect: [{app: com.x}]}]",
		"--junit", junit)
	require.Equal(t, exitNotCompleted, code, f.said)
	require.Len(t, all[0].Attempts, 2)
	marks := regexp.MustCompile(`ATTACHMENT\|[^]]*`).FindAllString(f.report("j.xml"), -1)
	require.Len(t, marks, 8)
	require.Regexp(t, `attempt-2/screen\.jpg$`, marks[0])
	for _, file := range all[0].Last().Files {
		if file.Name == "steps.html" {
			steps := f.report("r", file.Path)
			require.Contains(t, steps, `"state":"FAILED"`)
			require.NotContains(t, steps, `"state":"COMPLETED"`)
			require.Contains(t, steps, "the agent claimed that it was done, and it was not")
		}
	}
	page := f.report("r", "index.html")
	require.Len(t, regexp.MustCompile("is in front").FindAllString(page, -1), 2, "once an attempt")
	require.Contains(t, page, "<figcaption>screen.jpg</figcaption>")
}

// A cassette that cannot be played is named by its own path, and one that another folder has is
// refused before a phone is touched.
func TestABrokenCassetteIsNamed(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	file := f.file("c.jsonl", "{\"format\": \"taploop model cassette\", \"version\": 2}\n{}\n")
	code, all := f.test("cases: [{name: a, task: t, cassette: c.jsonl, expect: none}]", "--replay")
	require.Equal(t, exitPhone, code, f.said)
	require.Equal(t, map[string]string{"a": "setup_failed cassette"}, outcomes(all))
	require.Contains(t, all[0].Message, "replaying "+file+": line 2: a request without method")
	for _, elsewhere := range []string{"../c.jsonl", "/tmp/c.jsonl", "a/../../c.jsonl"} {
		code, _ = f.test("cases: [{name: a, task: t, cassette: "+elsewhere+", expect: none}]",
			"--record")
		require.Equal(t, exitUsage, code, f.said)
		require.Contains(t, f.said, "s.yaml:1:38: want a path below the suite's folder")
	}
}

// A dry run writes no report and says so, and no report is written over a file of another kind.
func TestAReportIsWrittenOverNothingElse(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	const one = "cases: [{name: a, task: t, skip: not now, expect: none}]"
	junit := filepath.Join(f.dir, "j.xml")
	code, _ := f.test(one, "--dry-run", "--junit", junit)
	require.Equal(t, exitUsage, code, f.said)
	require.Contains(t, f.said, "--dry-run runs nothing, and writes no report")
	for range 2 { // its own are replaced
		code, _ = f.test(one, "--junit", junit)
		require.Equal(t, exitDone, code, f.said)
	}
	require.Contains(t, f.said, "1 skipped, no case was run in ")
	for _, name := range []string{"s.yaml", "r/index.html"} {
		if name != "s.yaml" {
			f.file(name, "my page")
		}
		code, _ = f.test(one, "--junit", filepath.Join(f.dir, "s.yaml"))
		require.Equal(t, exitPhone, code, f.said)
		require.Contains(t, f.said, name+": what is there is of another kind")
	}
	require.Equal(t, one, f.report("s.yaml"))
	require.Equal(t, "my page", f.report("r", "index.html"))
}

// A simulated phone's own model heals nothing: it knows a few tasks. Nothing stands in a line where
// nobody else is.
func TestHealingWantsAModel(t *testing.T) {
	t.Parallel()
	f := newTested(t, 1, "rules:\n"+say("", claim))
	const one = "cases: [{name: a, task: Turn on the dark theme and turn Wi-Fi off., expect: none}]"
	f.env = append(lone(t, "http://127.0.0.1:1/v1")[:0:0], "HOME="+t.TempDir())
	code, _ := f.test(one, "--phones", "sandbox", "--record")
	require.Equal(t, exitDone, code, f.said)
	require.Contains(t, f.said, "scripted")
	code, _ = f.test(one, "--phones", "sandbox", "--heal")
	require.NotContains(t, f.said, "scripted")
	require.Contains(t, []int{exitDone, exitModel}, code, f.said)
}
