package clients_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/hint"
)

func TestTheFilesOfOtherProgramsAreRead(t *testing.T) {
	env := map[string]string{"TOKEN": "t0", "HOME": "/home/me", "EMPTY": ""}
	list, err := clients.ReadServers([]byte("\ufeff"+`{
  // as Claude writes it
  "mcpServers": {
    "a": {"type": "stdio", "command": "${userHome}/srv", "args": ["${ROOT:-/data}", "${EMPTY:-x}"],
      "env": {"KEY": "${TOKEN}"}, "autoApprove": ["all"]},
    "b": {"type": "http", "url": "https://b.example/mcp",
      "headers": {"Authorization": "Bearer ${env:TOKEN}"}},
    "c": {"url": "http://localhost:1/mcp"},
    "d": {"command": "${workspaceFolder}${/}srv", "args": ["${workspaceFolderBasename}"],
      "envFile": ".env", "cwd": "${workspaceFolder}"},
    "e": {"command": "x", "envFile": "${userHome}/keys"},
    "off": {"disabled": true, "type": "sse", "url": "${NOT_SET}"},
  },
}`), "/srv/shop/.cursor/mcp.json", env)
	require.NoError(t, err)
	require.Equal(t, []clients.ServerSettings{
		{Name: "a", Type: "stdio", Command: "/home/me/srv", Args: []string{"/data", "x"},
			Env: map[string]string{"KEY": "t0"}},
		{Name: "b", Type: "http", URL: "https://b.example/mcp",
			Headers: map[string]string{"Authorization": "Bearer t0"}},
		{Name: "c", URL: "http://localhost:1/mcp"},
		{Name: "d", Command: "/srv/shop/srv", Args: []string{"shop"}, EnvFile: "/srv/shop/.env",
			Dir: "/srv/shop"},
		{Name: "e", Command: "x", EnvFile: "/home/me/keys"},
		{Name: "off", Type: "sse", URL: "${NOT_SET}", Disabled: true},
	}, list)
	list, err = clients.ReadServers([]byte(`{"servers": {"a/~b": {"command": "x"}}}`), "", nil)
	require.NoError(t, err)
	require.Equal(t, "a/~b", list[0].Name)
}

func TestABrokenFileIsNamedWithItsLine(t *testing.T) {
	for file, want := range map[string]string{
		"":                                 "line 1",
		"{\"mcpServers\":\n{\"a\": }}":     "line 2",
		"{\"mcpServers\": {\n\n\"a\": 7}}": `line 3: server "a": it cannot be of the kind number`,
		"{\"mcpServers\": {\"a\":\n {\"command\": \"x\", \"env\": {\n\"PORT\": {}}}}}": `line 2: ` +
			`server "a": env`,
		"[]":                                "the kind array",
		"{}":                                "names no servers",
		"{\"mcpServers\": {\n\"a\": {}}}":   `line 2: server "a": it has not one of`,
		"{\"servers\": {\n\n\"a/~b\": {}}}": `line 3: server "a/~b"`,
		`{"mcpServers": {"a": {"type": "sse", "url": "http://a/sse"}}}`: "type sse",
		`{"mcpServers": {"a": {"type": "ws", "url": "ws://a"}}}`:        `unknown type "ws"`,
		`{"mcpServers": {"a": {"type": "stdio", "url": "http://a"}}}`:   "has not one of",
		`{"mcpServers": {"a": {"url": "localhost:80"}}}`:                "no address of",
		`{"mcpServers": {"a": {"command": "${NONE}"}}}`:                 "variable NONE is not set",
		`{"mcpServers": {"a": {"command": "${input:key}"}}}`:            "${input:key} cannot be",

		`{"mcpServers": {"a": {"command": "x"}}, "mcpServers": {}}`: `the name "mcpServers"`,
		`{"MCPSERVERS": {"a": {}}}`:                                 "names no servers",
		`{"mcpServers": {}}`:                                        "names no servers",
		"{\"mcpServers\": {\n\"\": {\"command\": \"x\"}}}":          `line 2: the name ""`,
		"{\"servers\": {\"a\": {\"command\": \"x\"},\n" +
			"\"a\": {\"command\": \"y\"}}}": `line 2: the name "a" is empty or was used`,
	} {
		_, err := clients.ReadServers([]byte(file), "", nil)
		require.ErrorContains(t, err, want, file)
		require.NotEmpty(t, hint.Of(err), file)
	}
}

