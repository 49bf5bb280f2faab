package suite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/keys"
	"github.com/taploop/taploop/internal/suite"
)

func read(t *testing.T, name, content string) ([]*suite.Item, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	return suite.Read(t.Context(), []string{file}, suite.Options{})
}

// claims are the tasks of an item's stages, each with what is judged after it.
func claims(i *suite.Item) (list [][]string) {
	for _, s := range i.Stages {
		one := []string{s.Task}
		for _, e := range s.Expect {
			one = append(one, e.Judged)
		}
		list = append(list, one)
	}
	return list
}

func TestAJourneyIsItsActionsAndWhatTheyVerify(t *testing.T) {
	items, err := read(t, "find.journey.xml", `<?xml version="1.0" encoding="utf-8"?>
<journey name="Find a note">
    <description>Finds a note, and opens it</description>
    <actions>
        <action>Open the Notes app</action>
        <action>
            Tap the note
            "Packing list"
        </action>
        <action>Verify that the note is open</action>
        <action>Check that it says "Passport"</action>
        <action>Go back</action>
        <action>Ensure the list is shown &amp; nothing else</action>
    </actions>
</journey>`)
	require.NoError(t, err)
	require.Equal(t, "Find a note", items[0].Name)
	require.Equal(t, 5, items[0].At().Line)
	require.Equal(t, [][]string{
		{"Open the Notes app\nTap the note \"Packing list\"", "Verify that the note is open",
			`Check that it says "Passport"`},
		{"Go back", "Ensure the list is shown & nothing else"}}, claims(items[0]))

	items, err = read(t, "do.journey.xml",
		`<journey><actions><action>Open Notes</action></actions></journey>`)
	require.NoError(t, err)
	require.Equal(t, "do", items[0].Name)
	require.Equal(t, [][]string{{"Open Notes", "All of this was done: Open Notes"}},
		claims(items[0]))

	items, err = read(t, "rest.journey.xml", "<journey><actions><action>Verify it is day</action>"+
		"<action>Open Notes</action><action>Delete all</action></actions></journey>\n<!-- end -->\n")
	require.NoError(t, err)
	require.Equal(t, []string{"Open Notes\nDelete all",
		"All of this was done: Open Notes; Delete all"}, claims(items[0])[1])

	for content, want := range map[string]string{
		`<?xml version="1.0" encoding="ISO-8859-1"?><journey/>`: "x.journey.xml:1:44: xml: opening " +
			"charset \"ISO-8859-1\": save the file as UTF-8",
		"<journey><actions><action>a</action></actions></journey>\n<journey/>": "x.journey.xml:2:11: " +
			"a journey is one element, and there is another behind it",
		"<journey><actions></actions></journey>":           "1:1: this journey has no action",
		"<journey><steps><step>x</step></steps></journey>": "1:17: unknown element steps",
		"<journey><actions>":                               "XML syntax error on line 1",
	} {
		_, err := read(t, "x.journey.xml", content)
		require.ErrorContains(t, err, want)
	}
}

