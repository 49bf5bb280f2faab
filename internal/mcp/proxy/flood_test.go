package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/wire"
)

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// small makes the bounds of floods small.
func small(t *testing.T) {
	unasked, before := maxUnsolicited, limits
	maxUnsolicited, limits.Line = 500, 1<<20
	t.Cleanup(func() { maxUnsolicited, limits = unasked, before })
}

func TestAServerThatFloodsIsNamedAndEnded(t *testing.T) {
	small(t)
	for mode, want := range map[string]string{
		"flood":    "it floods: it sent more than 500 messages within 10s",
		"foreign":  "it floods: it sent more than 500 messages within 10s",
		"batches":  "it wrote 1000 lines that are no messages",
		"progress": "it floods: it sent more than 500 messages within 10s",
		"line":     "it wrote a line of more than 1048576 bytes",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(o *Options) {
				o.Target.Env = append(o.Target.Env, "PROXY_UPSTREAM="+mode)
			})
			r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":` +
				`"2025-11-25","_meta":{"progressToken":"p"}}}`)
			line := r.next()
			for strings.Contains(line, `"method"`) {
				line = r.next()
			}
			require.Contains(t, line, "the server other: "+want)
		})
	}
}

// A result that is nested too deep to be read is named, and the call does not wait for another.
func TestAResultThatIsNestedTooDeepIsNamed(t *testing.T) {
	deep := strings.Repeat("[", 12_000) + strings.Repeat("]", 12_000)
	for kind, frame := range map[string]string{"application/json": "%s",
		"text/event-stream": "data: %s\n\n"} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var m wire.Message
			if json.NewDecoder(r.Body).Decode(&m) != nil { // it listens, or ends the session
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},` +
				`"serverInfo":{"name":"s","version":"1"}}`
			if m.Method != "initialize" {
				result = `{"content":[],"structuredContent":{"id":7,"a":` + deep + "}}"
			}
			if m.ID == nil {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", kind)
			fmt.Fprintf(w, frame, `{"jsonrpc":"2.0","result":`+result+`,"id":`+string(m.ID)+"}")
		}))
		t.Cleanup(web.Close)
		r := newRig(t, func(o *Options) { o.Target = upstream.Target{URL: web.URL} })
		r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":` +
			`"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		require.Contains(t, r.next(), "serverInfo")
		r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		r.send(`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"x"}}`)
		require.Contains(t, r.next(),
			"the server other: its answer cannot be read: the message is "+
				"nested more than 10000 deep", kind)
	}
}

func TestAServerThatFloodsOverHTTPIsNamed(t *testing.T) {
	small(t)
	for name, x := range map[string]struct{ sent, want string }{
		"garbage": {"data: {\"api_key\": \"" + secret + "\"\n\n",
			"1000 events that are no messages"},
		"line":    {strings.Repeat("x", 1<<20), "it sent a line that is too long"},
		"unasked": {`data: {"jsonrpc":"2.0","method":"notifications/x"}` + "\n\n", "it floods"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
				_ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for err := error(nil); err == nil; {
					_, err = io.WriteString(w, x.sent)
				}
			}))
			t.Cleanup(web.Close)
			r := newRig(t, func(o *Options) {
				o.Target = upstream.Target{URL: web.URL, Secrets: []string{secret}}
			})
			r.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
			line := r.next()
			for strings.Contains(line, `"method"`) {
				line = r.next()
			}
			require.Contains(t, line, "the server other: ")
			require.Contains(t, line, x.want)
			require.NotContains(t, line, secret)
		})
	}
}

func TestTheTimeThatAClientTakesToReadMakesAServerFloodNoLess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		small(t)
		var held, moved noise
		for range maxUnsolicited {
			handedOver := held.arrive()
			require.False(t, held.floods())
			time.Sleep(time.Second)
			handedOver()
		}
		held.arrive()
		require.True(t, held.floods())
		for range 3 * maxUnsolicited {
			handedOver := moved.arrive()
			require.False(t, moved.floods())
			moved.arrive() // for another client, while the first one reads
			time.Sleep(time.Second)
			handedOver()
		}
	})
}
