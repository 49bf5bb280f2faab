package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/inquiry"
)

func TestAQuestionForAPasswordOrACodeIsKnownByItsWords(t *testing.T) {
	for _, text := range []string{
		"What is the password?", "Please enter your PIN", "Which code did the Shop send you?", "the verification code, please",
		"I need the one-time code.", "Enter the code that was sent to +1 555", "OTP?", "What is your pin code", "Can you tell me the passcode?",
		"请输入密码", "短信验证码是多少？", "能告诉我验证码吗",
	} {
		require.True(t, inquiry.AsksForSecret(text, nil), text)
	}
	for _, text := range []string{
		"Which size do you wear?", "What is the postal code?", "Which promo code shall I use?", "Shall I pin the message?",
		"Shall I change the password?", "Do you want me to save the password?", "Is the verification code on this screen?", "是否要修改密码？",
		"Which country code?", "", "Where is the pin on the map?",
	} {
		require.False(t, inquiry.AsksForSecret(text, nil), text)
	}
	require.False(t, inquiry.AsksForSecret("How do you want to log in?", []string{"password", "code"}))
	require.False(t, inquiry.AsksForSecret("password or code?", []string{"password", "code"}), "what is chosen is no secret")
}
