package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

func TestEachFailureSaysWhatItIsAndWhatToDo(t *testing.T) {
	html := "<!DOCTYPE html><html><head><title>502\n Bad Gateway</title></head><body>" +
		strings.Repeat("x", 5000)
	for name, tc := range map[string]struct {
		page page
		kind model.ErrorKind
		says string
		hint string
	}{
		"a wrong key": {
			page{status: 401, body: `{"error":{"message":"bad key"}}`}, model.Unauthorized,
			"HTTP 401: bad key", "check TAPLOOP_MODEL_API_KEY",
		},
		"no right": {
			page{status: 403, body: `{"detail":"not yours"}`}, model.Unauthorized,
			"HTTP 403: not yours", "check TAPLOOP_MODEL_API_KEY",
		},
		"a wrong path": {
			page{status: 404, body: "404 page not found"}, model.NoSuchPath,
			"HTTP 404: this: 404 page not found", "TAPLOOP_MODEL_BASE_URL to BASE/v1",
		},
		"a method that is not allowed": {
			page{status: 405}, model.NoSuchPath, "HTTP 405: an empty reply", "BASE/v1",
		},
		"FastAPI's list of complaints": {
			page{status: 422, body: `{"detail":[{"loc":["body"],"msg":"field required"}]}`},
			model.Rejected, `HTTP 422: [{"loc":["body"],"msg":"field required"}]`,
			"names the parameter",
		},
		"vLLM's bare error": {
			page{
				status: 400,
				body:   `{"object":"error","message":"max_tokens must be at least 1","code":400}`,
			},
			model.Rejected, "HTTP 400: max_tokens must be at least 1", "names the parameter",
		},
		"an error that is a text": {
			page{status: 400, body: `{"error":"no go"}`}, model.Rejected, "HTTP 400: no go",
			"names the parameter",
		},
		"an error in a list": {
			page{status: 400, body: `[{"error":{"code":400,"message":"API key not valid"}}]`},
			model.Rejected, "HTTP 400: API key not valid", "names the parameter",
		},
		"an error without a message": {
			page{status: 400, body: `{"error":{"code":7}}`}, model.Rejected, `HTTP 400: {"code":7}`,
			"names the parameter",
		},
		"messages in a list": {
			page{status: 400, body: `{"error":{"message":["a","b"]}}`}, model.Rejected,
			"HTTP 400: a, b", "names the parameter",
		},
		"no pictures": {
			page{
				status: 400,
				body: `{"error":{"message":"image input is not supported - hint: provide the ` +
					`mmproj"}}`,
			},
			model.Rejected, "HTTP 400: image input", "a model that takes pictures",
		},
		"too long": {
			page{
				status: 400,
				body: `{"error":{"message":"This model's maximum context length is 4096 ` +
					`tokens","code":"context_length_exceeded"}}`,
			},
			model.TooLong, "maximum context length", "longer context",
		},
		"too long for llama.cpp": {
			page{
				status: 400,
				body: `{"error":{"code":400,"message":"the request exceeds the available ` +
					`context size, try increasing it"}}`,
			},
			model.TooLong, "exceeds", "longer context",
		},
		"too large": {
			page{status: 413, body: "<html><h1>Request Entity Too Large</h1>"}, model.TooLong,
			`HTTP 413: a web page titled "Request Entity Too Large"`, "smaller pictures",
		},
		"an unknown parameter": {
			page{status: 400, body: `{"error":{"message":"model m: unknown parameter top_k"}}`},
			model.Rejected, "unknown parameter", "names the parameter",
		},
		"an empty purse": {
			page{status: 402, body: `{"error":{"message":"pay first"}}`}, model.RateLimited,
			"HTTP 402: pay first", "limits",
		},
		"a proxy's page": {
			page{status: 502, body: html}, model.ServerFault,
			`HTTP 502: a web page titled "502 Bad Gateway" (3 attempts)`, "endpoint's own log",
		},
		"a web page that is fine": {
			page{body: "<html><title>Welcome &amp; hello</title>"}, model.BadReply,
			`no chat completion came back, but a web page titled "Welcome & hello"`, "BASE/v1",
		},
		"nothing": {
			page{}, model.BadReply, "no chat completion came back, but an empty reply",
			"OpenAI-compatible",
		},
		"other JSON": {
			page{body: `{"choices":"none"}`}, model.BadReply,
			"no chat completion came back: its choices are no list", "OpenAI-compatible",
		},
		"no choices": {
			page{body: `{"choices":[]}`}, model.BadReply, "the reply has no choices",
			"OpenAI-compatible",
		},
		"an error inside a 200": {
			page{body: `{"error":{"message":"upstream died","code":502}}`}, model.BadReply,
			"the endpoint reports: upstream died", "OpenAI-compatible",
		},
		"a terminal's escapes": {
			page{status: 400, body: "{\"error\":\"\\u001b[31mred\\u0007\\nnext\\u202e line\"}"},
			model.Rejected, "HTTP 400: [31mred next line", "names the parameter",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.page.status >= 500 || tc.page.status == 0 {
				tc.page.header = map[string]string{"Retry-After": "0"}
			}
			e := serve(t, tc.page)
			_, err := ask(t, client(t, e.URL, model.Options{}))
			var me *model.Error
			require.ErrorAs(t, err, &me)
			require.Equal(t, tc.kind, me.Kind)
			require.Contains(t, err.Error(), "asking m at "+e.URL+": ")
			require.Contains(t, err.Error(), tc.says)
			require.Contains(t, hint.Of(err), strings.ReplaceAll(tc.hint, "BASE/v1", e.URL+"/v1"))
			require.Less(t, len(err.Error()), 700)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAMissingKeyIsAskedForByTheNameOfItsVariable(t *testing.T) {
	e := serve(t, page{status: 401})
	c, err := model.New(&model.Options{BaseURL: e.URL, Env: "TAPLOOP_CAPTION_"})
	require.NoError(t, err)
	defer c.Close()
	_, err = ask(t, c)
	require.Equal(t, "set TAPLOOP_CAPTION_API_KEY", hint.Of(err))
}

func TestAModelThatIsNotThereBringsTheOnesThatAre(t *testing.T) {
	notFound := page{
		status: 404,
		body: `{"error":{"message":"model \"m\" not found, try pulling it ` +
			`first","type":"api_error"}}`,
	}
	e := serve(t, notFound, page{body: `{"data":[{"id":"gelab-zero"},{"id":"qwen3-vl"}]}`})
	_, err := ask(t, client(t, e.URL, model.Options{}))
	require.ErrorContains(t, err, `HTTP 404: model "m" not found`)
	require.Equal(
		t,
		"set TAPLOOP_MODEL_NAME to a model that the endpoint has; the endpoint has: gelab-zero, "+
			"qwen3-vl",
		hint.Of(err),
	)

	e = serve(t, notFound) // and when they cannot be listed, the first complaint stands
	_, err = ask(t, client(t, e.URL, model.Options{}))
	require.ErrorContains(t, err, `HTTP 404: model "m" not found`)
	require.Equal(t, "set TAPLOOP_MODEL_NAME to a model that the endpoint has", hint.Of(err))
}

func TestNobodyListeningAsksForOllamaOnItsPort(t *testing.T) {
	refused := transport(func(*http.Request) (*http.Response, error) {
		var d net.Dialer
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		_ = l.Close() // a port that was free a moment ago
		conn, err := d.Dial("tcp", l.Addr().String())
		if err == nil {
			_ = conn.Close()
			return nil, errors.New("somebody listens")
		}
		return nil, err
	})
	for url, want := range map[string]string{
		"http://localhost:11434/v1": "is Ollama running? start it with: ollama serve",
		"http://127.0.0.1:8000/v1": "start the model's server, " +
			"or set TAPLOOP_MODEL_BASE_URL to where it listens",
	} {
		_, err := ask(t, client(t, url, model.Options{Transport: refused, Retries: -1}))
		require.ErrorContains(t, err, "connection refused")
		require.Equal(t, want, hint.Of(err))
	}
	asked := 0
	counted := transport(func(r *http.Request) (*http.Response, error) {
		asked++
		return refused(r)
	})
	_, err := ask(t, client(t, "", model.Options{Transport: counted, Unset: true, Retries: 3}))
	require.ErrorContains(t, err, "no model is configured, and none is there: ")
	require.Equal(t, "set TAPLOOP_MODEL_BASE_URL and TAPLOOP_MODEL_NAME, or start Ollama: ollama serve",
		hint.Of(err))
	require.Equal(t, 1, asked, "no waiting makes one listen that nobody has chosen")
}

func TestOtherWaysOfNotReachingAnEndpointHaveTheirHints(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer secure.Close()
	plain := serve(t, saying("ok"))
	_, err := ask(t, client(t, secure.URL, model.Options{}))
	require.ErrorContains(t, err, "certificate")
	require.NotContains(t, err.Error(), "attempts", "a wrong certificate stays wrong")
	require.Contains(t, hint.Of(err), "SSL_CERT_FILE")

	_, err = ask(t, client(t, strings.Replace(plain.URL, "http:", "https:", 1), model.Options{}))
	require.NotContains(t, err.Error(), "attempts")
	require.Contains(t, hint.Of(err), "http://...")

	nowhere := transport(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{
			Op:  "dial",
			Err: &net.DNSError{Err: "no such host", Name: "modle.example", IsNotFound: true},
		}
	})
	_, err = ask(t, client(t, "https://modle.example", model.Options{Transport: nowhere}))
	require.ErrorContains(t, err, "lookup modle.example: no such host")
	require.NotContains(t, err.Error(), "attempts")
	require.Equal(t, "check the host's name in TAPLOOP_MODEL_BASE_URL", hint.Of(err))
}

func TestAnEndpointThatStallsIsLeftAfterTheTimeout(t *testing.T) {
	for name, first := range map[string]string{
		"before the reply": "", "in the middle of it": `{"choices":[`,
	} {
		t.Run(name, func(t *testing.T) {
			e := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if first != "" {
					_, _ = fmt.Fprint(w, first)
					_ = http.NewResponseController(w).Flush()
				}
				_ = json.NewDecoder(
					r.Body,
				).Decode(new(any)) // so that the server notices when the client leaves
				<-r.Context().Done()
			}))
			defer e.Close()
			_, err := ask(t, client(t, e.URL, model.Options{
				Timeout: 30 * time.Millisecond, Retries: -1,
			}))
			var me *model.Error
			require.ErrorAs(t, err, &me)
			require.Equal(t, model.TimedOut, me.Kind)
			require.ErrorContains(t, err, "no reply within 30ms")
			require.Contains(t, hint.Of(err), "raise TAPLOOP_MODEL_TIMEOUT (now 30ms)")
		})
	}
}

