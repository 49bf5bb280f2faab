package proxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	clienttransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/mcp/transport"
)

// written tells when a message of the client has been written.
type written chan struct{}

// pipeEnd is a client's end of a pipe.
type pipeEnd struct {
	io.WriteCloser
	written
}

func (w pipeEnd) Write(b []byte) (int, error) {
	n, err := w.WriteCloser.Write(b)
	if strings.Contains(string(b), "tools/call") {
		w.written <- struct{}{}
	}
	return n, err
}

// roundTripper is how a client over HTTP sends.
type roundTripper struct {
	http.RoundTripper
	written
}

func (w roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.GetBody == nil { // it ends the session
		return w.RoundTripper.RoundTrip(r)
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(b), "tools/call") {
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
			WroteRequest: func(httptrace.WroteRequestInfo) { w.written <- struct{}{} }}))
	}
	return w.RoundTripper.RoundTrip(r)
}

// overPipe is a client of p over stdio.
func overPipe(t *testing.T, p *Proxy, w written) clienttransport.Interface {
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- transport.ServeStdio(context.Background(), p, fromClient, toClient, inOrder)
		_ = toClient.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		require.NoError(t, <-served)
	})
	return clienttransport.NewIO(out, pipeEnd{in, w}, io.NopCloser(strings.NewReader("")))
}

// overWeb is a client of p over Streamable HTTP, each of whose messages has a connection.
func overWeb(t *testing.T, p *Proxy, w written) clienttransport.Interface {
	h := transport.NewHTTP(p, inOrder)
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		require.NoError(t, h.Close(context.Background()))
		web.CloseClientConnections()
		web.Close()
	})
	tr, err := clienttransport.NewStreamableHTTP(web.URL, clienttransport.WithHTTPBasicClient(
		&http.Client{Transport: roundTripper{&http.Transport{MaxIdleConnsPerHost: 100}, w}}))
	require.NoError(t, err)
	return tr
}

// A client that writes calls one after the other, without waiting for their results, has them
// carried out in that order, whatever lies between it and the server.
func TestCallsAreCarriedOutInTheOrderInWhichTheyAreWritten(t *testing.T) {
	calls := 250
	if os.Getenv("TAPLOOP_TEST_LONG") == "1" {
		calls = 1000
	}
	for front, connect := range map[string]func(*testing.T, *Proxy,
		written) clienttransport.Interface{"stdio": overPipe, "HTTP": overWeb} {
		for _, behind := range []string{"stdio", "HTTP"} {
			t.Run(front+" in front of "+behind, func(t *testing.T) {
				log := filepath.Join(t.TempDir(), "log")
				t.Setenv("SERVER_LOG", log)
				r := newRig(t, func(o *Options) {
					o.Stdio = front == "stdio"
					o.Target.Env = append(o.Target.Env, "SERVER_LOG="+log)
					if behind == "HTTP" {
						overHTTP(t)(o)
					}
				})
				r.log = log
				w := make(written, calls)
				c := client.NewClient(connect(t, r.p, w), client.WithProtocolVersion("2025-11-25"))
				require.NoError(t, c.Start(t.Context()))
				req := mcp.InitializeRequest{}
				req.Params.ProtocolVersion = "2025-11-25"
				_, err := c.Initialize(t.Context(), req)
				require.NoError(t, err)
				var all sync.WaitGroup
				var want strings.Builder
				for n := range calls {
					fmt.Fprintf(&want, "echo {\"text\":\"%d\"}\n", n)
					all.Go(func() {
						call := mcp.CallToolRequest{}
						call.Params.Name = "echo"
						call.Params.Arguments = map[string]any{"text": fmt.Sprint(n)}
						got, err := c.CallTool(t.Context(), call)
						if err == nil && got.IsError {
							err = fmt.Errorf("%v", got.Content)
						}
						if err != nil {
							t.Error(err)
							w <- struct{}{}
						}
					})
					<-w
				}
				all.Wait()
				require.NoError(t, c.Close())
				require.Equal(t, want.String(), r.done())
			})
		}
	}
}
