package inquiry_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/inquiry/secret"
	"github.com/taploop/taploop/internal/words"
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
		"What's the Wi-Fi passphrase?", "Give me the one time pass",
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
		"登录需要您的账户密码，可以告诉我吗？",
		"银行卡的取款密码是几位数字？请直接发给我",
		"我需要验证码才能继续，您能发一下吗？",
		"需要密码才能登录，您能提供吗？",
		"您记得这个账号的密码吗？如果记得请发给我",
		"Is there a password for this Wi-Fi? If so, please type it here.",
		"Where did you save the password? Please paste it here.",
		"The page wants the password; how is it spelled?",
		"Should I use a password? If yes, which one?",
		"To go on I need the SMS code. Would you mind forwarding it?",
		"The app is asking who I am and wants a password. Can you help me out with it?",
		"Do you remember the passcode of this tablet? I'd need it now.",
		"There's a login wall. Username is ann, but the password is missing. What should I type?",
		"A code just went to your phone. Write it back to me.",
		"Is the PIN still 4 digits? If it is, give me those digits.",
		"How many characters has the password, and what are they?",
		"Where is the OTP? I need you to paste it into this chat.",
		"The wallet is locked by a passphrase, please dictate it word by word.",
		"Has the verification code arrived yet? Send it over as soon as it does.",
		"Who knows the Wi-Fi password? Ask them and tell me.",
		"I'm stuck at the CVV, mind sharing?",
		"Should I try your usual password? If so, reply with it.",
		"When the code comes, drop it here please.",
		"Unlocking needs your PIN. Please respond with the four numbers.",
		"系统让我输验证码，我没有，您手机上应该收到了，麻烦转发给我",
		"这个Wi-Fi有密码吗？有的话请写在这里",
		"请问支付密码您还记得吗？记得的话说一下",
		"我卡在登录页面了，密码多少？",
		"要不要用密码登录？要的话密码给我",
		"验证码发到您哪个手机了？请把它报给我",
		"需要您的取款密码，方便提供吗",
		"密码是您的生日还是手机号？具体是什么请告诉我",
		"短信验证码有效期只有一分钟，请尽快发来",
		"您什么时候能收到验证码？收到了请念给我听",
		"安全码在卡背面，请看一下然后告知三位数字",
		"请回复您的登录密码，我来帮您登录",
		"怎么才能拿到动态码？拿到后请贴到对话里",
		"页面要口令，可否透露一下？",
		"我应该填哪个密码？",
		"Could you look at your messages and pass on the code?",
		"Does the door have a PIN? I have to know it to go on.",
		"The Netflix profile is PIN-protected. Kindly provide.",
		"How do I get past the password prompt? Do you have it at hand?",
		"App asks: enter password.",
		"Let me have the code, then I'll finish.",
		"Which password is right, the old or the new one?",
		"I need you to tell me what the passcode is.",
		"您的银行发来的验证码，能不能给一下？",
		"请问这台平板的锁屏密码是哪几位",
		"密码忘了怎么办？您那边有记录吗，有就发来",
		"登录密码我不知道，您告诉我就行",
		"能否把OTP码截图文字发给我？",
		"验证码收到没有？收到就回复数字",
		"请输入您的6位支付密码以完成付款",
		"账号和密码分别是什么？",
		"是要输入旧密码吗？旧密码是多少",
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
		"麻烦您在弹出的键盘上输入6位支付密码",
		"The app needs your verification code. I cannot see it, please enter it and press Next.",
		"The bank's app wants a PIN. I'm stopping here so you can pay.",
		"I'm on the payment screen. Please enter your PIN with the phone's keypad; I'll wait.",
		"Please take the phone, type in the SMS code, and hand it back.",
		"The app wants a password. Please sign in yourself and reply \"continue\".",
		"The lock screen needs a passcode; unlock it and I'll carry on.",
		"Do you want me to turn on the two-step verification code?",
		"How often should the app ask for the PIN?",
		"Did the code expire?",
		"Should the password be remembered on this device?",
		"Please finish the login (code and captcha) on your device, then say go.",
		"May I reset the password by e-mail?",
		"Who set the PIN on this phone?",
		"Would you rather use a fingerprint than a password?",
		"Your bank asks for an OTP. Please complete this step on the phone so that I can go on.",
		"Let me know whether the verification code was accepted.",
		"需要支付密码，请您拿起手机自己输入，付完告诉我",
		"页面弹出了验证码，请您手动完成，完成后我继续",
		"请在键盘上输入密码后点击确定，然后回复继续",
		"要不要我帮您把密码保存下来？",
		"验证码一直没来，要换成邮箱接收吗？",
		"是否需要为这个文件夹设置密码？",
		"您希望用密码还是人脸解锁？",
		"密码已过期，什么时候修改比较方便？",
		"谁可以看到这个房间的密码？",
		"请用您的指纹或密码在手机上确认支付，好了叫我",
		"您要给哪张卡设置取款密码？",
		"为什么这个页面需要验证码？",
		"请协助在设备上输入动态码",
		"登录需要短信验证码，请您直接在手机上填写，填好了说一声",
		"密码输入错误三次，还要再试吗？",
		"Could you put in the PIN on the handset and ping me afterwards?",
		"Would you like me to request the code again?",
		"Which app should generate the code?",
		"Please handle the password prompt on your screen.",
		"Are you sure you want to delete the saved password?",
		"I've opened the PIN pad; please pay and say done.",
		"Have a look at the phone: it wants your code. Reply ok when through.",
		"Is it fine if I skip the password?",
		"Should the code go to ann@example.org or bob@example.org?",
		"Please do the verification code step by hand.",
		"验证码输好以后跟我说一声",
		"手机上要输密码，您来操作吧，弄好回复我",
		"要不要跳过设置密码？",
		"密码找回方式选邮箱还是手机？",
		"请本人在屏幕上画出解锁图案或输入密码",
		"可以关闭锁屏密码吗？",
		"这个密码框需要您亲自填",
		"验证码次数用完了，明天再试可以吗？",
		"密码已重置，下一步做什么？",
	}
)

