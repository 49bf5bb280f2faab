package model_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

// outage is a transport that answers with its replies in turn, the last one again and again, and
// notes when it was asked. It waits for nothing, so that it works inside a bubble.
type outage struct {
	replies []func(*http.Request) (*http.Response, error)
	asked   []time.Duration // since the first request
	bodies  []string
	start   time.Time
}

func (o *outage) RoundTrip(r *http.Request) (*http.Response, error) {
	if o.start.IsZero() {
		o.start = time.Now()
	}
	o.asked = append(o.asked, time.Since(o.start))
	b, _ := io.ReadAll(r.Body)
	o.bodies = append(o.bodies, string(b))
	f := o.replies[0]
	if len(o.replies) > 1 {
		o.replies = o.replies[1:]
	}
	return f(r)
}

func answer(p page) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for k, v := range p.header {
			h.Set(k, v)
		}
		if p.status == 0 {
			p.status = 200
		}
		return &http.Response{
			StatusCode: p.status, Status: http.StatusText(p.status), Header: h,
			Body: io.NopCloser(strings.NewReader(p.body)),
		}, nil
	}
}

func broken(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func stalled(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// torn is a reply whose connection breaks in the middle.
func torn(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Header: http.Header{},
		Body: io.NopCloser(io.MultiReader(strings.NewReader(`{"choi`), failing{})),
	}, nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	for name, first := range map[string]func(*http.Request) (*http.Response, error){
		"429":                answer(page{status: 429}),
		"500":                answer(page{status: 500}),
		"503":                answer(page{status: 503}),
		"529":                answer(page{status: 529}),
		"connection refused": broken(errors.New("connect: connection refused")),
		"a torn reply":       torn,
		"a stalled endpoint": stalled,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &outage{
					replies: []func(*http.Request) (*http.Response, error){
						first,
						answer(saying("ok")),
					},
				}
				r, err := ask(t, client(t, "http://m", model.Options{
					Transport: o, Temperature: ptr(0.0),
				}))
				require.NoError(t, err)
				require.Equal(t, "ok", r.Text)
				require.Equal(t, 2, r.Attempts)
				require.Equal(t, o.bodies[0], o.bodies[1])
				require.Contains(t, o.bodies[1], `"temperature":0`)
			})
		})
	}
}