func TestAFileWithMoreOfTheEnvironmentIsRead(t *testing.T) {
	env, err := clients.ReadEnv([]byte("\ufeff# keys\r\nexport A=1\r\nB = two words # not this\n\n" +
		"C=\"x # y\" # z\nD='it is'\nE=\nF=a=b#c\nexport=7\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"A": "1", "B": "two words", "C": "x # y", "D": "it is",
		"E": "", "F": "a=b#c", "export": "7"}, env)
	for _, bad := range []string{"A=1\nsecret", "A=1\n=secret", "A=1\nB=\"secret"} {
		_, err := clients.ReadEnv([]byte(bad))
		require.EqualError(t, err, "line 2 is no NAME=VALUE", bad)
	}
}

// An entry that cannot be used keeps no other from being used.
func TestAnEntryThatCannotBeUsedIsNamedAndTheOthersWork(t *testing.T) {
	list, err := clients.ReadServers([]byte(`{"mcpServers": {
		"good": {"command": "x"},
		"old": {"type": "sse", "url": "https://old.example/sse"},
		"unset": {"command": "y", "args": ["${NONE}"]}}}`), "", nil)
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.NoError(t, list[0].Unusable)
	require.ErrorContains(t, list[1].Unusable, `line 3: server "old": type sse`)
	require.ErrorContains(t, list[2].Unusable, `line 4: server "unset": the variable NONE`)
}

// One entry of another kind than it has to be leaves the others alone.
func TestAnEntryOfAWrongKindIsNamedAndTheOthersWork(t *testing.T) {
	for _, bad := range []string{`7`, `"npx x"`, `[]`, `{"command": {"path": "npx"}}`,
		`{"command": "npx", "args": "x"}`, `{"command": "npx", "env": {"PORT": {}}}`} {
		list, err := clients.ReadServers([]byte(`{"mcpServers": {"good": {"command": "a"},`+"\n"+
			`"bad": `+bad+`}}`), "/x/mcp.json", nil)
		require.NoError(t, err, bad)
		require.Len(t, list, 2)
		require.Equal(t, "bad", list[0].Name)
		require.ErrorContains(t, list[0].Unusable, `line 2: server "bad": `, bad)
		require.ErrorContains(t, list[0].Unusable, "cannot be of the kind", bad)
		require.Equal(t, "a", list[1].Command)
		require.NoError(t, list[1].Unusable)
	}
}

// Each program has its own names for what a server is.
func TestEntriesInOtherProgramsFormsAreRead(t *testing.T) {
	web := func(kind string) clients.ServerSettings {
		return clients.ServerSettings{Name: "a", Type: kind, URL: "https://x.example/mcp"}
	}
	program := clients.ServerSettings{Name: "a", Command: "npx", Args: []string{"x", "8"},
		Env: map[string]string{"PORT": "80", "ON": "true"}}
	local := program
	local.Type = "local"
	const address = `"https://x.example/mcp"`
	for file, want := range map[string]clients.ServerSettings{
		`{"mcpServers":{"a":{"httpUrl":` + address + `}}}`:                      web(""),
		`{"mcpServers":{"a":{"serverUrl":` + address + `}}}`:                    web(""),
		`{"mcpServers":{"a":{"type":"HTTP","baseUrl":` + address + `}}}`:        web("HTTP"),
		`{"mcpServers":{"a":{"type":"streamable_http","url":` + address + `}}}`: web("streamable_http"),
		`{"mcp":{"a":{"type":"remote","enabled":true,"url":` + address + `}}}`:  web("remote"),
		`{"a":{"transport":{"type":"http","url":` + address + `}}}`:             web("http"),
		`{"mcp":{"servers":{"a":{"transport":"http","url":` + address + `}}}}`:  web("http"),
		`{"context_servers":{"a":{"source":"custom","url":` + address + `}}}`:   web(""),
		`{"a":{"command":"npx","args":["x",8],"env":{"PORT":80,"ON":true}}}`:    program,
		`{"mcp":{"a":{"type":"local","command":["npx","x","8"],"environment":` +
			`{"PORT":80,"ON":true}}}}`: local,
	} {
		list, err := clients.ReadServers([]byte(file), "/x/mcp.json", nil)
		require.NoError(t, err, file)
		require.Equal(t, []clients.ServerSettings{want}, list, file)
		require.NoError(t, list[0].Unusable, file)
	}
	for _, file := range []string{`{}`, `{"theme":"dark"}`, `{"mcp":{}}`, `{"mcpServers":{}}`} {
		_, err := clients.ReadServers([]byte(file), "/x/mcp.json", nil)
		require.ErrorContains(t, err, "it names no servers", file)
	}
	list, err := clients.ReadServers([]byte(`{"mcpServers":{"a":{"isActive":false,"type":"inMemory"},`+
		`"b":{"command":"x"}}}`), "/x/mcp.json", nil)
	require.NoError(t, err)
	require.True(t, list[0].Disabled)
}
