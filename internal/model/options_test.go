package model_test

import (
	"bytes"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

func TestBadBaseURLsAreRefusedWithAHint(t *testing.T) {
	for _, tc := range []struct{ url, err, hint string }{
		{
			"localhost:11434/v1", "is not an http or https URL",
			"TAPLOOP_MODEL_BASE_URL to something like http://localhost:11434/v1",
		},
		{"/v1", "is not an http or https URL", "http://localhost:11434/v1"},
		{"ftp://host/v1", "is not an http or https URL", "http://"},
		{"http://", "is not an http or https URL", "http://"},
		{"http://ho st/v1", "is not an http or https URL", "http://"},
		{"http://%zz/v1", "is not an http or https URL", "http://"},
		{"https://me:" + "hunter2@host/v1", "has a user or a password", "TAPLOOP_MODEL_API_KEY"},
		{"https://host/v1?api_key=hunter2", "query", "the part before it"},
		{"https://host/v1#x", "fragment", "the part before it"},
		{"https://host/v1/chat/completions/", "names the operation", "BASE_URL to https://host/v1"},
		{"me:hunter2@host?hunter2", "is not an http or https URL", "http://"},
	} {
		_, err := model.New(&model.Options{BaseURL: tc.url})
		require.ErrorContains(t, err, tc.err, tc.url)
		require.Contains(t, hint.Of(err), tc.hint, tc.url)
		require.NotContains(t, err.Error()+hint.Of(err), "hunter2")
	}
}

func TestOptionsThatCannotBeMeantAreRefused(t *testing.T) {
	for want, o := range map[string]model.Options{
		"temperature of -1":         {Temperature: ptr(-1.0)},
		"temperature of NaN":        {Temperature: ptr(math.NaN())},
		"top_p of 2":                {TopP: ptr(2.0)},
		"frequency_penalty of 3":    {FrequencyPenalty: ptr(3.0)},
		"max_tokens of -1":          {MaxTokens: -1},
		"time-out of -1s":           {Timeout: -time.Second},
		`extra field "stream"`:      {Extra: map[string]any{"stream": true}},
		`extra field "messages"`:    {Extra: map[string]any{"messages": nil}},
		`extra field "f": json: un`: {Extra: map[string]any{"f": func() {}}},
		"no HTTP header may carry":  {APIKey: "sk-12345\nsk-67890"},
	} {
		_, err := model.New(&o)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "sk-1")
	}
}

func TestZeroOptionsAreTheLocalDefault(t *testing.T) {
	c, err := model.New(nil)
	require.NoError(t, err)
	defer c.Close()
	require.Equal(t, "gelab-zero-4b-preview at http://localhost:11434/v1", c.String())
}

func TestAKeyOnAnUnencryptedWayIsWarnedOfUnlessItStaysHere(t *testing.T) {
	for url, warns := range map[string]bool{
		"http://model.example/v1":  true,
		"https://model.example/v1": false,
		"HTTPS://model.example/v1": false,
		"http://127.0.0.1:1/v1":    false,
		"http://[::1]:1/v1":        false,
		"http://localhost/v1":      false,
	} {
		var log bytes.Buffer
		c, err := model.New(
			&model.Options{
				BaseURL: url,
				APIKey:  secretKey,
				Log:     slog.New(slog.NewTextHandler(&log, nil)),
			},
		)
		require.NoError(t, err)
		c.Close()
		require.Equal(t, warns, bytes.Contains(log.Bytes(), []byte("unencrypted")), url)
		require.NotContains(t, log.String(), "sk-live")
	}
}
