//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/usage"
)

// evil steers terminals by escape sequences and C1 controls, turns the direction of writing, and
// hides.
const evil = "e\x1b]0;t\x07\u009b2J\u202ev\u2066i\u200bl\x7f\U000e0061"

// Every command there is prints words of phones, servers, models, files and callers. Whatever it
// does with them, nothing of it reaches the terminal but text.
func TestNoCommandLetsHostileWordsReachTheTerminal(t *testing.T) {
	t.Parallel()
	h := newHostileEnv(t)
	calls := h.calls()
	for _, n := range leafNodes(t) {
		leaf := usage.Path(n)
		require.Contains(t, calls, leaf, "say here how the command is called with hostile words")
		wrong := [][]string{{evil, evil, evil, evil}, {"--" + evil}, {"--set", evil}}
		if leaf != "sandbox" { // it would serve: it reads no settings
			wrong = append(wrong, []string{"--config", evil}, []string{"--set", evil + "=" + evil})
		}
		for i, more := range slices.Concat(calls[leaf], wrong) {
			args := append(strings.Fields(leaf), more...)
			call := h.inside
			if i < len(calls[leaf]) && processes[strings.Fields(leaf)[0]] {
				call = func(args []string) (string, string) {
					out, errs, _ := h.feed("", args...)
					return out, errs
				}
			}
			out, errs := call(args)
			harmless(t, out)
			harmless(t, errs)
			require.NotEmpty(t, out+errs, "%q", args)
			if json.Valid([]byte(out)) {
				h.json += out
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(h.dir, evil+".html"))
	require.NoError(t, err)
	harmless(t, string(page))
	const escaped = `e\u001b]0;t\u0007\u009b2J\u202ev\u2066i\u200bl\u007f\udb40\udc61`
	for _, what := range []string{"task", "answer", "text", "by", "serial", "thought", "model"} {
		require.True(t, strings.Contains(h.json, strconv.Quote(what)+`: "`+escaped+`"`),
			"%s is whole, in escapes: %s", what, h.json)
	}
}

// processes are the commands that reach for phones, servers or signals. A test calls them as
// programs, and the others as functions.
var processes = map[string]bool{"demo": true, "run": true, "continue": true, "serve": true,
	"host": true, "proxy": true, "ui": true, "sandbox": true, "bench": true, "calibrate": true}

// hostileEnv is a data folder in which everybody's words are hostile, with a simulated phone, and
// a model that is hostile, too.
type hostileEnv struct {
	*testEnv
	adb, session, done, question, settled string
	json                                  string // what was printed as JSON
}

func newHostileEnv(t *testing.T) *hostileEnv {
	q := strconv.QuoteToASCII(evil)
	quoted := q[1 : len(q)-1]
	h := &hostileEnv{testEnv: newTestEnv(t, demoTask, fmt.Sprintf(`- when: ask %s
  reply: "<THINK>%s</THINK>explain:%s\taction:INFO\tvalue:which\u202e\u2066?\tsummary:%s"
- when: end %s
  reply: "<THINK>%s</THINK>explain:%s\taction:ABORT\tvalue:no\u202e\u2066!\tsummary:%s"
`, "me", quoted, quoted, quoted, "it", quoted, quoted, quoted))}
	h.adb = hostileADB(t)
	db, broker := h.folder()
	_, begun, err := db.Begin(t.Context(), store.Session{Serial: evil, Client: evil,
		Device: store.Device{ID: evil, Model: evil, Android: evil}},
		store.Run{Task: evil, ReplyMode: evil})
	require.NoError(t, err)
	_, err = db.Runs.Transition(t.Context(), begun.ID, store.Change{To: store.Aborted,
		Answer: evil, Err: evil})
	require.NoError(t, err)
	h.done = begun.SessionID
	channels := []inquiry.Channel{{Name: evil}, {Name: inquiry.ChannelCommandLine}}
	ask := func() string {
		return put(t, broker, inquiry.Question{Task: evil, Text: evil, Client: evil,
			Body:     &inquiry.Ask{FreeText: true, Options: []string{evil, "b"}},
			Channels: channels}).ID
	}
	h.question, h.settled = ask(), ask()
	_, err = broker.Resolve(t.Context(), h.settled, inquiry.Reply{Response: evil, By: evil,
		Channel: "http"})
	require.NoError(t, err)
	put(t, broker, inquiry.Question{Text: evil, Channels: channels,
		Body: &inquiry.Form{Fields: []inquiry.Field{{Name: "f", Label: evil,
			Type: inquiry.TextField}}}})
	put(t, broker, inquiry.Question{Text: evil, Channels: channels,
		Body: &inquiry.Ask{Draft: evil}})
	require.NoError(t, db.Audit.Append(t.Context(), store.AuditEntry{Event: evil, By: evil,
		Authority: evil, Channel: evil, Text: evil, Answer: evil}))
	out, errs, code := h.run("run", "--json", "ask me "+evil)
	require.Equal(t, exitWaiting, code, "%s", errs)
	var st struct {
		Session string `json:"session_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &st))
	h.session = st.Session
	return h
}

// inside runs a command without a process of its own.
func (h *hostileEnv) inside(args []string) (stdout, stderr string) {
	var out, errs bytes.Buffer
	run(h.t.Context(), args, h.env, streams{strings.NewReader(""), &out, &errs})
	return out.String(), errs.String()
}

// calls are, for each command, ways to call it in which it prints hostile words.
func (h *hostileEnv) calls() map[string][][]string {
	config := filepath.Join(h.dir, evil+".yaml")
	require.NoError(h.t, os.WriteFile(config, []byte(strconv.QuoteToASCII(evil)+": 1\n"), 0o600))
	page := filepath.Join(h.dir, evil+".html")
	return map[string][][]string{
		"demo":            {{"--reply", evil, "-o", page}},
		"run":             {{"ask me " + evil}, {"-s", evil, "x"}, {"--adb-server", h.adb, "x"}},
		"continue":        {{h.session, "--reply", evil}, {h.session, "end it"}, {h.done}},
		"serve":           {{"--http", evil}, {"--http=" + evil}, {evil}, {"--privacy", evil}},
		"host":            {{evil}, {"--mcp", evil, "--list"}, {"--resume", evil}},
		"proxy":           {{}, {"--url", evil}, {"--url", "http://x", "--header", evil}},
		"setup":           {{"--client", evil}, {"--client", "cursor", "--print"}},
		"token create":    {{"--name", evil}, {"--data-dir", config}},
		"token list":      {{}, {"--json"}},
		"token revoke":    {{evil}},
		"token adopt":     {{evil}},
		"ui":              {{"--name", evil}, {"--data-dir", evil}},
		"inquiries":       {{}, {"--all"}, {"--json", "--all"}, {h.question}, {h.settled}},
		"reply":           {{h.settled, evil}, {h.question, evil, "--json"}, {h.settled, "-"}},
		"audit list":      {{}, {"--json"}, {"--since", evil}},
		"audit prune":     {{"--before", evil}, {}},
		"backup":          {{config}, {page + evil + "/x"}},
		"completion":      {{evil}, {"bash"}},
		"connect":         {{evil, "--adb-server", h.adb}, {"1.2.3.4", "--adb-server", h.adb}},
		"disconnect":      {{evil, "--adb-server", h.adb}, {"--all", "--adb-server", h.adb}},
		"doctor":          {{"--set", "adb.server=" + h.adb}},
		"init":            {{}, {"--config", config}},
		"pair":            {{evil, evil}, {"1.2.3.4:5", evil, "--adb-server", h.adb}},
		"restore":         {{config}, {evil}},
		"say":             {{h.session, evil}, {evil, evil}, {h.done, evil}},
		"schedule add":    {{evil, evil}, {"@daily", evil}, {"@daily", "x", "--name", evil}},
		"schedule list":   {{}, {"--json"}},
		"schedule remove": {{evil}},
		"schedule run":    {{evil}},
		"store check":     {{}, {evil}},
		"store copy":      {{"--from", evil, "--to", evil}},
		"store migrate":   {{}, {evil}},
		"upgrade":         {{"--check", "--set", "upgrade.source=" + config}, {"--check"}},
		"stop":            {{h.done}},
		"answers list":    {{}, {"--json"}},
		"answers forget":  {{evil}, {"--all"}},
		"yolo on":         {{"--app", evil}, {"--action", evil}, {"--session", evil}},
		"yolo off":        {{"--app", evil}, {"--session", evil}, {}},
		"yolo status":     {{}, {"--json"}},
		"guard check":     {{}, {h.session}, {evil}, {"--action", evil}, {"--rules", evil}},
		"replay":          {{h.done}, {h.session, "--model", evil}},
		"prompt show":     {{h.session}, {"--task", evil}},
		"prompt check":    {{evil}},
		"calibrate":       {{"--model", evil, "--base-url", evil}, {"--lang", evil}},
		"bench":           {{"--task", evil}, {"--size", evil}},
		"devices":         {{"--adb-server", h.adb}, {"--adb-server", h.adb, "--json"}},
		"sessions list":   {{}, {"--json"}, {"--state", evil}},
		"sessions show":   {{h.session}, {h.session, "--json"}, {h.done}, {h.done, "--json"}},
		"sessions export": {{h.session, "-o", "-"}, {h.session, "-o", page}, {h.done, "-o", "-"}},
		"sessions prune":  {{"--older-than", evil}},
		"skill make":      {{h.done, "--param", "x=" + evil}, {evil}, {h.done, "--name", evil}},
		"skill run":       {{evil}, {"suite", "--skills", h.dir}, {"x", "--param", evil}},
		"skill list":      {{"--skills", h.dir}, {"--skills", evil}},
		"skill show":      {{evil}, {"suite", "--skills", h.dir}},
		"skill check":     {{evil}, {"--skills", h.dir}},
		"skill diff":      {{evil}, {"suite", "--skills", h.dir}},
		"skill remove":    {{evil}},
		"sandbox":         {{"--task", evil}, {"--addr", evil}, {"--script", config}, {"--tasks"}},
		"config show":     {{"--config", config}, {"--set", "model.name=" + evil, "--json"}, {}},
		"config import":   {{config, config}},
		"version":         {{}},
		"watch":           {{}},
		"farm status":     {{}, {"--json"}},
		"farm drain":      {{evil}},
		"farm cordon":     {{evil}, {"--off", evil}},
		"farm requeue":    {{evil}, {h.done}},
		"test": {{evil}, {config}, {h.hostileSuite(), "--adb-server", h.adb},
			{h.hostileSuite(), "--dry-run"}, // and beside no task, for which it would wait
			{"--grep", evil, h.hostileSuite(), "--set", "data_dir=" + h.t.TempDir()}},
	}
}

// hostileADB is an ADB server with two phones of hostile names: one cannot be used, and of the
// other it says nothing but hostile words.
func hostileADB(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			size, request := make([]byte, 4), []byte(nil)
			if _, err = io.ReadFull(c, size); err == nil {
				n, _ := strconv.ParseUint(string(size), 16, 16)
				request = make([]byte, n)
				_, _ = io.ReadFull(c, request)
			}
			answer, status := evil, "FAIL"
			if strings.HasPrefix(string(request), "host:devices") {
				answer, status = evil+" device model:"+evil+"\n2"+evil+" "+evil+"\n", "OKAY"
			}
			fmt.Fprintf(c, "%s%04x%s", status, len(answer), answer)
			c.Close()
		}
	}()
	return l.Addr().String()
}

// hostileSuite is a suite whose words are hostile.
func (h *hostileEnv) hostileSuite() string {
	file := filepath.Join(h.dir, "suite.yaml")
	require.NoError(h.t, os.WriteFile(file, []byte("name: "+strconv.Quote(evil)+"\ncases: [{name: "+
		strconv.Quote(evil)+", task: "+strconv.Quote(evil)+", expect: [{text: "+
		strconv.Quote(evil)+"}]}]"), 0o600))
	return file
}
