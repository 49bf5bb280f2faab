package model_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

func TestAnEndpointIsAskedWhetherItIsThereAndTakesTheKey(t *testing.T) {
	now := map[string]string{"Retry-After": "0"}
	models := page{body: `{"data":[]}`}
	refused := page{status: 401, body: `{"error":{"message":"bad key"}}`}
	down := page{status: 502, header: now, body: "<html><title>Bad Gateway</title>"}
	none := page{status: 404, body: "404 page not found"}
	odd := page{status: 400, body: `{"error":{"message":"max_tokens is too small"}}`}
	gemini := page{status: 400, body: `[{"error":{"message":"max_tokens is too small"}}]`}
	poor := page{status: 402, body: `{"error":"no money left"}`}
	busy := page{status: 429, header: now, body: `{"message":"slow down"}`}
	list, both := []string{"/models"}, []string{"/models", "/chat/completions"}
	for name, tc := range map[string]struct {
		pages []page
		kind  model.ErrorKind // "" for one that is ready
		asked []string
	}{
		"lists its models":        {[]page{models}, "", list},
		"lacks the list":          {[]page{none, saying("")}, "", both},
		"lists for admins only":   {[]page{{status: 403}, saying("")}, "", both},
		"takes no such parameter": {[]page{none, odd}, "", both},
		"says so as Gemini does":  {[]page{none, gemini}, "", both},
		"has no money left":       {[]page{none, poor}, "", both},
		"is asked too often": {[]page{none, busy}, "",
			[]string{"/models", "/chat/completions", "/chat/completions", "/chat/completions"}},
		"comes back":               {[]page{down, models}, "", []string{"/models", "/models"}},
		"refuses the key":          {[]page{refused}, model.Unauthorized, both},
		"refuses the key to think": {[]page{none, refused}, model.Unauthorized, both},
		"has no such thing":        {[]page{none}, model.NoSuchPath, both},
		"shows pages only": {[]page{{body: "<html>hello</html>", header: now}}, model.BadReply,
			[]string{
				"/models", "/chat/completions", "/chat/completions", "/chat/completions",
			}},
		"is behind a dead proxy": {[]page{down}, model.ServerFault, []string{
			"/models", "/models", "/models",
			"/chat/completions", "/chat/completions", "/chat/completions",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, tc.pages...)
			err := client(t, e.URL, model.Options{}).Ready(t.Context())
			var asked []string
			for _, r := range e.requests() {
				asked = append(asked, r.path)
				require.Equal(t, "Bearer "+secretKey, r.header.Get("Authorization"))
			}
			require.Equal(t, tc.asked, asked)
			if tc.kind == "" {
				require.NoError(t, err)
				return
			}
			var me *model.Error
			require.ErrorAs(t, err, &me)
			require.Equal(t, tc.kind, me.Kind)
			require.NotEmpty(t, hint.Of(err))
		})
	}
}

func TestAPageIsNoAnswerOfAnEndpointOfModels(t *testing.T) {
	for _, status := range []int{400, 402, 404, 405, 409, 413, 418, 422, 429} {
		for _, body := range []string{
			"<html><title>Request is too long for the context size</title></html>",
			"Too Many Requests", "", "null", "[]", "[null]", `"no"`, `{"error":"no"}<hr>`,
		} {
			e := serve(t, page{status: 404}, page{
				status: status, body: body, header: map[string]string{"Retry-After": "0"}})
			err := client(t, e.URL, model.Options{}).Ready(t.Context())
			var me *model.Error
			require.ErrorAs(t, err, &me, "%d %s", status, body)
			require.Equal(t, status, me.Status)
			require.NotContains(t, hint.Of(err), "names the parameter", "%d %s", status, body)
		}
	}
}

func TestWithoutAKeyTheEndpointIsOneOfModelsAllTheSame(t *testing.T) {
	for name, pages := range map[string][]page{
		"lacks the list": {{status: 404}, saying("")},
		"has neither":    {{status: 404}},
	} {
		e := serve(t, pages...)
		c, err := model.New(&model.Options{BaseURL: e.URL})
		require.NoError(t, err)
		err = c.Ready(t.Context())
		require.Equal(t, name == "has neither", err != nil, err)
		require.Len(t, e.requests(), 2)
		c.Close()
	}
}

// listless is an endpoint that never answers when it is asked for its models, and writes down what
// it was asked for.
func listless(asked *[]string, chat string) transport {
	return func(r *http.Request) (*http.Response, error) {
		*asked = append(*asked, r.URL.Path)
		if strings.HasSuffix(r.URL.Path, "/models") {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(chat))}, nil
	}
}

func TestAnEndpointThatNeverListsItsModelsIsAskedForATokenSoon(t *testing.T) {
	for _, timeout := range []time.Duration{0, 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var asked []string
			c := client(t, "http://x/v1", model.Options{Timeout: timeout,
				Transport: listless(&asked, saying("ok").body)})
			began := time.Now()
			require.NoError(t, c.Ready(t.Context()))
			require.LessOrEqual(t, time.Since(began), 5*time.Second)
			require.Equal(t, "/v1/chat/completions", asked[len(asked)-1])

			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("the run was stopped")
			time.AfterFunc(time.Second, func() { cancel(stop) })
			began = time.Now()
			require.ErrorIs(t, c.Ready(ctx), stop)
			require.Equal(t, time.Second, time.Since(began))
		})
	}
}

func TestAnEndpointThatHangsUpOnTheListIsAskedForAToken(t *testing.T) {
	hangsUp := transport(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			return nil, io.ErrUnexpectedEOF
		}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{},
			Body: io.NopCloser(strings.NewReader(saying("ok").body))}, nil
	})
	synctest.Test(t, func(t *testing.T) {
		require.NoError(t, client(t, "http://x/v1", model.Options{Transport: hangsUp}).
			Ready(t.Context()))
	})
}

func TestWhereNoConnectionIsToBeHadNothingElseIsAsked(t *testing.T) {
	n := 0
	dead := transport(func(*http.Request) (*http.Response, error) {
		n++
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	})
	synctest.Test(t, func(t *testing.T) {
		err := client(t, "http://x/v1", model.Options{Transport: dead, Retries: 1}).
			Ready(t.Context())
		require.ErrorContains(t, err, "connection refused")
		require.Equal(t, 2, n, "one try, and another one")
	})
}

func TestAnEndpointThatIsDownIsNotReady(t *testing.T) {
	down := transport(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("connection refused")
	})
	err := client(t, "http://x/v1", model.Options{Transport: down, Retries: -1}).Ready(t.Context())
	var me *model.Error
	require.ErrorAs(t, err, &me)
	require.Equal(t, model.Unreachable, me.Kind)
}

func TestACassetteNeedsNoEndpointAndRecordsNoQuestionAboutIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	rec, err := model.NewRecorder(path, nil, nil)
	require.NoError(t, err)
	e := serve(t, page{body: `{"data":[]}`}, saying("ok"))
	c := client(t, e.URL, model.Options{Transport: rec})
	require.NoError(t, c.Ready(t.Context()))
	_, err = ask(t, c)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	require.NotContains(t, read(t, path), "/models")
	require.NoError(t, replay(t, path).Ready(t.Context()))
}
