//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

// run runs a command to its end and returns what it wrote.
func (b *testEnv) run(args ...string) (stdout, stderr string, code int) {
	program, err := exec.LookPath("taploop")
	require.NoError(b.t, err)
	c := exec.Command(program, args...)
	var out, errs bytes.Buffer
	c.Env, c.Dir, c.Stdout, c.Stderr = b.env, b.dir, &out, &errs
	err = c.Run()
	if exit := new(exec.ExitError); err != nil {
		require.ErrorAs(b.t, err, &exit)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// token makes a token.
func (b *testEnv) token(name string) string {
	out, said, code := b.run("token", "create", "--name", name)
	require.Zero(b.t, code, "%s", said)
	token := strings.TrimSuffix(out, "\n")
	require.Regexp(b.t, `^taploop_[A-Za-z0-9_-]{43}$`, token, "one token and nothing else")
	return token
}

// bearer is the header that a token is shown in.
func bearer(token string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + token}
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` +
	`"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// post sends one message as a program without a library does. Header "Host" is the name that it
// asks for.
func post(t testing.TB, url, body string, header map[string]string) (status int, answer string,
	got http.Header) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for key, value := range header {
		r.Header.Set(key, value)
	}
	r.Host = r.Header.Get("Host")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b), resp.Header
}

func TestAStrangersPageCannotReachTheServer(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "", "TAPLOOP_HTTP_HOSTS=phones.example",
		"TAPLOOP_HTTP_ORIGINS=https://app.example")
	_, url := b.serve()
	for name, c := range map[string]struct {
		header map[string]string
		status int
	}{
		"no browser":           {nil, 200},
		"a local page":         {map[string]string{"Origin": "http://localhost:5173"}, 200},
		"a listed page":        {map[string]string{"Origin": "https://app.example"}, 200},
		"a listed name":        {map[string]string{"Host": "phones.example"}, 200},
		"a stranger's page":    {map[string]string{"Origin": "https://evil.example"}, 403},
		"a page of no origin":  {map[string]string{"Origin": "null"}, 403},
		"a name made to point": {map[string]string{"Host": "evil.example"}, 403},
		"both": {map[string]string{"Host": "evil.example:8702",
			"Origin": "http://evil.example:8702"}, 403},
		"a name that looks it": {map[string]string{"Host": "127.0.0.1.evil.example"}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			status, answer, got := post(t, url, handshake, c.header)
			require.Equal(t, c.status, status, "%s", answer)
			require.Empty(t, got.Get("Access-Control-Allow-Origin"))
		})
	}
	status, _, _ := post(t, strings.TrimSuffix(url, "/mcp")+"/", handshake, nil)
	require.Equal(t, http.StatusNotFound, status)
	status, _, _ = post(t, url+"/", handshake, nil)
	require.Equal(t, http.StatusOK, status, "a slash at the end is the same address")
	status, _, _ = post(t, url+"/", handshake, map[string]string{"Host": "evil.example"})
	require.Equal(t, http.StatusForbidden, status)
	status, _, _ = post(t, url+"/x", handshake, nil)
	require.Equal(t, http.StatusNotFound, status)
}

func TestTokensLetClientsIn(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	p, url := b.serve()
	status := func(header map[string]string) int {
		code, answer, got := post(t, url, handshake, header)
		if code == http.StatusUnauthorized {
			require.Contains(t, got.Get("WWW-Authenticate"), "Bearer")
			require.Contains(t, answer, "error")
		}
		return code
	}
	require.Equal(t, 200, status(nil), "without any token this machine may come in")
	require.Equal(t, 401, status(bearer("taploop_made-up")), "but not with a wrong one")

	laptop := b.token("laptop")
	require.Equal(t, 401, status(nil),
		"from the first token on everybody needs one, without a restart")
	require.Equal(t, 200, status(bearer(laptop)))
	require.Equal(t, 200, status(map[string]string{"Authorization": "bearer " + laptop}),
		"the scheme has no case")
	require.Equal(t, 401, status(bearer(laptop[:len(laptop)-1])))
	require.Equal(t, 401, status(map[string]string{"Authorization": laptop}))
	require.Equal(t, 401, status(map[string]string{"Authorization": "Basic " + laptop}))
	code, _, _ := post(t, url+"?token="+laptop, handshake, nil)
	require.Equal(t, 401, code, "a token in the address is none")

	out, _, code := b.run("token", "list", "--json")
	require.Zero(t, code)
	var list []struct{ ID, Name string }
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.Equal(t, "laptop", list[0].Name)
	require.NotContains(t, out, laptop[len("taploop_"):])
	_, errs, code := b.run("token", "create", "--name", "laptop")
	require.Equal(t, exitError, code)
	require.Contains(t, errs, `there is a token named "laptop"`)

	_, _, code = b.run("token", "revoke", list[0].ID)
	require.Zero(t, code)
	require.Equal(t, 401, status(bearer(laptop)), "revoked at once")
	require.Equal(t, 200, status(nil), "and without tokens it is as before")
	require.NotContains(t, p.stderr.String(), laptop[len("taploop_"):])
}

