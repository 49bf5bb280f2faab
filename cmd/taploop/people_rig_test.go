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

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

// visitor is who sends requests to the face for people.
type visitor struct {
	t      testing.TB
	base   string // of the server, without a path
	header http.Header
}

// visit is a visitor with a token; "" is none.
func visit(t testing.TB, url, token string) *visitor {
	v := &visitor{t, strings.TrimSuffix(url, "/mcp"), http.Header{}}
	if token != "" {
		v.header.Set("Authorization", "Bearer "+token)
	}
	return v
}

// with is the visitor with one more header; Host is the name that is asked for.
func (v *visitor) with(key, value string) *visitor {
	more := *v
	more.header = v.header.Clone()
	more.header.Set(key, value)
	return &more
}

// open sends a request and leaves the body to be read.
func (v *visitor) open(method, path, body string) *http.Response {
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(body))
	require.NoError(v.t, err)
	r.Header, r.Host = v.header.Clone(), v.header.Get("Host")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(v.t, err)
	v.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// send returns the status and the body as JSON.
func (v *visitor) send(method, path, body string) (int, map[string]any) {
	resp := v.open(method, path, body)
	text, err := io.ReadAll(resp.Body)
	require.NoError(v.t, err)
	var m map[string]any
	require.NoError(v.t, json.Unmarshal(text, &m), "%s", text)
	return resp.StatusCode, m
}

// answer sends an answer.
func (v *visitor) answer(id, text string) (int, map[string]any) {
	body, err := json.Marshal(map[string]string{"response": text})
	require.NoError(v.t, err)
	return v.send("POST", "/v1/inquiries/"+id+"/reply", string(body))
}

// happening is one event of the stream.
type happening struct{ name, data string }

// listen opens the event stream and gives its events. The channel is closed at its end.
func (v *visitor) listen() <-chan happening {
	resp := v.open("GET", "/v1/events", "")
	require.Equal(v.t, http.StatusOK, resp.StatusCode)
	events := make(chan happening, 1000)
	go func() { // ends with the body, which the cleanup closes
		defer close(events)
		var h happening
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
				h = happening{}
			}
		}
	}()
	return events
}

// until reads events until one is as wanted, or they end, and returns the names of all of them.
func until(t testing.TB, events <-chan happening, wanted func(happening) bool) (names []string) {
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
func (b *bench) feed(stdin string, args ...string) (stdout, stderr string, code int) {
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
func (b *bench) questions(args ...string) (list []inquiry.Question) {
	out, errs, code := b.run(append([]string{"inquiries", "--json"}, args...)...)
	require.Zero(b.t, code, "%s", errs)
	require.NoError(b.t, json.Unmarshal([]byte(out), &list), "%s", out)
	return list
}

// audit is what the command lists.
func (b *bench) audit(args ...string) (list []session.AuditEntry) {
	out, errs, code := b.run(append([]string{"audit", "--json"}, args...)...)
	require.Zero(b.t, code, "%s", errs)
	require.NoError(b.t, json.Unmarshal([]byte(out), &list), "%s", out)
	return list
}

// asks starts the demo task and follows it to its question.
func (s *site) asks(goal string) said {
	s.agent.t.Helper()
	asked := s.follow(s.start(goal))
	require.Equal(s.agent.t, session.WaitingReply, asked.State, "%s", asked.words)
	return asked
}
