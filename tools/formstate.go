package tools

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/json"

	"github.com/taploop/taploop/inquiry"
)

// formState says which question a form is about. It comes back through the client with a mark, so that an answer counts as the
// user's own only when a form was really asked for. Whatever it names is checked for belonging to the caller all the same.
type formState struct {
	Session  string `json:"session_id"`
	Question string `json:"question_id"`
	Shown    int    `json:"shown"` // how often
}

// formPurpose is what the mark is for, see session.Store.Sign.
const formPurpose = "the state of a form"

// sealed is the state as a client keeps it: the mark, then the state.
func (t *Tools) sealed(q inquiry.Question, shown int) string {
	text := quote(formState{q.SessionID, q.ID, shown})
	return base64.RawURLEncoding.EncodeToString(append(t.opts.Store.Sign(formPurpose, text), text...))
}

// unsealed is the state in what a client brings.
func (t *Tools) unsealed(text string) (state formState, err error) {
	const size = 32 // of a mark
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) < size || !hmac.Equal(raw[:size], t.opts.Store.Sign(formPurpose, string(raw[size:]))) ||
		json.Unmarshal(raw[size:], &state) != nil || state.Question == "" {
		return formState{}, invalid("send requestState back exactly as it was given, or call without requestState and inputResponses; answer_question passes on what your user said in chat",
			"the requestState is none of this server's")
	}
	return state, nil
}