func TestATestOfFirebaseIsItsStepsWithThoseThatGoBefore(t *testing.T) {
	items, err := read(t, "app.yaml", `tests:
- displayName: Log in
  id: login
  steps:
  - goal: Log in as a guest
    hint: Skip the offer
    finalScreenAssertion: The home screen is shown
- displayName: Search
  prerequisiteTestCaseId: login
  steps:
  - goal: Open the search
  - goal: Look for shoes
    successCriteria: There are shoes
`)
	require.NoError(t, err)
	login := []string{"Log in as a guest\nHint: Skip the offer", "The home screen is shown"}
	require.Equal(t, [][]string{login}, claims(items[0]))
	require.Equal(t, [][]string{login, {"Open the search", "All of this was done: Open the search"},
		{"Look for shoes", "There are shoes"}}, claims(items[1]))

	items, err = read(t, "old.yaml", "- displayName: Win\n  steps: [{goal: win}]\n")
	require.NoError(t, err)
	require.Equal(t, [][]string{{"win", "All of this was done: win"}}, claims(items[0]))

	items, err = read(t, "rest.yaml", "- displayName: Rest\n  steps:\n"+
		"  - {goal: look, finalScreenAssertion: seen}\n  - {goal: tap}\n  - {goal: wait}\n")
	require.NoError(t, err)
	require.Equal(t, [][]string{{"look", "seen"}, {"tap", "All of this was done: tap"},
		{"wait", "All of this was done: wait"}}, claims(items[0]))

	for content, want := range map[string]string{
		"tests: [{displayName: a, id: a, steps: [{goal: x}]}, {displayName: b, id: a, steps: " +
			"[{goal: x}]}]": `x.yaml:1:75: there are two tests with the id "a"`,
		"tests: [{displayName: a, steps: [{gaol: x}]}]": `unknown key "gaol" (did you mean goal?)`,
		"tests: [{displayName: a, id: a, prerequisiteTestCaseId: b, steps: [{goal: x}]}]": `there ` +
			`is no test with the id "b"`,
		"tests: [{displayName: a, id: a, prerequisiteTestCaseId: a, steps: [{goal: x}]}]": `the ` +
			`tests go before each other`,
	} {
		_, err := read(t, "x.yaml", content)
		require.ErrorContains(t, err, want)
	}
}

const some = `tags: [shop]
cases:
- {name: one, task: t, expect: none}
- {name: two, task: t, needs: one, tags: [slow], expect: none}
- {name: three, task: t, expect: none}
- {name: four, task: t, with: [{n: 1}, {n: 2}], expect: none}
- {name: five, task: t, needs: four, expect: none}
`

// A case needs every row of another one, also where the names of rows have other values.
func TestACaseNeedsEveryRowOfAnother(t *testing.T) {
	items, err := read(t, "s.yaml", `vars: {n: 0}
cases:
- {name: "a {{n}}", task: t, with: [{n: 1}, {n: 2}], expect: none}
- {name: b, task: t, needs: "a {{n}}", expect: none}
- {name: c, task: t, with: [{n: 2}], needs: "a {{n}}", expect: none}
`)
	require.NoError(t, err)
	for _, i := range items[2:] {
		require.Equal(t, []string{"a 1", "a 2"}, namesOf(i.Needed(items)), i.Name)
	}
}

func namesOf(items []*suite.Item) (list []string) {
	for _, i := range items {
		list = append(list, i.Name)
	}
	return list
}

func TestASelectionHasWhatItsCasesNeed(t *testing.T) {
	items, err := read(t, "s.yaml", some)
	require.NoError(t, err)
	pick := func(s suite.Selection) []string {
		chosen, err := suite.Select(items, s)
		require.NoError(t, err)
		return namesOf(chosen)
	}
	_, err = suite.Select(items, suite.Selection{Grep: regexp.MustCompile("ten"), Shard: suite.Shard{N: 1, Of: 2}})
	require.ErrorContains(t, err, "no case is chosen")
	require.Empty(t, pick(suite.Selection{Tags: []string{"slow"}, Shard: suite.Shard{N: 2, Of: 2}}))
	require.Equal(t, []string{"one", "two"}, pick(suite.Selection{Tags: []string{"slow"}}))
	require.Equal(t, []string{"four [n=1]", "four [n=2]", "five"},
		pick(suite.Selection{Grep: regexp.MustCompile("five")}))
	require.Len(t, pick(suite.Selection{Tags: []string{"shop"}}), 6)
	require.Equal(t, []string{"one"}, // as the lines of a run print it
		pick(suite.Selection{Grep: regexp.MustCompile("^" + items[0].Suite.Name + " / one$")}))
	first := pick(suite.Selection{Shard: suite.Shard{N: 1, Of: 2}})
	second := pick(suite.Selection{Shard: suite.Shard{N: 2, Of: 2}})
	require.Equal(t, []string{"one", "two", "four [n=1]", "four [n=2]", "five"}, first)
	require.Equal(t, []string{"three"}, second[:1])
}

