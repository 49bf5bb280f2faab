//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// httpClient sends requests to the server for people.
type httpClient struct {
	t      testing.TB
	base   string // of the server, without a path
	header http.Header
}

// newHTTPClient is a client with a token; "" is none.
func newHTTPClient(t testing.TB, url, token string) *httpClient {
	v := &httpClient{t, strings.TrimSuffix(url, "/mcp"), http.Header{}}
	if token != "" {
		v.header.Set("Authorization", "Bearer "+token)
	}
	return v
}

// with is the client with one more header; Host is the name that is asked for.
func (v *httpClient) with(key, value string) *httpClient {
	more := *v
	more.header = v.header.Clone()
	more.header.Set(key, value)
	return &more
}

// open sends a request and leaves the body to be read.
func (v *httpClient) open(method, path, body string) *http.Response {
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path,
		strings.NewReader(body))
	require.NoError(v.t, err)
	r.Header, r.Host = v.header.Clone(), v.header.Get("Host")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(v.t, err)
	v.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// send returns the status and the body as JSON.
func (v *httpClient) send(method, path, body string) (int, map[string]any) {
	resp := v.open(method, path, body)
	text, err := io.ReadAll(resp.Body)
	require.NoError(v.t, err)
	var m map[string]any
	require.NoError(v.t, json.Unmarshal(text, &m), "%s", text)
	return resp.StatusCode, m
}

// login trades the code of a link for a client that is logged in as the page is, without a cookie.
func (v *httpClient) login(code string) (*httpClient, int) {
	resp := v.open("POST", "/ui/login", `{"code":"`+code+`"}`)
	require.Empty(v.t, resp.Header.Values("Set-Cookie"))
	var in struct{ Login string }
	require.NoError(v.t, json.NewDecoder(resp.Body).Decode(&in))
	return v.with("X-Taploop-Login", in.Login), resp.StatusCode
}

// answer sends an answer.
func (v *httpClient) answer(id, text string) (int, map[string]any) {
	body, err := json.Marshal(map[string]string{"response": text})
	require.NoError(v.t, err)
	return v.send("POST", "/v1/inquiries/"+id+"/reply", string(body))
}

// sseEvent is one event of the stream.
type sseEvent struct{ name, data string }

// listen opens the event stream and gives its events. The channel is closed at its end.
func (v *httpClient) listen() <-chan sseEvent {
	resp := v.open("GET", "/v1/events", "")
	require.Equal(v.t, http.StatusOK, resp.StatusCode)
	events := make(chan sseEvent, 1000)
	go func() { // ends with the body, which the cleanup closes
		defer close(events)
		var h sseEvent
		scan := bufio.NewScanner(resp.Body)
		scan.Buffer(nil, 8<<20)
		for scan.Scan() {
			key, value, _ := strings.Cut(scan.Text(), ": ")
			switch key {
			case "event":
				h.name = value
			case "data":
				h.data = value
			case "":
				if h.name != "" {
					events <- h
				}
				h = sseEvent{}
			}
		}
	}()
	return events
}

// until reads events until one is as wanted, or they end, and returns the names of all of them.
func until(t testing.TB, events <-chan sseEvent, wanted func(sseEvent) bool) (names []string) {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		select {
		case h, more := <-events:
			if !more {
				return names
			}
			names = append(names, h.name)
			if wanted(h) {
				return names
			}
		case <-late.C:
			require.FailNow(t, "the event does not come", "%q", names)
		}
	}
}

// feed runs a command with something on its stdin.
func (b *testEnv) feed(stdin string, args ...string) (stdout, stderr string, code int) {
	program, err := exec.LookPath("taploop")
	require.NoError(b.t, err)
	c := exec.Command(program, args...)
	var out, errs bytes.Buffer
	c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr = b.env, b.dir, strings.NewReader(stdin), &out, &errs
	err = c.Run()
	if exit := new(exec.ExitError); err != nil {
		require.ErrorAs(b.t, err, &exit)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// questions are what the command lists.
func (b *testEnv) questions(args ...string) (list []inquiry.Question) {
	out, errs, code := b.run(append([]string{"inquiries", "--json"}, args...)...)
	require.Zero(b.t, code, "%s", errs)
	require.NoError(b.t, json.Unmarshal([]byte(out), &list), "%s", out)
	return list
}

// audit is what the command lists.
func (b *testEnv) audit(args ...string) (list []store.AuditEntry) {
	out, errs, code := b.run(append([]string{"audit", "--json"}, args...)...)
	require.Zero(b.t, code, "%s", errs)
	require.NoError(b.t, json.Unmarshal([]byte(out), &list), "%s", out)
	return list
}

// asks starts the demo task and follows it to its question.
func (s *clientProcess) asks(goal string) toolResult {
	s.mcpClient.t.Helper()
	asked := s.follow(s.start(goal))
	require.Equal(s.mcpClient.t, store.WaitingReply, asked.State, "%s", asked.words)
	return asked
}
