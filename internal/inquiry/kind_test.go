package inquiry_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest/vote"
)

func TestAKindNeedsNothingButItsFile(t *testing.T) {
	b := judge(inquiry.Options{})
	q := ask(t, b, inquiry.Question{Text: "agreed?", OnTimeout: inquiry.GoOn,
		Body: &vote.Vote{Motion: "tea"}})
	require.Equal(t, vote.Kind, q.Kind)
	require.Equal(t, "--decision aye", q.Kind.Flag())

	raw, err := json.Marshal(q)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"motion":"tea"`)
	var read inquiry.Question
	require.NoError(t, json.Unmarshal(raw, &read))
	require.Equal(t, q.Body, read.Body)

	_, err = q.Read("/approve")
	require.ErrorContains(t, err, "another kind of question")
	heard := q.Hear("Aye!")
	require.Equal(t, inquiry.Reply{Type: inquiry.TypeAnswer, Response: "aye"}, heard)
	heard = q.Hear("I would say aye")
	require.Equal(t, "I would say aye", heard.Response, "what is not clear is an answer in words")
	require.Equal(t, []string{"aye", "nay WHY"}, inquiry.Choices(q))
	r, err := q.Read("/aye")
	require.NoError(t, err)
	res, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.Equal(t, "aye", res.Question.Resolution.Response.Reveal())

	silent := ask(t, b, inquiry.Question{Text: "agreed?", OnTimeout: inquiry.GoOn,
		Body: &vote.Vote{Motion: "tea"}})
	res, err = b.Resolve(t.Context(), silent.ID, inquiry.Reply{Type: inquiry.TypeTimeout})
	require.NoError(t, err)
	require.Equal(t, inquiry.TimedOut, res.Question.Status)
}