// No case is in two shards, whatever needs it: a case goes where those go that need it, with all
// its rows.
func TestNoCaseIsInTwoShards(t *testing.T) {
	items, err := read(t, "s.yaml", `
cases:
- {name: base, task: t, with: [{v: 1}, {v: 2}, {v: 3}], expect: none}
- {name: mid, task: t, needs: base, with: [{v: 1}, {v: 2}], expect: none}
- {name: end 1, task: t, needs: mid, expect: none}
- {name: end 2, task: t, needs: base, expect: none}
- {name: lone, task: t, with: [{v: 1}, {v: 2}], expect: none}
`)
	require.NoError(t, err)
	for _, grep := range []string{"", "end", "base|end 1", "lone|end 2"} {
		whole, err := suite.Select(items, suite.Selection{Grep: regexp.MustCompile(grep)})
		require.NoError(t, err)
		for of := 2; of <= 4; of++ {
			var all []string
			for n := 1; n <= of; n++ {
				one, err := suite.Select(items, suite.Selection{Grep: regexp.MustCompile(grep),
					Shard: suite.Shard{N: n, Of: of}})
				require.NoError(t, err)
				all = append(all, namesOf(one)...)
			}
			require.ElementsMatch(t, namesOf(whole), all, "%q in %d shards", grep, of)
		}
	}
}

// A program may write a suite as JSON, in one line, with a table of many rows.
func TestATableMayHaveManyRowsInOneLine(t *testing.T) {
	type row map[string]int
	rows := make([]row, 20_000)
	for n := range rows {
		rows[n] = row{"n": n, "more": 2 * n}
	}
	b, err := json.Marshal(map[string]any{"cases": []any{map[string]any{"name": "a", "with": rows,
		"task": "t {{n}}", "expect": "none"}}})
	require.NoError(t, err)
	items, err := read(t, "s.yaml", strings.ReplaceAll(string(b), `":`, `": `))
	require.NoError(t, err)
	require.Len(t, items, 20_000)
	require.Equal(t, "t 19999", items[19_999].Stages[0].Task)
}

// A folder may have other YAML, also such as only a template makes of it.
func TestAFolderHasItsSuitesAndOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a/s.yaml":              "cases: [{name: a, task: t, expect: none}]",
		"a/old.yml":             "- displayName: b\n  steps: [{goal: win}]\n",
		"a/json.yaml":           `{"name": "J", "cases": [{"name": j, "task": t, "expect": none}]}`,
		"a/quoted.yaml":         "'cases' :\n- {name: q, task: t, expect: none}\n",
		"a/bom.yaml":            "\uFEFFcases: [{name: m, task: t, expect: none}]",
		"a/id.yaml":             "  - id: x\n    displayName: i\n    steps: [{goal: win}]\n",
		"a/vars.yaml":           "vars:\n  tests: 3\ncases: [{name: v, task: t, expect: none}]",
		"a/block.yaml":          "cases:\n- name: k\n  task: |\n    tests:\n  expect: none\n",
		"chart.yaml":            "a: {{ .Values.a }}\n",
		"empty.yaml":            "",
		"words.yaml":            "# cases: [{name: a}]\n",
		"task.yaml":             "version: 3\ntasks: {build: {cmds: [{task: lint}]}}\n",
		"compose.yaml":          "name: shop\nservices: {web: {image: x}}\n",
		".git/s.yaml":           "cases: [{",
		"node_modules/p/s.yaml": "cases: [{name: n, task: t, expect: none}]",
		"in/skills/late.yaml":   "name: late\ndescription: d\ntask: t\nsteps: []\n",
		"cassettes/s.yaml":      "cases: [{",
		"b.journey.xml":         "<journey><actions><action>Look</action></actions></journey>",
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	var noted []string
	items, err := suite.Read(t.Context(), []string{dir}, suite.Options{Note: func(p keys.Problem) {
		noted = append(noted, filepath.Base(p.Position.String()))
		require.NotEmpty(t, p.Text)
	}})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"a", "b", "b", "j", "q", "m", "i", "v", "k"}, namesOf(items))
	require.Equal(t, []string{"chart.yaml:1:5", "empty.yaml:1:1", "words.yaml:1:1"}, noted)
}

