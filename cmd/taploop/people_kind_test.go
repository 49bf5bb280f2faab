//go:build unix

package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest/vote"
)

func TestAKindThatOnlyATestHasIsAnsweredEverywhere(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	_, broker := b.folder()
	ask := func() string {
		q, err := broker.Open(t.Context(), inquiry.Question{Client: "laptop", Text: "Agreed?",
			OnTimeout: inquiry.GoOn, Body: &vote.Vote{Motion: "tea at four"}})
		require.NoError(t, err)
		return q.ID
	}
	settled := func(id string, status inquiry.Status, channel, answer string) {
		t.Helper()
		rows := b.audit("--question", id)
		last := rows[len(rows)-1]
		require.Equal(t, []string{string(status), channel, answer},
			[]string{string(last.Event), last.Channel, last.Answer})
	}

	id := ask()
	out, _, _ := b.run("inquiries")
	require.Contains(t, out, "Agreed?")
	out, _, _ = b.run("inquiries", id)
	require.Contains(t, out, "motion    tea at four")
	_, errs, code := b.run("reply", id)
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "--decision aye, --decision nay WHY")
	_, errs, code = b.run("reply", id, "--decision", "nay=too late")
	require.Zero(t, code, errs)
	settled(id, inquiry.Answered, inquiry.ChannelCommandLine, "nay: too late")

	id = ask()
	token := b.token("laptop")
	p, _ := b.serve()
	p.kill()
	_, url := b.serve()
	program := newHTTPClient(t, url, token)
	status, body := program.send("GET", "/v1/inquiries/"+id, "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "tea at four", body["motion"])
	require.Equal(t, []any{map[string]any{"name": "aye", "main": true},
		map[string]any{"name": "nay", "words": "WHY"}}, body["offers"])
	status, body = program.send("POST", "/v1/inquiries/"+id+"/reply",
		`{"decisions":[{"type":"aye"}]}`)
	require.Equal(t, http.StatusOK, status, body)
	settled(id, inquiry.Answered, inquiry.ChannelHTTP, "aye")

	id = ask()
	_, errs, code = b.run("reply", id, "--timeout")
	require.Zero(t, code, errs)
	settled(id, inquiry.TimedOut, inquiry.ChannelCommandLine, "")
}
