//go:build unix

package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/tools/result"
)

// newCode is a code that is nowhere else, with characters that encodings write in their own way.
func newCode() (code, core string) {
	core = rand.Text()[:14]
	return `7"<` + core, core
}

// forms are what a text looks like in the encodings in which programs keep and send texts.
func forms(text string) [][]byte {
	var all [][]byte
	add := func(s string) { all = append(all, []byte(s)) }
	add(text)
	add(strings.ToLower(text))
	add(url.QueryEscape(text))
	add(hex.EncodeToString([]byte(text)))
	add(strings.ToUpper(hex.EncodeToString([]byte(text))))
	for _, escape := range []bool{true, false} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(escape)
		_ = e.Encode(text) // a text can be encoded
		add(strings.Trim(strings.TrimSpace(b.String()), `"`))
	}
	// Wherever in a longer text it stands: without the characters that its neighbours take part in.
	for pad := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			s := enc.EncodeToString(append(make([]byte, pad), text...))
			add(s[(8*pad+5)/6 : len(s)-2])
		}
	}
	return all
}

// leakScan is everything that a secret could have got into, by where it is from.
type leakScan struct {
	t     testing.TB
	mu    sync.Mutex
	found map[string][]byte
}

func (h *leakScan) add(place string, b []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.found[place] = append(append(h.found[place], b...), '\n')
}

// files adds the names and the contents of all files.
func (h *leakScan) files(dir string) {
	require.NoError(h.t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		h.add("names", []byte(path))
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil
		}
		h.add(strings.TrimPrefix(path, dir), b)
		return err
	}))
}

// places says where a text occurs, in whatever form.
func (h *leakScan) places(text string) (places []string) {
	for place, b := range h.found {
		for _, form := range forms(text) {
			if bytes.Contains(b, form) {
				places = append(places, place+" as "+string(form))
			}
		}
	}
	return places
}

// secretHarness is the shop's login, in which the model asks for codes and types them, with
// everybody listening.
type secretHarness struct {
	*crashHarness
	*leakScan
	events <-chan sseEvent
	out    *notifyReceiver
	asked  []result.OpenQuestion
}

// codesScript makes the shop want n codes.
func codesScript(n int) string {
	var s strings.Builder
	rule := func(when, action, summary string) {
		s.WriteString(modelRule(`\[`+when+`\]`, action, summary))
	}
	typed := func(i int) string { return fmt.Sprintf("codes %d typed", i) }
	rule("shop-login 8/10", "TYPE\\tvalue:{{secret}}", typed(1))
	for i := 2; i <= n; i++ {
		asked := fmt.Sprintf("codes %d asked", i)
		rule(typed(i-1),
			fmt.Sprintf("INFO\\tvalue:Which code did the Shop send you now? (%d)\\tsecret:true", i),
			asked)
		rule(asked, "TYPE\\tvalue:{{secret}}\\tclear:true", typed(i))
	}
	rule(typed(n), "COMPLETE\\treturn:all typed", "over")
	return s.String()
}

func newSecretHarness(t *testing.T, n int, mode string) *secretHarness {
	b := newTestEnv(t, "shop-login", codesScript(n), "TAPLOOP_HTTP_OPERATORS=boss")
	c := &secretHarness{crashHarness: &crashHarness{testEnv: b, token: b.token("laptop")},
		leakScan: &leakScan{t: t, found: map[string][]byte{}}, out: newNotifyReceiver(t)}
	b.notifies(c.out, "")
	b.env = append(b.env, "TAPLOOP_MODEL_BASE_URL="+c.model(t)+"/v1")
	p, url := b.serve("--verbose")
	c.clientProcess = &clientProcess{p, connect(t, modern, over(t, url, bearer(c.token))), url}
	c.events = newHTTPClient(t, url, b.token("boss")).listen()
	c.crashHarness.session = c.hears(c.call("ask_agent_start_new_task",
		map[string]any{"task": b.task.Goal, "wait_seconds": 0, "reply_mode": mode})).SessionID
	return c
}