// A file of a folder that was meant to be a suite is an error with its place, as when it is named.
func TestAFileOfAFolderThatWasMeantToBeASuiteIsReadAsOne(t *testing.T) {
	utf16 := []byte{0xff, 0xfe}
	for _, c := range "cases: [{name: a, task: t, expect: none}]" {
		utf16 = append(utf16, byte(c), 0)
	}
	for _, meant := range []string{"name: B\ncasez: [{name: a, task: t, expect: none}]",
		"case:\n- name: c\n  task: t\n", "testcases: [{name: a}]", "app: a\nsetup: [wait_boot]",
		"todo:\n  - {name: a, task: t}", "- {name: a, task: t}", "name: h\n  cases: [\n",
		string(utf16)} {
		dir := t.TempDir()
		for name, content := range map[string]string{"bad.yaml": meant,
			"good.yaml": "cases: [{name: a, task: t, expect: none}]"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
		}
		_, err := suite.Read(t.Context(), []string{dir}, suite.Options{})
		require.Error(t, err, meant)
		_, named := suite.Read(t.Context(), []string{filepath.Join(dir, "bad.yaml")}, suite.Options{})
		require.Equal(t, named, err)
		require.Regexp(t, `^.*bad\.yaml:\d+:\d+: `, err)
	}
}

// Whoever interrupts the reading of a large folder waits for no further file.
func TestReadingEndsWhenItIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	for n := range 9 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", n)),
			[]byte("# later"), 0o600))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var read []string
	note := func(p keys.Problem) { read = append(read, p.File); cancel() }
	_, err := suite.Read(ctx, []string{dir}, suite.Options{Note: note})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, read, 1)
	_, err = suite.Read(ctx, []string{filepath.Join(dir, "gone"), dir}, suite.Options{Note: note})
	require.ErrorIs(t, err, context.Canceled, "nothing is said of what was not read")
	require.Len(t, read, 1)
}

// A link to a folder is that folder. In it, links to folders are left alone, also where they lead
// round in a circle.
func TestALinkToAFolderIsTheFolder(t *testing.T) {
	dir := t.TempDir()
	suites := filepath.Join(dir, "suites")
	require.NoError(t, os.MkdirAll(filepath.Join(suites, "sub"), 0o700))
	for _, name := range []string{"a.yaml", "sub/b.yaml", "../c.yaml"} {
		require.NoError(t, os.WriteFile(filepath.Join(suites, name), []byte("cases: [{name: "+
			filepath.Base(name)+", task: t, expect: none}]"), 0o600))
	}
	for link, to := range map[string]string{"link": "suites", "suites/sub/up": "..",
		"suites/round": "round", "suites/d.yaml": "../c.yaml"} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	for _, path := range []string{"link", "suites", "link/", "suites/sub/.."} {
		items, err := suite.Read(t.Context(), []string{filepath.Join(dir, path)}, suite.Options{})
		require.NoError(t, err)
		require.Equal(t, []string{"a.yaml", "c.yaml", "b.yaml"}, namesOf(items), path)
	}
	t.Chdir(suites)
	items, err := suite.Read(t.Context(), []string{"."}, suite.Options{})
	require.NoError(t, err)
	require.Equal(t, "sub/b.yaml", filepath.ToSlash(items[2].Suite.File))
}