func TestWhatWillNotPassIsNotTriedAgain(t *testing.T) {
	for name, only := range map[string]page{
		"400": {status: 400}, "401": {status: 401}, "403": {status: 403},
		"404": {status: 404}, "422": {status: 422}, "501": {status: 501},
		"an empty purse": {
			status: 429, body: `{"error":{"code":"insufficient_quota","message":"no money"}}`,
		},
		"a Retry-After of a day": {
			status: 429, header: map[string]string{"Retry-After": "86400"},
			body: `{"error":{"message":"daily limit"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &outage{replies: []func(*http.Request) (*http.Response, error){answer(only)}}
				_, err := ask(t, client(t, "http://m", model.Options{Transport: o}))
				require.Error(t, err)
				require.Len(t, o.asked, 1)
			})
		})
	}
}

func TestADistantRetryAfterIsToldInsteadOfWaitedFor(t *testing.T) {
	o := &outage{replies: []func(*http.Request) (*http.Response, error){
		answer(page{
			status: 429, header: map[string]string{"Retry-After": "86400"},
			body: `{"error":{"message":"daily limit"}}`,
		}),
	}}
	_, err := ask(t, client(t, "http://m", model.Options{Transport: o}))
	require.EqualError(t, err,
		"asking m at http://m: HTTP 429: daily limit (asks to come back in 24h0m0s)")
	require.Contains(t, hint.Of(err), "limits")
}

func dateIn(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }

func TestRetryAfterIsHonouredInBothItsForms(t *testing.T) {
	for name, tc := range map[string]struct {
		header func() string
		status int
		want   time.Duration
	}{
		"seconds":           {func() string { return "7" }, 429, 7 * time.Second},
		"none at all":       {func() string { return "0" }, 503, 0},
		"parts of a second": {func() string { return "0.25" }, 500, 250 * time.Millisecond},
		"a date": {
			func() string { return dateIn(time.Minute / 3) }, 503, time.Minute / 3,
		},
		"a date gone by": {func() string { return dateIn(-time.Hour) }, 503, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := map[string]string{"Retry-After": tc.header()}
				o := &outage{replies: []func(*http.Request) (*http.Response, error){
					answer(page{status: tc.status, header: h}), answer(saying("ok")),
				}}
				_, err := ask(t, client(t, "http://m", model.Options{Transport: o}))
				require.NoError(t, err)
				require.Equal(t, []time.Duration{0, tc.want}, o.asked)
			})
		})
	}
}

func TestWithoutRetryAfterTheWaitsGrowAndAreBounded(t *testing.T) {
	for _, header := range []string{"", "soon", "-3"} {
		synctest.Test(t, func(t *testing.T) {
			o := &outage{replies: []func(*http.Request) (*http.Response, error){
				answer(page{status: 503, header: map[string]string{"Retry-After": header}}),
			}}
			_, err := ask(t, client(t, "http://m", model.Options{Transport: o, Retries: 7}))
			require.ErrorContains(t, err, "(8 attempts)")
			require.Len(t, o.asked, 8)
			for i, base := range []time.Duration{
				500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second,
				8 * time.Second, 8 * time.Second, 8 * time.Second,
			} {
				wait := o.asked[i+1] - o.asked[i]
				require.InDelta(t, base.Seconds(), wait.Seconds(), base.Seconds()/4, "wait %d", i+1)
			}
		})
	}
}

func TestRetriesAreAsManyAsAskedFor(t *testing.T) {
	for retries, want := range map[int]int{0: 3, -1: 1, 1: 2, 4: 5} {
		synctest.Test(t, func(t *testing.T) {
			o := &outage{
				replies: []func(*http.Request) (*http.Response, error){broken(io.ErrUnexpectedEOF)},
			}
			_, err := ask(t, client(t, "http://m", model.Options{Transport: o, Retries: retries}))
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Len(t, o.asked, want)
		})
	}
}

func TestTheTimeoutIsForEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &outage{replies: []func(*http.Request) (*http.Response, error){stalled}}
		_, err := ask(t, client(t, "http://m", model.Options{Transport: o}))
		require.ErrorContains(t, err, "no reply within 1m30s (3 attempts)")
		require.Len(t, o.asked, 3)
		require.InDelta(t, 90.5, o.asked[1].Seconds(), 0.2)
	})
}

func TestNothingIsTriedAgainOnceTheCallersContextHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // during the wait
		o := &outage{replies: []func(*http.Request) (*http.Response, error){
			answer(page{
				status: 429, header: map[string]string{"Retry-After": "30"},
				body: `{"error":"slow down"}`,
			}),
		}}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second,
			errors.New("the run's time is up"))
		defer cancel()
		_, err := client(t, "http://m", model.Options{Transport: o}).Complete(ctx, asking("x"))
		require.EqualError(t, err,
			"asking m at http://m (attempt 1 had met HTTP 429: slow down): the run's time is up")
		require.Equal(t, []time.Duration{0}, o.asked)
		require.Equal(t, 10*time.Second, time.Since(o.start))
	})
	synctest.Test(t, func(t *testing.T) { // during an attempt
		o := &outage{replies: []func(*http.Request) (*http.Response, error){stalled}}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := client(t, "http://m", model.Options{Transport: o}).Complete(ctx, asking("x"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, o.asked, 1)
	})
	synctest.Test(t, func(t *testing.T) { // before
		o := &outage{replies: []func(*http.Request) (*http.Response, error){stalled}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := client(t, "http://m", model.Options{Transport: o}).Complete(ctx, asking("x"))
		require.ErrorIs(t, err, context.Canceled)
		require.LessOrEqual(t, len(o.asked), 1)
	})
}

func TestAttemptsAreLoggedAtDebugWithoutTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		o := &outage{replies: []func(*http.Request) (*http.Response, error){
			broken(
				errors.New("proxy said: bad token " + secretKey),
			), answer(page{status: 503}), answer(saying("ok")),
		}}
		l := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		_, err := ask(t, client(t, "https://m", model.Options{Transport: o, Log: l}))
		require.NoError(t, err)
		require.Equal(t, 3, strings.Count(log.String(), `msg="model attempt"`), log.String())
		require.Equal(t, 2, strings.Count(log.String(), `msg="model retry"`))
		require.Contains(t, log.String(), "status=503")
		require.Contains(t, log.String(), "bad token [secret]")
		require.NotContains(t, log.String(), "sk-live")
		require.NotContains(t, log.String(), "hello", "prompts are not for the log")
	})
}

func TestAnUnusableReplyUnder200IsTriedAgainAsA5xxIs(t *testing.T) {
	now := map[string]string{"Retry-After": "0"}
	for name, body := range map[string]string{
		"a proxy's page":    "<html><title>One moment please</title></html>",
		"no choices":        `{"choices":[]}`,
		"choices missing":   `{"id":"1"}`,
		"choices null":      `{"choices":null}`,
		"an error":          `{"error":{"message":"upstream died","code":502}}`,
		"broken JSON":       `{"choices":[{"message":{"content":"ok"`,
		"nothing":           "",
		"something else":    "null",
		"choices of a kind": `{"choices":"none"}`,
		"a list":            "[]",
	} {
		t.Run(name, func(t *testing.T) {
			bad := page{body: body, header: now}
			e := serve(t, bad, bad, saying("ok"))
			r, err := ask(t, client(t, e.URL, model.Options{}))
			require.NoError(t, err)
			require.Equal(t, "ok", r.Text)
			require.Equal(t, 3, r.Attempts)

			e = serve(t, bad)
			_, err = ask(t, client(t, e.URL, model.Options{}))
			var me *model.Error
			require.ErrorAs(t, err, &me)
			require.Equal(t, model.BadReply, me.Kind)
			require.ErrorContains(t, err, "(3 attempts)")
			require.Len(t, e.requests(), 3, "within the same limits")
		})
	}
	broke := serve(t, page{body: `{"error":{"message":"pay","code":"insufficient_quota"}}`})
	_, err := ask(t, client(t, broke.URL, model.Options{}))
	require.Error(t, err)
	require.Len(t, broke.requests(), 1, "an empty purse stays empty")
}