func TestAReplyWithoutEndIsNotReadToItsEnd(t *testing.T) {
	served := make(chan int, 1)
	e := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 0
		for blob := make([]byte, 1<<20); r.Context().Err() == nil; n += len(blob) {
			if _, err := w.Write(blob); err != nil {
				break
			}
		}
		served <- n
	}))
	defer e.Close()
	_, err := ask(t, client(t, e.URL, model.Options{Retries: -1}))
	require.ErrorContains(t, err, "the reply is longer than 16 MiB")
	require.Less(t, <-served, 64<<20)
}

func TestAPageWithoutEndIsTriedAgainLikeAnyOther(t *testing.T) {
	huge := "<html><title>Busy</title>" + strings.Repeat(" ", 17<<20)
	now := map[string]string{"Retry-After": "0"}
	e := serve(t, page{body: huge, header: now}, saying("here I am"))
	resp, err := ask(t, client(t, e.URL, model.Options{}))
	require.NoError(t, err)
	require.Equal(t, "here I am", resp.Text)

	e = serve(t, page{body: huge, header: now})
	_, err = ask(t, client(t, e.URL, model.Options{Retries: 1}))
	require.ErrorContains(t, err, "the reply is longer than 16 MiB, and begins with a web page")
	require.ErrorContains(t, err, "Busy")
	require.Len(t, e.requests(), 2)
}

