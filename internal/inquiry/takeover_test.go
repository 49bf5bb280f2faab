package inquiry_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

// What asks for an act on the phone, with and without the name of a secret.
var forActs = []string{
	"Please log in on the phone and tell me when you are done.",
	"Please log in with your password and tell me when you are done.",
	"Please enter the code on the phone, then say done.",
	"Enter your PIN on the device and let me know when it is unlocked.",
	"Please type the password yourself; I will wait.",
	"Tell me when you have entered the verification code.",
	"Reply 'done' once you have entered the password.",
	"Please unlock the phone with your PIN.",
	"Please take over and enter the one-time code manually.",
	"Sign in with the code from the SMS, then reply OK.",
	"Please solve the captcha.",
	"Please complete the captcha and let me know.",
	"The app wants a fingerprint. Please place your finger on the sensor, then say continue.",
	"Please confirm the payment with your fingerprint or PIN on the phone.",
	"Please scan the QR code with the other phone, then reply ok.",
	"请在手机上登录,完成后告诉我。",
	"请在手机上输入密码，完成后告诉我。",
	"请手动输入验证码，然后回复“好了”。",
	"请用密码登录，登录好了告诉我",
	"请自行输入支付密码，完成后回复继续",
	"输入验证码后告诉我",
	"请登录你的账号，输入密码后回复完成",
	"麻烦您解锁手机并输入锁屏密码，好了说一声",
	"验证码需要您本人在手机上输入，输完请回复 OK",
	"请完成滑块验证",
	"请您亲自在手机上输入支付密码",
	"请在弹窗中输入验证码后继续",
	"请扫码登录",
	"需要人工验证,请协助通过验证",
	"请刷脸完成登录",
	"I can't solve this CAPTCHA. Could you do it and reply when finished?",
	"The bank wants Face ID. Please look at the phone, then answer ok.",
	"Could you please drag the puzzle piece into place? Tell me when it is done.",
	"Please insert the SIM card and tell me when ready.",
	"请您在手机上指纹验证一下,好了告诉我",
	"请点击手机上的授权按钮并完成人脸验证,完成后回复OK",
	"麻烦把手机放到NFC卡上刷一下,刷好告诉我",
	"支付密码请您自己在手机上输,输好了叫我",
	"Type the password directly on the phone, not here. Say done afterwards.",
	"A two-factor prompt is open on the other phone; please approve it on that phone and say ok.",
}

// What asks for words, and only looks like an act.
var forWords = []string{
	"Which size do you wear?",
	"What is the postal code?",
	"Shall I confirm the order?",
	"Please confirm the address: 12 Main Street?",
	"Please verify that the total of 30 euros is right.",
	"Tell me when the meeting is.",
	"Which account should I log in with?",
	"Where should I scan for it?",
	"Do you want to do it yourself?",
	"Please tell me more about the gift.",
	"Let me know if 7:30 is fine.",
	"Please choose a colour and tell me.",
	"Would you like to log in or go on as a guest?",
	"请问您要什么尺码？",
	"是否登录？",
	"要用哪个账号登录？",
	"请确认收货地址是否正确",
	"请告诉我会议时间",
	"Shall I use the fingerprint or the PIN?",
	"Let me know if you prefer Face ID.",
	"Which SIM card should I use?",
	"Once the captcha is solved, which article shall I order?",
	"登录用指纹还是密码?",
	"是否开启指纹登录?设置好后告诉我",
}

func TestWhatAsksForAnActAsksForNoSecret(t *testing.T) {
	for _, text := range forActs {
		q := inquiry.Question{Text: text}
		assert.True(t, q.AsksForAct(), text)
		assert.False(t, q.AsksForSecret(), text)
	}
	for _, text := range slices.Concat(forWords, forSecrets) {
		assert.False(t, inquiry.Question{Text: text}.AsksForAct(), text)
	}
	choice := inquiry.Question{Text: "Please unlock the phone.",
		Body: &inquiry.Ask{Options: []string{"ok", "no"}}}
	require.False(t, choice.AsksForAct())
}

func TestATakeoverIsHandedBack(t *testing.T) {
	for _, c := range []struct {
		reply    inquiry.Reply
		want     inquiry.Type
		response string
		secret   bool
	}{
		{reply: inquiry.Reply{Type: inquiry.TypeDone}, want: inquiry.TypeDone},
		{reply: inquiry.Reply{Type: inquiry.TypeDone, Response: "in "}, want: inquiry.TypeDone,
			response: "in"},
		{reply: inquiry.Reply{Type: inquiry.TypeCouldNot, Response: "no \x07code\u202e came"},
			want: inquiry.TypeCouldNot, response: "no code came"},
		{reply: inquiry.Reply{Response: "done"}, want: inquiry.TypeDone, response: "done"},
		{reply: inquiry.Reply{Response: "It's done!"}, want: inquiry.TypeDone,
			response: "It's done!"},
		{reply: inquiry.Reply{Response: "好了 👍"}, want: inquiry.TypeDone, response: "好了 👍"},
		{reply: inquiry.Reply{Response: "not yet"}, want: inquiry.TypeAnswer, response: "not yet"},
		{reply: inquiry.Reply{Response: "482913"}, want: inquiry.TypeAnswer, response: "482913",
			secret: true},
		{reply: inquiry.Reply{Type: inquiry.TypeDone, Response: "482913"}, want: inquiry.TypeDone,
			response: "[secret]"},
		{reply: inquiry.Reply{Type: inquiry.TypeCouldNot, Response: "it took 482 913, not 7123."},
			want: inquiry.TypeCouldNot, response: "it took [secret], not [secret]."},
		{reply: inquiry.Reply{Response: "482913 does not work"}, want: inquiry.TypeAnswer,
			response: "[secret] does not work"},
	} {
		b := inquiry.NewBroker(new(inquirytest.Memory), nil)
		q, err := b.Open(t.Context(), inquiry.Question{Kind: inquiry.KindTakeover,
			Text: "Please enter the code on the phone, then say done."})
		require.NoError(t, err)
		c.reply.ID = "1"
		for _, again := range []bool{false, true} {
			res, err := b.Resolve(t.Context(), q.ID, c.reply)
			require.NoError(t, err, c.reply.Response)
			require.Equal(t, again, res.Replayed)
			require.Equal(t, inquiry.Answered, res.Question.Status)
			require.Equal(t, c.want, res.Question.Resolution.Type, c.reply.Response)
			require.Equal(t, c.response, res.Question.Resolution.Response.Reveal())
			require.Equal(t, c.secret, res.Question.Secret)
		}
	}
}

func TestOnlyATakeoverIsHandedBack(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), nil)
	q, err := b.Open(t.Context(), inquiry.Question{Text: "Which size?"})
	require.NoError(t, err)
	for _, typ := range []inquiry.Type{inquiry.TypeDone, inquiry.TypeCouldNot, inquiry.TypeExpire} {
		_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: typ})
		var unfit *inquiry.InvalidReplyError
		require.ErrorAs(t, err, &unfit)
	}
	now, err := b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.True(t, now.Open())
}
