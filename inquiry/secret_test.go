package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/inquiry/inquirytest"
)

func TestAQuestionForAPasswordOrACodeIsKnownByItsWords(t *testing.T) {
	for _, text := range []string{
		"What is the password?", "Please enter your PIN", "Which code did the Shop send you?",
		"the verification code, please",
		"I need the one-time code.", "Enter the code that was sent to +1 555", "OTP?",
		"What is your pin code", "Can you tell me the passcode?",
		"请输入密码", "短信验证码是多少？", "能告诉我验证码吗",
	} {
		require.True(t, isSecret(t, inquiry.Question{Text: text}), text)
	}
	for _, text := range []string{
		"Which size do you wear?", "What is the postal code?", "Which promo code shall I use?",
		"Shall I pin the message?",
		"Shall I change the password?", "Do you want me to save the password?",
		"Is the verification code on this screen?", "是否要修改密码？",
		"Which country code?", "Where is the pin on the map?",
	} {
		require.False(t, isSecret(t, inquiry.Question{Text: text}), text)
	}
	require.False(t, isSecret(t, inquiry.Question{Text: "password or code?",
		DefaultAnswer: "code"}))
	require.False(t, isSecret(t, inquiry.Question{Text: "password or code?",
		Options: []string{"password", "code"}}), "what is chosen is no secret")
}

// isSecret reports whether a broker takes the question for a secret one.
func isSecret(t *testing.T, q inquiry.Question) bool {
	t.Helper()
	q, err := inquiry.NewBroker(&inquirytest.Memory{}, nil).Open(t.Context(), q)
	require.NoError(t, err)
	return q.Secret
}

func TestAnErasedSecretIsStillToldFromAnother(t *testing.T) {
	store := &inquirytest.Memory{}
	b := inquiry.NewBroker(store, nil)
	q, err := b.Open(t.Context(), inquiry.Question{Text: "the code?", Secret: true})
	require.NoError(t, err)
	_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{ID: "r", Response: "4711"})
	require.NoError(t, err)
	_, err = b.Apply(t.Context(), q.ID, q.Fence)
	require.NoError(t, err)

	again, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{ID: "r", Response: "4711"})
	require.NoError(t, err)
	require.True(t, again.Replayed)
	_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{ID: "r", Response: "4712"})
	require.ErrorIs(t, err, inquiry.ErrReplyIDReused)

	// Another process knows nothing of it: there the id decides.
	again, err = inquiry.NewBroker(store, nil).Resolve(t.Context(), q.ID,
		inquiry.Reply{ID: "r", Response: "4712"})
	require.NoError(t, err)
	require.True(t, again.Replayed)
}
