package inquiry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/inquiry/inquirytest"
)

// What asks for the words of a secret, and what asks for something else.
var (
	forSecrets = []string{
		"What is the password?",
		"Please enter your PIN",
		"Which code did the Shop send you?",
		"the verification code, please",
		"I need the one-time code.",
		"Enter the code that was sent to +1 555",
		"OTP?",
		"What is your pin code",
		"Can you tell me the passcode?",
		"Please log in to your mail and tell me the verification code.",
		"The app wants a security code to log in. What is it?",
		"Please provide the password for the Wi-Fi network Home.",
		"Let me know the code once you receive it by SMS.",
		"Please enter the code shown on your phone.",
		"Tell me the 6-digit verification code when it arrives.",
		"Did you get the text message? Please send me the code.",
		"What password shall I use to sign in as ann?",
		"Reply with the CVV of the card.",
		"请输入密码",
		"短信验证码是多少？",
		"能告诉我验证码吗",
		"请把收到的验证码发给我",
		"请登录邮箱后把验证码告诉我。",
		"收到验证码后请告诉我",
		"登录密码是什么？",
		"需要短信验证码才能登录，请提供。",
		"请提供支付密码",
		"请输入手机上收到的验证码",
		"请告诉我 6 位动态码",
		"请问 Wi-Fi 密码是多少",
		"Need code",
		"The 4-digit code?",
		"We need the 2-step code to continue",
		"What code did you get?",
		"What's the pin?",
		"Please share the six digits from your authenticator app.",
		"What's the code from the text message?",
		"Please send me the 6-digit code.",
		"What PIN should I enter?",
		"I can't go on without the OTP. Could you give it to me?",
		"The bank has sent you a code; what does it say?",
		"Can you share your passcode?",
		"Code please",
		"Read me the numbers from the authenticator.",
		"The site asks for a second factor. Please tell me the code.",
		"What's the Wi-Fi passphrase?",
		"Could I have the password for ann@example.org?",
		"I am on the login page and need your password.",
		"Enter the 2FA code below:",
		"What is the CVC on the back of the card?",
		"请发一下验证码",
		"验证码？",
		"请问您收到的六位数字是多少？",
		"支付需要密码，请告诉我密码",
		"手机收到的短信码是什么",
		"麻烦提供一下登录口令",
		"Please give me the code that was sent to your mail.",
		"Which PIN does the SIM card have?",
		"I'm asked for a passcode, could you send it?",
		"What was the confirmation code?",
		"Your one-time password, please!",
		"Can I have the six digit number from the SMS?",
		"登录需要短信验证码，麻烦发我一下",
		"你的支付密码是？",
		"请告知验证码",
		"把收到的校验码发过来",
	}
	forOthers = []string{
		"Please log in with your password and tell me when you are done.",
		"Please enter the code on the phone, then say done.",
		"Enter your PIN on the device and let me know when it is unlocked.",
		"Please type the password yourself; I will wait.",
		"Tell me when you have entered the verification code.",
		"Reply 'done' once you have entered the password.",
		"Please unlock the phone with your PIN.",
		"Please take over and enter the one-time code manually.",
		"Sign in with the code from the SMS, then reply OK.",
		"Could you log in with your password and confirm?",
		"After you've entered the passcode, say ready and I continue.",
		"Have you entered the verification code?",
		"Which size do you wear?",
		"What is the postal code?",
		"Which promo code shall I use?",
		"Shall I pin the message?",
		"Shall I change the password?",
		"Is the verification code on this screen?",
		"Where is the pin on the map?",
		"请在手机上输入密码，完成后告诉我。",
		"请手动输入验证码，然后回复“好了”。",
		"请用密码登录，登录好了告诉我",
		"请自行输入支付密码，完成后回复继续",
		"输入验证码后告诉我",
		"请登录你的账号，输入密码后回复完成",
		"麻烦您解锁手机并输入锁屏密码，好了说一声",
		"验证码需要您本人在手机上输入，输完请回复 OK",
		"是否要修改密码？",
		"你输入验证码了吗？",
		"请问您要什么尺码？",
		"Which password manager shall I open?",
		"Which account should I use to log in with the password?",
		"The password field is empty. Do you want me to continue?",
		"Please type in your passcode to unlock the device.",
		"Which phone number should receive the verification code?",
		"您想修改哪个账号的密码？",
		"请选择登录方式：密码登录还是验证码登录？",
		"验证码短信发到哪个手机号？",
		"你要给哪个联系人发送验证码？",
		"需要验证码登录，请协助完成登录",
		"Which of the two passwords fields should I leave empty?",
		"Who should get the verification code?",
		"Where do you want me to save the password?",
		"Please approve the sign-in in your authenticator app.",
		"Would you like to log in by password or by code?",
		"The code expired. Should I request a new one?",
		"Please put your PIN into the phone, then reply ok.",
		"What is the discount code worth?",
		"Shall I enter the password that is saved?",
		"When does the verification code expire?",
		"How many digits does the PIN have?",
		"Please draw the unlock pattern on the screen and say continue.",
		"What's your zip code?",
		"请在手机上完成验证码验证，好了跟我说",
		"验证码已过期，要重新获取吗？",
		"密码错误，是否重试？",
		"您想用哪种方式接收验证码？",
		"请您亲自在手机上输入支付密码",
		"请问您的邮政编码是多少？",
		"要把密码保存到哪个密码管理器？",
		"Do I need a password for this?",
		"Which bank sent the code?",
		"Please enter your password in the browser and tell me once you're in.",
		"How should I receive the code, by SMS or mail?",
		"Please confirm the payment with your fingerprint or PIN on the phone.",
		"The verification code was not accepted. Shall I try again?",
		"请在弹窗中输入验证码后继续",
		"忘记密码了，要重置吗？",
		"验证码发送失败，怎么办？",
		"请打开验证器应用并批准登录",
		"Please go to the phone and type your PIN there.",
		"Tell me once the code has been typed.",
		"Why was the password refused?",
		"密码已经改好了，还需要做什么？",
		"请确认已输入验证码",
		"Which card's PIN page is this?",
		"是用指纹还是密码支付？",
	}
)