// next waits for the next question and returns its id.
func (c *secretHarness) next() string {
	for {
		s := c.hears(c.call("ask_agent_wait", map[string]any{"session_id": c.crashHarness.session,
			"wait_seconds": 2}))
		if q := s.Question; q != nil && (len(c.asked) == 0 || q.ID != c.asked[len(c.asked)-1].ID) {
			c.asked = append(c.asked, *q)
			// Before the answer: people are not called to a question that is settled.
			c.add("ntfy", []byte(c.gets(c.out.ntfy).body))
			return q.ID
		}
		require.Contains(c.testEnv.t, []store.State{store.Running, store.WaitingReply},
			s.State, "%s", s.words)
	}
}

// hears keeps what the client got.
func (c *secretHarness) hears(s toolResult) toolResult {
	b, err := json.Marshal(s.raw)
	require.NoError(c.testEnv.t, err)
	c.add("results", b)
	return s
}

// prints keeps what a command printed.
func (c *secretHarness) prints(args ...string) {
	out, errs, _ := c.run(args...)
	c.add("taploop "+args[0], []byte(out+errs))
}

// end lets the run end, asks everything that can be asked, and collects it.
func (c *secretHarness) end() {
	t, id := c.testEnv.t, c.asked[0].ID
	s := c.hears(c.call("ask_agent_wait", map[string]any{"session_id": c.crashHarness.session}))
	for s.Reason == "STILL_RUNNING" || s.State == store.WaitingReply {
		s = c.hears(c.call("ask_agent_wait", map[string]any{"session_id": c.crashHarness.session,
			"wait_seconds": 2}))
	}
	require.Equal(t, store.Completed, s.State, "%s", s.words)
	late, err := c.try(t.Context(), "ask_agent_continue",
		map[string]any{"session_id": c.crashHarness.session, "reply_from_client": "other",
			"question_id": id})
	require.NoError(t, err)
	c.hears(late)
	for _, path := range []string{"/v1/inquiries", "/v1/inquiries/" + id,
		"/v1/sessions/" + c.crashHarness.session, "/v1/sessions/" + c.crashHarness.session +
			"/steps"} {
		b, err := io.ReadAll(newHTTPClient(t, c.url, c.token).open("GET", path, "").Body)
		require.NoError(t, err)
		c.add("GET "+path, b)
	}
	_, body := newHTTPClient(t, c.url, c.token).answer(id, "other")
	b, err := json.Marshal(body)
	require.NoError(t, err)
	c.add("a late answer", b)
	c.files(c.dir) // while the server has them open
	for range c.asked {
		// That it waits, and its end.
		c.add("webhooks", []byte(c.gets(c.out.hooks).body+c.gets(c.out.hooks).body))
	}
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, c.ends(), "%s", c.stderr)
	for h := range c.events {
		c.add("events", []byte(h.name+" "+h.data))
	}
	for _, args := range [][]string{{"audit"}, {"audit", "--json"}, {"inquiries", "--all"},
		{"inquiries", "--all", "--json"}, {"inquiries", id}, {"reply", id, "other"},
		{"sessions", "list", "--json"}, {"sessions", "show", c.crashHarness.session},
		{"sessions", "show", c.crashHarness.session, "--json"},
		{"sessions", "export", c.crashHarness.session, "-o", "page.html"},
		{"sessions", "export", c.crashHarness.session, "--format", "gelab", "-o", "trace"}} {
		c.prints(args...)
	}
	c.files(c.dir)
	c.add("log", []byte(c.stderr.String()))
	for _, p := range c.prompts {
		c.add("prompts", []byte(p))
	}
	for _, n := range c.progress {
		b, err := json.Marshal(n)
		require.NoError(t, err)
		c.add("progress", b)
	}
}

// secretChannel is a channel, and how a code is given through it.
type secretChannel struct {
	channel string
	give    func(c *secretHarness, id, code string)
}

func (c *secretHarness) callsWith(tool string, args map[string]any) { c.hears(c.call(tool, args)) }

func (c *secretHarness) answersAs(v *httpClient, id, code string) {
	for range 2 { // again, as after a lost connection
		b, err := json.Marshal(map[string]string{"response": code, "reply_id": "r1"})
		require.NoError(c.testEnv.t, err)
		status, body := v.send("POST", "/v1/inquiries/"+id+"/reply", string(b))
		require.Equal(c.testEnv.t, 200, status, "%v", body)
		b, err = json.Marshal(body)
		require.NoError(c.testEnv.t, err)
		c.add("HTTP", b)
	}
}