// inDoubt name a secret at their end and ask for something else: taken for secrets.
var inDoubt = []string{
	"Which of your cards should I take? One needs a PIN.",
	"您介意我退出登录吗？之后需要验证码才能再登",
}

func TestAQuestionForAPasswordOrACodeIsKnownByItsWords(t *testing.T) {
	require.Len(t, forSecrets, 123)
	require.Len(t, forOthers, 128)
	for _, text := range slices.Concat(forSecrets, inDoubt) {
		assert.True(t, inquiry.Question{Text: text}.AsksForSecret(), text)
	}
	for _, text := range forOthers {
		assert.False(t, inquiry.Question{Text: text}.AsksForSecret(), text)
	}
	for _, text := range []string{"Do you want me to save the password?", "Which country code?",
		"Shall I use the promo code?", ""} {
		assert.False(t, inquiry.Question{Text: text}.AsksForSecret(), text)
	}
	require.False(t, inquiry.Question{Text: "password or code?",
		DefaultAnswer: "code"}.AsksForSecret())
	require.False(t, inquiry.Question{Text: "password or code?",
		Body: &inquiry.Ask{Options: []string{"password", "code"}}}.AsksForSecret(),
		"what is chosen is no secret")
}

// Each table was written before the rules were looked at, and the rules made fit for it after that.
func TestWhatAQuestionWantsIsKnownByItsWords(t *testing.T) {
	table, err := os.ReadFile("testdata/questions.tsv")
	require.NoError(t, err)
	seen := map[string]int{}
	for line := range strings.Lines(string(table)) {
		kind, words, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		q := inquiry.Question{Text: words}
		if seen[kind]++; kind == "secret" || kind == "act" || kind == "plain" {
			assert.Equal(t, kind == "secret", q.AsksForSecret(), line)
			assert.Equal(t, kind == "act", q.AsksForAct(), line)
		}
	}
	require.Equal(t, []int{109, 51, 61}, []int{seen["secret"], seen["act"], seen["plain"]})
}