func TestAQuestionForAPasswordOrACodeIsKnownByItsWords(t *testing.T) {
	require.Len(t, forSecrets, 66)
	require.Len(t, forOthers, 77)
	for _, text := range forSecrets {
		require.True(t, inquiry.Question{Text: text}.AsksForSecret(), text)
	}
	for _, text := range forOthers {
		require.False(t, inquiry.Question{Text: text}.AsksForSecret(), text)
	}
	for _, text := range []string{"Do you want me to save the password?", "Which country code?",
		"Shall I use the promo code?", ""} {
		require.False(t, inquiry.Question{Text: text}.AsksForSecret(), text)
	}
	require.False(t, inquiry.Question{Text: "password or code?",
		DefaultAnswer: "code"}.AsksForSecret())
	require.False(t, inquiry.Question{Text: "password or code?",
		Options: []string{"password", "code"}}.AsksForSecret(), "what is chosen is no secret")
}

func TestAnAnswerThatOnlyAcknowledgesIsNoSecret(t *testing.T) {
	for _, words := range []string{"done", "Done.", "ok", "OK, done!", "yes", "I'm logged in now",
		"I have entered it", "all done 👍", "ready", "it's unlocked", "continue", "no", "not yet",
		"好", "好了", "好的，已登录", "完成", "已完成。", "登录好了", "我已经输入了", "搞定了", "继续",
		"输入完成", "可以了", " done\n", "✅", "👍", "👍🏽", "OK了", "all good", "it worked", "Done - go ahead",
		"finished entering it", "已完成验证", "拿到了", "I entered the code", "验证码已输入"} {
		b := inquiry.NewBroker(&inquirytest.Memory{}, nil)
		q, err := b.Open(t.Context(), inquiry.Question{Text: "the code?", Secret: true})
		require.NoError(t, err)
		got, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{ID: "r", Response: words})
		require.NoError(t, err)
		require.False(t, got.Question.Secret, words)
		require.Equal(t, strings.TrimSpace(words), got.Question.Resolution.Response.String())
		again, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{ID: "r", Response: words})
		require.NoError(t, err)
		require.True(t, again.Replayed)
	}
	for _, words := range []string{"482913", "done123", "okay-7", "hunter2", "Done!1",
		"the code is done", "entered the 482913", "ok 482913", "好的，482913",
		"in 5", "好密码", "芝麻开门", "correct horse", "4", " ", "y3s", "登录码 55", "doneish"} {
		b := inquiry.NewBroker(&inquirytest.Memory{}, nil)
		q, err := b.Open(t.Context(), inquiry.Question{Text: "the code?", Secret: true})
		require.NoError(t, err)
		got, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: words})
		if strings.TrimSpace(words) == "" {
			continue // refused or kept, as an answer to any question
		}
		require.NoError(t, err, words)
		require.True(t, got.Question.Secret, words)
		require.Equal(t, inquiry.Masked, got.Question.Resolution.Response.String())
	}
}

func TestACodeInAnswerToAnActIsASecret(t *testing.T) {
	act := "Please enter the verification code on the phone, then say done."
	for name, tt := range map[string]struct {
		q      inquiry.Question
		answer string
		secret bool
	}{
		"code":      {inquiry.Question{Text: act}, "739155", true},
		"letters":   {inquiry.Question{Text: act}, "a7B9", true},
		"in halves": {inquiry.Question{Text: act}, "739 155", true},
		"zh":        {inquiry.Question{Text: "请在手机上输入验证码，完成后告诉我"}, "739155", true},
		"done":      {inquiry.Question{Text: act}, "done", false},
		"words":     {inquiry.Question{Text: act}, "it has not come", false},
		"short":     {inquiry.Question{Text: act}, "739", false},
		"long":      {inquiry.Question{Text: act}, "739155739", false},
		"public":    {inquiry.Question{Text: act, Public: true}, "739155", false},
		"postal":    {inquiry.Question{Text: "What is the postal code?"}, "10115", false},
		"no code":   {inquiry.Question{Text: "How many steps?"}, "10115", false},
		"an option": {inquiry.Question{Text: act, Options: []string{"1234"}}, "1234", false},
	} {
		require.False(t, tt.q.AsksForSecret(), name)
		b := inquiry.NewBroker(&inquirytest.Memory{}, nil)
		q, err := b.Open(t.Context(), tt.q)
		require.NoError(t, err)
		reply := inquiry.Reply{ID: "r", Response: tt.answer}
		got, err := b.Resolve(t.Context(), q.ID, reply)
		require.NoError(t, err)
		require.Equal(t, tt.secret, got.Question.Secret, name)
		require.Equal(t, tt.secret, got.Question.Resolution.Response.IsSecret(), name)
		again, err := b.Resolve(t.Context(), q.ID, reply)
		require.NoError(t, err)
		require.True(t, again.Replayed, name)
	}
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
