package transport

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	loadCalls   = 1000
	loadSteps   = 5
	loadWorkers = 50
)

// said is what a load test needs of a message of the server.
type said struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Params struct {
		Token    string  `json:"progressToken"`
		Progress float64 `json:"progress"`
		Meta     struct {
			Step int `json:"step"`
		} `json:"_meta"`
	} `json:"params"`
}

// tally follows the messages of one call.
type tally struct {
	token string
	next  int
}

// take checks that the message is the call's next: its steps in order, each with its _meta, and
// then the result.
func (ta *tally) take(data string) (over bool, err error) {
	var m said
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		return false, err
	}
	ta.next++
	switch {
	case ta.next <= loadSteps && m.Params.Token == ta.token &&
		m.Params.Progress == float64(ta.next) && m.Params.Meta.Step == ta.next:
		return false, nil
	case ta.next == loadSteps+1 && string(m.ID) == fmt.Sprintf("%q", ta.token) && m.Result != nil:
		return true, nil
	}
	return false, fmt.Errorf("call %s: message %d is %s", ta.token, ta.next, data)
}

// work runs all calls, loadWorkers at a time.
func work(t *testing.T, call func(token string) error) {
	tokens := make(chan string)
	var workers sync.WaitGroup
	for range loadWorkers {
		workers.Go(func() {
			for token := range tokens {
				if err := call(token); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range loadCalls {
		tokens <- fmt.Sprint("call-", i)
	}
	close(tokens)
	workers.Wait()
}

func TestNoMessageIsLostReorderedOrMisdeliveredOverHTTP(t *testing.T) {
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			h := NewHTTP(newLab().MCPServer, nil)
			web := httptest.NewServer(h)
			defer web.Close()
			defer func() { require.NoError(t, h.Close(t.Context())) }()
			web.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = loadWorkers
			e := &endpoint{t: t, h: h, client: web.Client()}
			var header []string
			if era == "2025-11-25" {
				header = beginSession(t, e, web.URL)
			}
			work(t, func(token string) error {
				body, header := tool(token, "burst", fmt.Sprintf(`{"n":%d}`, loadSteps)), header
				if era == "2026-07-28" {
					body, header = modern(token, "burst", fmt.Sprintf(`{"n":%d}`, loadSteps))
				}
				return callOverHTTP(web, token, body, header)
			})
		})
	}
}

func beginSession(t testing.TB, e *endpoint, url string) []string {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
		strings.NewReader(fmt.Sprintf(handshake, "2025-11-25", "{}")))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	resp, err := e.client.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return []string{"Mcp-Session-Id: " + resp.Header.Get("Mcp-Session-Id")}
}

func callOverHTTP(web *httptest.Server, token, body string, header []string) error {
	r, err := http.NewRequest(http.MethodPost, web.URL, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	resp, err := web.Client().Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	ta := tally{token: token}
	over := false
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if over {
			return fmt.Errorf("call %s: after its result came %s", token, data)
		}
		if over, err = ta.take(data); err != nil {
			return err
		}
	}
	if !over {
		return fmt.Errorf("call %s: the stream ended after %d messages", token, ta.next)
	}
	return nil
}

func TestNoMessageIsLostReorderedOrMisdeliveredOverStdio(t *testing.T) {
	w := serveStdio(t, newLab().MCPServer, nil)
	w.handshake("2025-11-25", "{}")
	var mu sync.Mutex // of running, and of writing
	running := map[string]chan string{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			line, err := w.out.ReadString('\n')
			if err != nil {
				return
			}
			var m said
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Error(err)
				return
			}
			token := m.Params.Token
			if token == "" {
				token = strings.Trim(string(m.ID), `"`)
			}
			mu.Lock()
			messages := running[token]
			mu.Unlock()
			if messages == nil {
				t.Errorf("nobody waits for %s", line)
				continue
			}
			messages <- line
		}
	}()
	work(t, func(token string) error {
		messages := make(chan string, loadSteps+2)
		mu.Lock()
		running[token] = messages
		_, err := w.in.Write([]byte(tool(token, "burst", fmt.Sprintf(`{"n":%d}`, loadSteps)) +
			"\n"))
		mu.Unlock()
		ta := tally{token: token}
		for over := false; !over && err == nil; {
			over, err = ta.take(<-messages)
		}
		return err // what comes after the result finds the channel full, or the next check does
	})
	require.NoError(t, w.in.Close())
	require.NoError(t, <-w.served)
	<-read
	for token, messages := range running {
		require.Empty(t, messages, "after the result of %s", token)
	}
}