// A case that looks at nothing but the agent's words is told when it is read.
func TestACaseThatOnlyListensToTheAgentIsTold(t *testing.T) {
	var told []string
	_, err := suite.Parsed("s.yaml", []byte("cases:\n"+
		"- {name: own, task: t, with: [{n: 1}, {n: 2}], expect: [{answer: x}, {answer: y}]}\n"+
		"- {name: both, task: t, expect: [{answer: x}, {text: y}]}\n"+
		"- {name: none, task: t, expect: none}\n"),
		suite.Options{Note: func(p keys.Problem) { told = append(told, p.String()+": "+p.Text) }})
	require.NoError(t, err)
	require.Equal(t, []string{`s.yaml:2:56: case "own" expects only what the agent says: add an ` +
		"expectation that it cannot grant itself"}, told)
}

// What a suite names is below its folder, also behind links.
func TestNothingOutsideTheSuitesFolderIsNamedByIt(t *testing.T) {
	out, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(out, "x.apk"), []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.apk"), []byte("x"), 0o600))
	require.NoError(t, os.Symlink(out, filepath.Join(dir, "lnk")))
	require.NoError(t, os.Symlink("in.apk", filepath.Join(dir, "same.apk")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(out, "none"), filepath.Join(dir, "away")))
	rel, err := filepath.Rel(dir, out)
	require.NoError(t, err)
	for _, c := range []struct{ line, want string }{
		{"setup: [{push: {from: in.apk, to: /p}}]", ""},
		{"setup: [{push: {from: same.apk, to: /p}}]", ""},
		{"setup: [{install: ./in.apk}]", ""},
		{"setup: [{install: '**/i*.apk'}]", ""},
		{"setup: [{push: {from: " + filepath.Join(out, "x.apk") + ", to: /p}}]", ":1:23: from: the suite's folder has no"},
		{"setup: [{push: {from: " + rel + "/x.apk, to: /p}}]", ":1:23: from: the suite's folder has no"},
		{"setup: [{push: {from: lnk/x.apk, to: /p}}]", ":1:23: from: the suite's folder has no"},
		{"setup: [{install: lnk/x.apk}]", ":1:19: install: "},
		{"setup: [{install: " + rel + "/x.apk}]", ":1:19: install: "},
		{"cases: [{name: a, cassette: lnk/c.jsonl, task: t, expect: none}]", ":1:29: want a path below the suite's"},
		{"cases: [{name: a, cassette: new/c.jsonl, task: t, expect: none}]", ""},
		{"cases: [{name: a, cassette: folder, task: t, expect: none}]", ""}, // is told when it is used
		{"cases: [{name: a, cassette: away, task: t, expect: none}]", ":1:29: want a path below the suite's"},
		{"cases: [{name: a, cassette: in.apk/c, task: t, expect: none}]", ""},
		{"cases: [{name: a, cassette: no/../../c.jsonl, task: t, expect: none}]", ":1:29: want a path below the suite's"},
		{"cases: [{name: a, cassette: ../c.jsonl, task: t, expect: none}]", ":1:29: want a path below the suite's"},
	} {
		file, lines := filepath.Join(dir, "s.yaml"), c.line
		if lines[0] == 's' {
			lines += "\ncases: [{name: a, task: t, expect: none}]"
		}
		require.NoError(t, os.WriteFile(file, []byte(lines), 0o600))
		_, err := suite.Read(t.Context(), []string{file}, suite.Options{})
		if c.want == "" {
			require.NoError(t, err, c.line)
		} else {
			require.ErrorContains(t, err, file+c.want, c.line)
		}
	}
	require.NoError(t, os.Symlink(out, filepath.Join(dir, "cassettes")))
	_, err = suite.Read(t.Context(), []string{filepath.Join(dir, "s.yaml")}, suite.Options{})
	require.ErrorContains(t, err, "want a path below")
}
