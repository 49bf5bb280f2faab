package tools_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
)

// write writes a skill that says something, and needs to be told what.
func write(t *testing.T, dir skill.Folder, name, task string) {
	t.Helper()
	s, err := skill.Parse("x", []byte("name: "+name+"\ndescription: says {{what}}\ntask: '"+task+
		"'\nparams: {type: object, properties: {what: {type: string}}, required: [what]}\n"+
		"steps: [{action: {verb: HOME}}]\nends: {}\nanswer: '{{what}}'\n"))
	require.NoError(t, err)
	require.NoError(t, dir.Write(s))
}

// Skills are listed and run by MCP clients that are offered them.
func TestASkillIsRunOverMCP(t *testing.T) {
	dir := skill.Folder(t.TempDir())
	bubble(t, func(t *testing.T, w *fixture) {
		write(t, dir, "echo", "say {{what}}")
		w.disconnect()
		w.topts.SkillTools, w.topts.Skills = true, dir
		w.connect()
		w.compile()
		require.Contains(t, w.call("list_skills", in{}).text, "echo: says {{what}} params: {")
		require.Contains(t, w.call("run_skill", in{"name": "other"}).text, "no skill \"other\"")
		require.Contains(t, w.call("run_skill", in{"name": "echo"}).text, "missing properties")
		require.Contains(t, w.call("run_skill", in{"name": "echo", "heal": "never"}).text, "heal")
		a := w.call("run_skill", in{"name": "echo", "params": in{"what": "hi"}})
		require.Equal(t, "say hi", a.Task)
	})
}

// skilled is a fixture whose server offers the skills of a folder, two of them as tools.
func (w *fixture) skilled(dir skill.Folder) *tools.Tools {
	w.disconnect()
	w.topts.SkillTools, w.topts.Skills, w.topts.MostSkills = true, dir, 2
	of := tools.New(&w.topts)
	srv := server.NewMCPServer("taploop", "test", server.WithToolCapabilities(true))
	of.Register(srv)
	w.serve(srv, "2025-11-25", nil)
	w.compile()
	return of
}

// names are those of the tools of skills that are listed.
func (w *fixture) skillNames() (names []string) {
	_, list := w.list("schemas=full")
	for _, d := range list {
		if strings.HasPrefix(d.Name, "skill_") {
			names = append(names, d.Name)
		}
	}
	return names
}

// A skill is a tool as long as there is one. Clients hear of it, and a call says that it is gone.
func TestASkillIsATool(t *testing.T) {
	dir := skill.Folder(t.TempDir())
	bubble(t, func(t *testing.T, w *fixture) {
		write(t, dir, "echo", "say {{what}}")
		of := w.skilled(dir)
		go of.WatchSkills(t.Context())
		require.Equal(t, []string{"skill_echo"}, w.skillNames())
		d := w.toolsNamed("skill_echo")[0]
		require.Contains(t, d.Description, "says {{what}}\nIt repeats recorded steps")
		properties := d.Input["properties"].(map[string]any)
		require.Contains(t, properties, "what")
		require.Contains(t, properties, "heal")
		require.NotContains(t, properties, "params")
		require.Equal(t, []any{"what"}, d.Input["required"])
		w.output["skill_echo"] = w.output["run_skill"]
		a := w.call("skill_echo", in{"what": "hi", "max_steps": 3})
		require.Equal(t, "say hi", a.Task)
		brief, err := w.try(w.at("schemas=brief"), "skill_echo", in{"what": "hi"}, nil)
		require.NoError(t, err)
		require.Equal(t, "echo", brief.Skill.Skill)
		require.Contains(t, w.call("skill_echo", in{}).text, "missing properties")
		unknown := w.call("skill_echo", in{"whatt": "x"})
		require.Equal(t, "INVALID_ARGUMENT", unknown.Error.Code)
		require.Contains(t, unknown.text, "pass it as what; the arguments are: what, heal, ")
		require.Contains(t, w.call("skill_echo", in{"what": nil}).text, `missing properties: ["what"]`)

		w.notifications()
		for i := range 3 {
			write(t, dir, "more"+strconv.Itoa(i), "more {{what}}")
		}
		require.NoError(t, dir.Remove("echo"))
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.Equal(t, 1, w.notified()[mcp.MethodNotificationToolsListChanged+" "])
		require.Equal(t, []string{"skill_more0", "skill_more1"}, w.skillNames())
		require.Contains(t, w.call("skill_echo", in{"what": "hi"}).text, `no skill "echo"`)
		w.output["skill_more2"] = w.output["run_skill"]
		for name, arguments := range map[string]in{"skill_more2": {"what": "y"},
			"run_skill": {"name": "more2", "params": in{"what": "y"}}} {
			arguments["device_id"] = "none"
			require.Contains(t, w.call(name, arguments).text, `no phone "none"`,
				"a skill that is not listed can be called by its name, too")
		}
		time.Sleep(time.Minute)
		require.Zero(t, w.notified()[mcp.MethodNotificationToolsListChanged+" "])
	})
}

// A task that a skill does is carried out as any, and its result names the skill. Only when that is
// wanted the skill is repeated, and only when there is no doubt about its parameters.
func TestATaskNamesTheSkillThatDoesIt(t *testing.T) {
	dir := skill.Folder(t.TempDir())
	bubble(t, func(t *testing.T, w *fixture) {
		write(t, dir, "echo", "say {{what}} and {{what}} aloud")
		run := func(use usecase.SkillUse, task string) answer {
			w.topts.UseSkills = use
			w.skilled(dir)
			a := w.call("ask_agent_start_new_task", in{"task": task})
			w.call("ask_agent_stop", in{"session_id": a.SessionID})
			return a
		}
		a := run(usecase.SkillsNamed, "Say it and it aloud.")
		require.Contains(t, a.text, `run_skill (over HTTP POST /v1/skills/NAME/run) with params {"what":"it"}`)
		require.Nil(t, a.Skill)
		require.NotContains(t, a.text, "the task lacks")
		require.NoError(t, os.WriteFile(dir.Path("low"), []byte("name: low\ndescription: '-'\n"+
			"task: whisper {{tone}}\nparams: {type: object, properties: {tone: {}, as: {default: me},\n"+
			"  what: {type: string}}, required: [tone, what, as]}\n"+
			"steps: [{say: '{{what}}', action: {verb: HOME}}]\nends: {}\n"), 0o600))
		a = run(usecase.SkillsAuto, "Whisper softly")
		require.Nil(t, a.Skill)
		require.Contains(t, a.text, `with params {"tone":"softly"}, and what, which the task lacks`)
		require.NotContains(t, run(usecase.SkillsNamed, "Say nothing").text, "run_skill")
		require.NotContains(t, run(usecase.SkillsOff, "Say it and it aloud.").text, "run_skill")
		a = run(usecase.SkillsAuto, "Say it and it aloud.")
		require.Equal(t, "echo", a.Skill.Skill)
		require.Equal(t, "Say it and it aloud.", a.Task)
		a = run(usecase.SkillsAuto, "Say it and that aloud.")
		require.Nil(t, a.Skill)
		require.Contains(t, a.text, "run_skill")
	})
}