func TestACodeIsFoundNowhereAfterItWasGiven(t *testing.T) {
	t.Parallel()
	for mode, channels := range map[string][]secretChannel{
		"pass_to_client": {
			{"mcp", func(c *secretHarness, id, code string) {
				for range 2 {
					c.callsWith("ask_agent_continue",
						map[string]any{"session_id": c.crashHarness.session,
							"reply_from_client": code, "question_id": id, "reply_id": "r1"})
				}
			}},
			{"mcp", func(c *secretHarness, id, code string) {
				c.callsWith("answer_question", map[string]any{"response": code, "question_id": id})
			}},
			{"http", func(c *secretHarness, id, code string) {
				c.answersAs(newHTTPClient(c.testEnv.t, c.url, c.token), id, code)
			}},
			{"page", func(c *secretHarness, id, code string) {
				boss, status := c.browser(c.url, c.link("--name", "boss"))
				require.Equal(c.testEnv.t, 200, status)
				c.answersAs(boss, id, code)
			}},
			{"command_line", func(c *secretHarness, id, code string) {
				out, errs, status := c.feed(code+"\n", "reply", id, "-", "--json")
				require.Zero(c.testEnv.t, status, "%s", errs)
				c.add("taploop reply", []byte(out+errs))
			}},
		},
		"manual_reply": {{"console", func(c *secretHarness, _, code string) {
			c.stderr.await(c.testEnv.t, `(Which code did the Shop send you\?)`)
			_, err := io.WriteString(c.stdin, code+"\n")
			require.NoError(c.testEnv.t, err)
		}}},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := newSecretHarness(t, len(channels), mode)
			var codes, cores []string
			for _, through := range channels {
				code, core := newCode()
				codes, cores = append(codes, code), append(cores, core)
				through.give(c, c.next(), code)
			}
			c.end()
			db, _ := c.folder()
			for i, q := range c.asked {
				require.Equal(t, 1, strings.Count(c.wire.sent.String(), cores[i]),
					"it was typed into the phone, once")
				require.Empty(t, c.places(codes[i]))
				require.Empty(t, c.places(cores[i]))
				settled, err := db.Questions.Get(t.Context(), q.ID)
				require.NoError(t, err)
				require.Equal(t, channels[i].channel, settled.Resolution.Channel)
				require.Equal(t, inquiry.Secret(""), settled.Resolution.Response)
			}
			requireSearched(t, c)
		})
	}
}

// requireSearched checks the search by what is no secret: the words of the question have to be
// found everywhere.
func requireSearched(t *testing.T, c *secretHarness) {
	found := strings.Join(c.places("Which code did the Shop send you"), "\n")
	for _, place := range []string{"results", "GET /v1/inquiries ", "events", "webhooks", "ntfy",
		"prompts", "taploop audit", "taploop inquiries", "taploop sessions",
		"/data/taploop/taploop.db-wal", "/data/taploop/taploop.db ", "/page.html", "/trace/"} {
		require.Contains(t, found, place)
	}
	require.NotEmpty(t, c.found["log"])
	require.NotEmpty(t, c.found["taploop reply"])
}

func TestTheSearchForACodeFindsItInEveryForm(t *testing.T) {
	code, core := newCode()
	quoted, err := json.Marshal("x" + code)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"plain": "a" + code, "JSON": string(quoted),
		"base64":               base64.StdEncoding.EncodeToString([]byte("a" + code + "b")),
		"base64 of JSON":       base64.StdEncoding.EncodeToString(append([]byte("ab"), quoted...)),
		"query":                "?a=" + url.QueryEscape(code),
		"base64 for addresses": base64.URLEncoding.EncodeToString([]byte("abc" + code)),
		"hex":                  hex.EncodeToString([]byte("abc" + code)), "typed": core,
	} {
		h := &leakScan{t: t, found: map[string][]byte{}}
		h.add(name, []byte(text))
		require.NotEmpty(t, append(h.places(code), h.places(core)...), "%s: %s", name, text)
	}
}