func TestAnAnswerThatOnlyAcknowledgesIsNoSecret(t *testing.T) {
	for _, words := range []string{"done", "Done.", "ok", "OK, done!", "yes", "I'm logged in now",
		"I have entered it", "all done 👍", "ready", "it's unlocked", "continue", "no", "not yet",
		"好", "好了", "好的，已登录", "完成", "已完成。", "登录好了", "我已经输入了", "搞定了", "继续",
		"输入完成", "可以了", " done\n", "✅", "👍", "👍🏽", "OK了", "all good", "it worked", "Done - go ahead",
		"finished entering it", "已完成验证", "拿到了", "I entered the code", "验证码已输入",
		"我已经输好密码了", "输完了", "已经在手机上输入了", "You can continue now", "I did it on the phone",
		"密码输好了", "在手机上弄好了", "you can go on", "done on the device"} {
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
		"code":       {inquiry.Question{Text: act}, "739155", true},
		"letters":    {inquiry.Question{Text: act}, "a7B9", true},
		"full width": {inquiry.Question{Text: act}, "７３９１５５", true},
		"spelled":    {inquiry.Question{Text: act}, "7 3 9 1 5 5", true},
		"umlaut":     {inquiry.Question{Text: act}, "schlüssel9", true},
		"card":       {inquiry.Question{Text: act}, "4111 1111 1111 1111", true},
		"no card":    {inquiry.Question{Text: act}, "4111 1111 1111 1112", false},
		"cvv": {inquiry.Question{Text: "Please enter the CVV on the phone, then say done."}, "739",
			true},
		"phrase": {inquiry.Question{Text: "Please enter the recovery phrase " +
			"on the phone yourself."},
			"army van defense carry jealous true garbage claim echo media make crunch", true},
		"a report": {inquiry.Question{Text: "Please enter the recovery phrase " +
			"on the phone yourself."},
			"I could not find it anywhere", false},
		"a sentence": {inquiry.Question{Text: "请在手机上输入验证码，完成后告诉我"}, "我10点已经输入好了", false},
		"in halves":  {inquiry.Question{Text: act}, "739 155", true},
		"zh":         {inquiry.Question{Text: "请在手机上输入验证码，完成后告诉我"}, "739155", true},
		"done":       {inquiry.Question{Text: act}, "done", false},
		"words":      {inquiry.Question{Text: act}, "it has not come", false},
		"short":      {inquiry.Question{Text: act}, "739", false},
		"a phone's":  {inquiry.Question{Text: act}, "13800138000", false},
		"password":   {inquiry.Question{Text: act}, "Tr0ub4dor&3-long", true},
		"mail":       {inquiry.Question{Text: act}, "ann7@example.org", false},
		"address":    {inquiry.Question{Text: act}, "https://example.org/1", false},
		"public":     {inquiry.Question{Text: act, Public: true}, "739155", false},
		"postal":     {inquiry.Question{Text: "What is the postal code?"}, "10115", false},
		"no code":    {inquiry.Question{Text: "How many steps?"}, "10115", false},
		"an option": {inquiry.Question{Text: act, Body: &inquiry.Ask{Options: []string{"1234"}}},
			"1234", false},
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

// What asks for a secret does so in every language that the guard names.
func TestASecretIsAskedForInManyLanguages(t *testing.T) {
	for _, text := range []string{"Wie lautet dein Passwort?", "Bitte nenne mir den SMS-Code",
		"¿Cuál es tu contraseña?", "Dime el código de verificación", "Quel est ton mot de passe ?",
		"Qual è il codice di verifica?", "Qual é a sua senha?", "Wat is je wachtwoord?",
		"Podaj hasło", "Jaki jest kod z SMS?", "Vad är ditt lösenord?", "Şifreniz nedir?",
		"Apa kata sandi Anda?", "Mật khẩu của bạn là gì?", "Какой пароль?", "Введите код из СМС",
		"パスワードは何ですか?", "認証コードを教えてください", "비밀번호가 무엇인가요?", "인증번호를 알려 주세요",
		"ما هي كلمة المرور؟", "आपका पासवर्ड क्या है?", "รหัสผ่านคืออะไร",
		"Wie ist die sechsstellige Nummer aus der SMS?", "Apa kata sandinya?",
		"Donnez-moi le code PIN de la carte", "Dime el PIN de la tarjeta", "Скажи ПИН-код карты",
		"カードの暗証番号は?", "카드 PIN 번호가 뭐예요?", "SMS ile gelen kodu yazar mısın?"} {
		require.True(t, inquiry.Question{Text: text}.AsksForSecret(), text)
	}
	for _, text := range []string{"Wie groß?", "¿Cuál es tu código postal?", "Quelle taille ?",
		"Какой почтовый индекс?", "Welcher Rabattcode?", "Jaki rozmiar?", "どのサイズ?", "어떤 색?",
		"Posta kodu nedir?", "İndirim kodu var mı?", "Qual è il codice postale?"} {
		require.False(t, inquiry.Question{Text: text}.AsksForSecret(), text)
	}
}

// secretly has, by language, questions for a password, for a PIN and for a code.
var secretly = map[string][]string{
	"en": {"What is your password?", "Please enter the PIN", "Which code did you get?"},
	"de": {"Wie lautet Ihr Passwort?", "Wie ist die Geheimzahl?", "Welcher Code kam per SMS?"},
	"fr": {"Quel est votre mot de passe ?", "Quel est le code PIN ?", "Quel est le code reçu ?"},
	"es": {"¿Cuál es su contraseña?", "Introduzca el PIN", "¿Qué código recibió?"},
	"pt": {"Qual é a sua senha?", "Qual é o PIN?", "Que código chegou?"},
	"it": {"Qual è la tua password?", "Inserisci il PIN", "Qual è il codice ricevuto?"},
	"nl": {"Wat is je wachtwoord?", "Wat is je pincode?", "Voer de code uit de sms in"},
	"sv": {"Vad är ditt lösenord?", "Ange pinkoden", "Ange koden du fick"},
	"da": {"Hvad er din adgangskode?", "Hvad er pinkoden?", "Hvilken kode fik du på SMS?"},
	"no": {"Hva er passordet?", "Skriv inn PIN-koden", "Hva er koden du fikk?"},
	"fi": {"Mikä on salasanasi?", "Anna PIN-koodi", "Minkä koodin sait tekstiviestillä?"},
	"cs": {"Jaké je vaše heslo?", "Zadejte PIN", "Jaký kód vám přišel v SMS?",
		"S jakým heslem?"},
	"sk":  {"Aké je heslo?", "Zadajte PIN kód", "Aký kód prišiel?"},
	"pl":  {"Jakie jest hasło?", "Podaj PIN", "Podaj kod z SMS"},
	"hu":  {"Mi a jelszava?", "Adja meg a PIN-kódot", "Mi a kód?", "Adja meg a jelszót"},
	"ro":  {"Care este parola?", "Introduceți codul PIN", "Care este codul primit?"},
	"hr":  {"Koja je lozinka?", "Unesite lozinku", "Unesite kod iz SMS-a"},
	"bg":  {"Каква е паролата?", "Въведете ПИН кода", "Кой е кодът?"},
	"ru":  {"Какой у вас пароль?", "Введите ПИН-код", "Введите код из СМС"},
	"uk":  {"Який ваш пароль?", "Введіть ПІН-код", "Введіть код з SMS"},
	"el":  {"Ποιος είναι ο κωδικός;", "Δώστε το PIN", "Εισάγετε τον κωδικό πρόσβασης"},
	"tr":  {"Şifreniz nedir?", "Parolanız nedir?", "SMS ile gelen kodu girin"},
	"id":  {"Apa kata sandi Anda?", "Berapa PIN Anda?", "Masukkan kode OTP"},
	"vi":  {"Mật khẩu của bạn là gì?", "Mã PIN là gì?", "Nhập mã OTP"},
	"ar":  {"ما هي كلمة المرور؟", "ما هو الرقم السري؟", "رمز التحقق؟"},
	"fa":  {"رمز عبور شما چیست؟", "گذرواژه چیست؟", "کد تأیید چیست؟"},
	"he":  {"מה הסיסמה שלך?", "הזן סיסמה", "מה קוד האימות?"},
	"hi":  {"आपका पासवर्ड क्या है?", "पिन क्या है?", "ओटीपी क्या है?"},
	"bn":  {"পাসওয়ার্ড কী?", "পিন কী?", "কোডটি কী?"},
	"th":  {"รหัสผ่านคืออะไร", "กรอกรหัส PIN", "กรอกรหัส OTP"},
	"ja":  {"パスワードは何ですか?", "暗証番号は?", "認証コードを入力してください"},
	"ko":  {"비밀번호가 무엇인가요?", "핀 번호를 알려주세요", "인증번호를 알려주세요"},
	"zh":  {"请输入密码", "请输入PIN", "验证码是多少?"},
	"fil": {"Ano ang password mo?", "Ano ang PIN?", "Ano ang code?"},
}

func TestEveryLanguageOfTheGuardAsksForSecrets(t *testing.T) {
	verbs, err := os.ReadFile("../guard/verbs.txt")
	require.NoError(t, err)
	languages := words.Sections(string(verbs))
	require.Greater(t, len(languages), 30)
	for language := range languages {
		require.NotEmpty(t, secretly[language], language)
		for _, text := range secretly[language] {
			assert.True(t, inquiry.Question{Text: text}.AsksForSecret(), text)
			assert.True(t, secret.Is(text, "hunter2-tajne"), text)
		}
	}
	for _, text := range []string{"Which post code?", "Jaký je kód produktu?", "Aký je slevový kód?",
		"Welche Farbe?", "Hvilken landekode?", "Mi a kedvezmény kódja?", "Mikä on tuotekoodi?",
		"Care este codul poștal?", "Который код товара?", "Ποιος είναι ο ταχυδρομικός κώδικας;",
		"รหัสไปรษณีย์อะไร", "מה קוד המוצר?", "পণ্য কোড কী?", "Jaké je PSČ?", "Koji je kod proizvoda?",
		"要多大的尺码?", "Vilken rabattkod?", "Ποιος είναι ο κωδικός προϊόντος;"} {
		assert.False(t, inquiry.Question{Text: text}.AsksForSecret(), text)
	}
}
