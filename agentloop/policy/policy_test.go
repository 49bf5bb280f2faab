package policy_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/model"
)

// completer answers with what the function returns.
type completer func(context.Context, model.Request) (model.Response, error)

func (m completer) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	return m(ctx, r)
}

func TestWhatTheCourseHoldsIsInThePromptInItsLanguage(t *testing.T) {
	note := agentloop.Note{Kind: agentloop.NoteRefused, Action: "go back", Detail: "device offline"}
	s := situation(t)
	s.Summary, s.Remembered, s.Notes = "went shopping", []string{
		"platform 3",
	}, []agentloop.Note{
		note,
	}
	s.Exchanges = []actions.Exchange{{Question: "size?", Answer: "42", Outcome: actions.Answered}}
	s.ReplyJustIn = true
	news := map[string]string{"zh": "新消息", "en": "News"}
	for _, lang := range []string{"zh", "en"} {
		d, err := families.Known.New("gelab", &dialect.Options{Lang: lang})
		require.NoError(t, err)
		p := policy.New(d, completer(func(context.Context, model.Request) (model.Response, error) {
			return model.Response{Text: "action:BACK"}, nil
		}), nil)
		got, err := p.Next(t.Context(), s)
		require.NoError(t, err)
		for _, want := range []string{
			`"open the shop"`, `"went shopping"`, `"platform 3"`, `"size?"`, `"42"`, news[lang],
			note.Text(lang),
		} {
			require.Contains(t, got.Tries[0].Prompt, want)
		}
	}
	require.NotEqual(t, note.Text("zh"), note.Text("en"))
}

func TestWithoutAFrameNothingIsAsked(t *testing.T) {
	p := policy.New(english(t), completer(nil), nil)
	got, err := p.Next(t.Context(), agentloop.Situation{})
	require.ErrorContains(t, err, "no frame")
	require.Empty(t, got.Tries)
}

func TestAReplyThatComesAfterTheStopIsRecordedAndNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := errors.New("stopped by hand")
		ctx, cancel := context.WithCancelCause(t.Context())
		p := policy.New(
			english(t),
			completer(func(context.Context, model.Request) (model.Response, error) {
				cancel(stopped)
				time.Sleep(time.Second)
				return model.Response{
					Text:  "action:BACK",
					Usage: model.Usage{PromptTokens: 7, CompletionTokens: 3},
				}, nil
			}),
			nil,
		)
		got, err := p.Next(ctx, situation(t))
		require.ErrorIs(t, err, stopped)
		require.ErrorIs(t, err, context.Canceled)
		require.Nil(t, got.Action)
		require.Len(t, got.Tries, 1)
		require.Equal(t, "action:BACK", got.Tries[0].Reply)
		require.Equal(t, 7, got.Tries[0].PromptTokens)
		require.Equal(t, 3, got.Tries[0].CompletionTokens)
		require.Equal(t, time.Second, got.Tries[0].Took)
	})
}

func TestAfterAStopTheModelIsNotAskedAgain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	p := policy.New(english(t), completer(func(
		context.Context, model.Request,
	) (model.Response, error) {
		calls++
		cancel()
		return model.Response{Text: "prose"}, nil
	}), nil)
	_, err := p.Next(ctx, situation(t))
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.Next(ctx, situation(t))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, calls)
}

func TestAReplyIsToldWhenItBeginsToArrive(t *testing.T) {
	arrives := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.NoError(t, http.NewResponseController(w).Flush())
		<-arrives // the rest comes after it was told
		_, _ = io.WriteString(w, `{"choices": [{"finish_reason": "stop", "message": {"role": `+
			`"assistant", "content": "<THINK>x</THINK>\nexplain:x\taction:COMPLETE\treturn:y\t`+
			`summary:z"}}]}`)
	}))
	defer server.Close()
	client, err := model.New(&model.Options{BaseURL: server.URL, Retries: -1})
	require.NoError(t, err)
	defer client.Close()
	s := situation(t)
	s.Replying = sync.OnceFunc(func() { close(arrives) })

	p, err := policy.New(english(t), client, nil).Next(t.Context(), s)

	require.NoError(t, err)
	require.Equal(t, actions.Complete{Report: "y"}, p.Action)
}