func TestSessionsBelongToTheirToken(t *testing.T) {
	t.Parallel()
	for _, e := range []era{modern, legacy} {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			b := newTestEnv(t, demoTask, "")
			mine, theirs := b.token("mine"), b.token("theirs")
			_, url := b.serve()
			me := connect(t, e, over(t, url, bearer(mine)))
			you := connect(t, e, over(t, url, bearer(theirs)))

			asked := me.follow(me.start(b.task.Goal))
			require.Equal(t, store.WaitingReply, asked.State)
			for tool, args := range map[string]map[string]any{
				"ask_agent_wait":     {"session_id": asked.SessionID},
				"ask_agent_stop":     {"session_id": asked.SessionID},
				"ask_agent_continue": {"session_id": asked.SessionID, "reply_from_client": "43"},
				"ask_agent":          {"session_id": asked.SessionID, "reply_from_client": "43"},
			} {
				refused := you.refused("SESSION_NOT_FOUND", tool, args)
				require.NotContains(t, refused.words, "Which size", tool)
			}
			busy := you.refused("DEVICE_BUSY", "ask_agent_start_new_task",
				map[string]any{"task": "something"})
			require.NotContains(t, busy.words, "Runner", "what others do is not told")
			done := me.follow(me.answer(asked, "42"))
			require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason)
		})
	}
}

// Under 2025-11-25 and older a client has a session of the transport, too. Its id alone opens
// nothing.
func TestAForeignTransportSessionIsNotFound(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	mine, theirs := b.token("mine"), b.token("theirs")
	_, url := b.serve()
	_, _, got := post(t, url, handshake, bearer(mine))
	id := got.Get("Mcp-Session-Id")
	require.NotEmpty(t, id)
	ping := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for name, c := range map[string]struct {
		token, id string
		status    int
	}{
		"mine": {mine, id, 200}, "with another token": {theirs, id, 404},
		"without one": {"", id, 401}, "made up": {mine, "made-up", 404}, "none": {mine, "", 400},
	} {
		header := map[string]string{"Mcp-Protocol-Version": "2025-06-18"}
		if c.token != "" {
			header["Authorization"] = "Bearer " + c.token
		}
		if c.id != "" {
			header["Mcp-Session-Id"] = c.id
		}
		status, answer, _ := post(t, url, ping, header)
		require.Equal(t, c.status, status, "%s: %s", name, answer)
	}
}

func TestABodyThatDoesNotComeHoldsNoConnectionOnAnyRoute(t *testing.T) {
	t.Parallel()
	_, url := newTestEnv(t, demoTask, "").serve()
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	var wg sync.WaitGroup
	for _, request := range []string{
		"POST /mcp", "DELETE /mcp", "POST /ui/login", "POST /ui/logout", "GET /ui",
		"GET /ui/app.js", "POST /v1/inquiries/x/reply", "GET /v1/events", "POST /v1/nothing",
		"PUT /", "POST /nothing",
	} {
		for _, host := range []string{"localhost", "evil.example"} {
			wg.Go(func() {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				_, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nContent-Type: "+
					"application/json\r\nAccept: application/json, text/event-stream\r\n"+
					"Content-Length: 1000\r\n\r\n{", request, host)
				err = errors.Join(err, conn.SetReadDeadline(time.Now().Add(patience)))
				if _, ended := io.Copy(io.Discard, conn); errors.Join(err, ended) != nil {
					t.Error(request, host, err, ended)
				}
			})
		}
	}
	wg.Wait()
}

func TestTheTokensOfAnEarlierVersionAreTakenOver(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	file := filepath.Join(b.dir, "data", "taploop", "tokens.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, writeFile(file, "{"))
	_, said, code := b.run("serve", "--http", "127.0.0.1:0")
	require.Equal(t, exitError, code)
	require.Contains(t, said, "is not a file of tokens")
	secret := "taploop_" + strings.Repeat("A", 43)
	require.NoError(t, writeFile(file, fmt.Sprintf(`{"version":1,"tokens":[{"id":"01234567",`+
		`"name":"old","created_at":"2026-01-02T03:04:05Z","sha256":"%x"}]}`,
		sha256.Sum256([]byte(secret)))))
	_, url := b.serve()
	status, _, _ := post(t, url, handshake, nil)
	require.Equal(t, 401, status)
	status, _, _ = post(t, url, handshake, bearer(secret))
	require.Equal(t, 200, status)
}
