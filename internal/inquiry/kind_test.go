package inquiry_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// vote is the body of a kind that only this test has.
type vote struct {
	inquiry.Words
	Motion string `json:"motion"`
}

const kindVote inquiry.Kind = "vote"

var _ = inquiry.Register(kindVote, func([]byte) inquiry.Body { return new(vote) })

func (v *vote) Kind() inquiry.Kind                              { return kindVote }
func (v *vote) Clone() inquiry.Body                             { return new(*v) }
func (v *vote) Prefill(string) inquiry.Body                     { return v }
func (v *vote) Check(*inquiry.Question, *inquiry.Options) error { return nil }
func (v *vote) Sort() string                                    { return "a vote" }
func (v *vote) Offers() []inquiry.Offer {
	return []inquiry.Offer{{Name: "aye", Main: true}}
}
func (v *vote) Say(q *inquiry.Question, said ...inquiry.Said) (inquiry.Reply, error) {
	if len(said) == 1 && said[0].Name == "aye" {
		return inquiry.Reply{Type: inquiry.TypeAnswer, Response: "aye"}, nil
	}
	return v.Words.Say(q, said...)
}

func TestAKindNeedsNothingButItsFile(t *testing.T) {
	b := judge(inquiry.Options{})
	q := ask(t, b, inquiry.Question{Text: "agreed?", OnTimeout: inquiry.GoOn,
		Body: &vote{Motion: "tea"}})
	require.Equal(t, kindVote, q.Kind)
	require.Equal(t, "--decision aye", q.Kind.Flag())

	raw, err := json.Marshal(q)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"motion":"tea"`)
	var read inquiry.Question
	require.NoError(t, json.Unmarshal(raw, &read))
	require.Equal(t, q.Body, read.Body)

	_, err = q.Read("/approve")
	require.ErrorContains(t, err, "another kind of question")
	r, err := q.Read("/aye")
	require.NoError(t, err)
	res, err := b.Resolve(t.Context(), q.ID, r)
	require.NoError(t, err)
	require.Equal(t, "aye", res.Question.Resolution.Response.Reveal())

	silent := ask(t, b, inquiry.Question{Text: "agreed?", OnTimeout: inquiry.GoOn, Body: &vote{}})
	res, err = b.Resolve(t.Context(), silent.ID, inquiry.Reply{Type: inquiry.TypeTimeout})
	require.NoError(t, err)
	require.Equal(t, inquiry.TimedOut, res.Question.Status)
}