func TestTheKeyIsNotCarriedToAnotherHost(t *testing.T) {
	other := serve(t, saying("stolen"))
	for _, status := range []int{301, 302, 307, 308} {
		e := serve(t, page{
			status: status,
			header: map[string]string{
				"Location": other.URL + "/v1/chat/completions?key=" + url.QueryEscape(secretKey),
			},
		})
		_, err := ask(t, client(t, e.URL, model.Options{}))
		require.ErrorContains(t, err, "the endpoint redirects to")
		require.ErrorContains(t, err, other.URL)
		require.NotContains(t, err.Error(), "sk-live")
		require.Contains(t, hint.Of(err), "TAPLOOP_MODEL_BASE_URL")
	}
	require.Empty(t, other.requests())
}

func TestARedirectWithinTheEndpointIsFollowedAndOneThatDropsTheRequestIsNot(t *testing.T) {
	e := serve(t, page{status: 307, header: map[string]string{"Location": "/moved"}}, saying("ok"))
	r, err := ask(t, client(t, e.URL, model.Options{}))
	require.NoError(t, err)
	require.Equal(t, "ok", r.Text)
	require.Equal(t, e.requests()[0].raw, e.requests()[1].raw)

	e = serve(t, page{status: 302, header: map[string]string{"Location": "/moved"}}, saying("ok"))
	_, err = ask(t, client(t, e.URL, model.Options{}))
	require.ErrorContains(t, err, `redirects to "/moved"`)
	e = serve(t, page{status: 307, header: map[string]string{"Location": "/again"}})
	_, err = ask(t, client(t, e.URL, model.Options{}))
	require.ErrorContains(t, err, `redirects to "/again"`)
}

