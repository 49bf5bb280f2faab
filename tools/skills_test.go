package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/skill"
)

// Skills are listed and run by MCP clients that are offered them.
func TestASkillIsRunOverMCP(t *testing.T) {
	dir := skill.Folder(t.TempDir())
	bubble(t, func(t *testing.T, w *fixture) {
		s, err := skill.Parse("x", []byte("name: echo\ndescription: says {{what}}\n"+
			"task: say {{what}}\nparams: {type: object, properties: {what: {type: string}}, "+
			"required: [what]}\nsteps: [{action: {verb: HOME}}]\nanswer: '{{what}}'\n"))
		require.NoError(t, err)
		require.NoError(t, dir.Write(s))
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