func TestAnEndpointThatEchoesTheKeyDoesNotSpreadIt(t *testing.T) {
	quoted, err := json.Marshal(secretKey)
	require.NoError(t, err)
	inner := string(quoted[1 : len(quoted)-1])
	hidden := strings.ReplaceAll(inner, "sk-live",
		"sk\\u200b-\\u0000live") // invisible characters that an error drops
	for _, p := range []page{
		{status: 401, body: `{"error":{"message":"wrong key ` + inner + `"}}`},
		{status: 401, body: "wrong key " + secretKey},
		{status: 400, body: `{"error":{"message":"` + strings.Repeat("x", 480) + inner + `"}}`},
		{status: 400, body: strings.Repeat("x", 180) + secretKey},
		{status: 400, body: `{"error":{"message":"wrong key ` + hidden + `"}}`},
		{status: 400, body: "<html><title>" + strings.Repeat("x", 100) + secretKey + "</title>"},
		{status: 400, body: `{"detail":"` + inner + `"}`},
		{body: `{"error":{"message":"` + inner + `"}}`},
		{body: `{"choices":"` + inner + `"}`},
		{status: 404, body: `{"error":{"message":"model ` + inner + ` not found"}}`},
	} {
		_, err := ask(t, client(t, serve(t, p).URL, model.Options{}))
		require.Error(t, err)
		for _, part := range []string{"sk-live", "do-not-show"} {
			require.NotContains(t, err.Error()+hint.Of(err)+fmt.Sprintf("%+v %#v", err, err), part,
				"%s", p.body)
		}
	}
	r, err := ask(t, client(t, serve(t, page{
		body: `{"choices":[{"message":{"content":"` + inner + `","reasoning":"` + inner + `"}}]}`,
	}).URL, model.Options{}))
	require.NoError(t, err)
	require.Equal(t, []string{"[secret]", "[secret]"}, []string{r.Text, r.Reasoning})
}

func TestADummyKeyIsAWordLikeOthersInReplies(t *testing.T) {
	r, err := ask(t,
		client(t, serve(t, saying("ollama serve")).URL, model.Options{APIKey: "ollama"}))
	require.NoError(t, err)
	require.Equal(t, "ollama serve", r.Text)
}

func TestTheCallersOwnEndIsReportedWithItsCause(t *testing.T) {
	why := errors.New("the person pressed stop")
	e := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(new(any))
		<-r.Context().Done()
	}))
	defer e.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	c := client(
		t,
		e.URL,
		model.Options{Transport: transport(func(r *http.Request) (*http.Response, error) {
			cancel(why)
			return http.DefaultTransport.RoundTrip(r)
		})},
	)
	defer http.DefaultClient.CloseIdleConnections()
	_, err := c.Complete(ctx, asking("x"))
	require.ErrorIs(t, err, why)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
}
