package consent_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry/consent"
)

func TestTheHeadlineIsWhatWouldHappen(t *testing.T) {
	for _, c := range []struct {
		act    consent.Act
		lang   string
		want   string
		reason string
	}{
		{consent.Act{Verb: "CLICK", Label: "Allow", App: "com.google.android.permissioncontroller",
			Says: "Allow Camera to record audio?"}, "en",
			"Allow Camera to record audio?\nThe agent wants to tap “Allow” in a dialog of Android",
			"a dialog asks by itself"},
		{consent.Act{Verb: "CLICK", Label: "Pay $25.00 to Anna", App: "com.example.wallet"}, "en",
			"Pay $25.00 to Anna?\nThe agent wants to tap “Pay $25.00 to Anna” in Wallet",
			"a label says it"},
		{consent.Act{Verb: "CLICK", Label: "OK", App: "com.x.mms", Name: "Messages"}, "en",
			"OK in Messages?\nThe agent wants to tap “OK”",
			"the app's name, not its package"},
		{consent.Act{Verb: "CLICK", Label: "立即支付"}, "zh",
			"立即支付？\n助手想要点按“立即支付”", "in the reader's language"},
		{consent.Act{Verb: "LONGPRESS", Label: "发送", Name: "信息", App: "com.x"}, "zh",
			"在“信息”中发送？\n助手想要长按“发送”", "a short label"},
		{consent.Act{Verb: "BACK"}, "en", "May the agent go back?\nThe agent wants to go back",
			"nothing is touched"},
		{consent.Act{Verb: "CLICK", Label: "a ” b\u202e\n“ c d"}, "en",
			"a ” b “ c d?\nThe agent wants to tap “a \" b \" c d”", "nothing ends the quotes"},
		{consent.Act{Server: "files", Tool: "write_file", Object: "notes.txt", Agent: "claude"}, "en",
			"files wants to write notes.txt\nThe agent calls “write_file” of “files”\nWanted by claude",
			"a tool"},
		{consent.Act{Server: "mail", Tool: "sendMessage", Object: "ann@example.org"}, "en",
			"mail wants to send message ann@example.org\nThe agent calls “sendMessage” of “mail”",
			"another spelling"},
		{consent.Act{Server: "files", Tool: "write_file", Object: "notes.txt", Goal: "plan ” a\ntrip"},
			"en", "files wants to write notes.txt\nThe agent calls “write_file” of “files”\n" +
				"Wanted by the main agent, for “plan \" a trip”", "an agent with a goal"},
		{consent.Act{Server: "files", Tool: "write_file", Object: "a.txt", Agent: "booker",
			Goal: "去旅行"}, "zh", "files 想要写入 a.txt\n助手调用 “files” 的 “write_file”\n" +
			"请求者：booker，目标：“去旅行”", "one of several agents"},
		{consent.Act{Verb: "CLICK", Label: "Pay $25.00 to Anna", Says: "Checkout", Name: "Shop"}, "en",
			"Pay $25.00 to Anna?\nThe agent wants to tap “Pay $25.00 to Anna” in Shop",
			"a dialog's title says less than the label"},
		{consent.Act{Server: "db", Tool: "drop"}, "zh", "db 想要删除\n助手调用 “db” 的 “drop”",
			"without arguments"},
		{consent.Act{Server: "mail", Tool: "sendMessage", Object: "ann@example.org"}, "zh",
			"mail 想要发送消息 ann@example.org\n助手调用 “mail” 的 “sendMessage”", "two words"},
		{consent.Act{Server: "git", Tool: "create_rebase", Object: "main"}, "zh",
			"git 想要创建 rebase main\n助手调用 “git” 的 “create_rebase”", "a word that is not known"},
		{consent.Act{Server: "x", Tool: "frobnicate", ByHand: true}, "zh",
			"请手动完成，并说明结果：执行 frobnicate（x）\n助手调用 “x” 的 “frobnicate”", "nor a verb"},
		{consent.Act{Verb: "CLICK", Label: "发送", App: "com.tencent.mm", Name: "Mm"}, "zh",
			"在“微信”中发送？\n助手想要点按“发送”", "a well-known app has its name in each language"},
		{consent.Act{Verb: "CLICK", Label: "Send", App: "com.tencent.mm"}, "en",
			"Send in WeChat?\nThe agent wants to tap “Send”", "and in another"},
		{consent.Act{Verb: "CLICK", App: "com.example.shop"}, "en",
			"May the agent tap in Shop?\nThe agent wants to tap something that is not known", "nothing is known of the place"},
		{consent.Act{Verb: "CLICK", Label: "1", App: "com.mybank"}, "en",
			"May the agent tap “1” in Mybank?\nThe agent wants to tap “1”", "a key has no word"},
		{consent.Act{Verb: "CLICK", Label: "€4,99", App: "com.example.gems"}, "zh",
			"允许助手在“Gems”中点按“€4,99”吗？\n助手想要点按“€4,99”", "nor has a price"},
		{consent.Act{Verb: "TYPE", Typed: "hello"}, "en",
			"May the agent type “hello”?\nThe agent wants to type “hello”", "a text without a place"},
		{consent.Act{Verb: "TYPE", Typed: "hello", Label: "Message", App: "com.x", Name: "Chat"}, "en",
			"Type “hello” into “Message”?\nThe agent wants to type “hello” in Chat", "a text"},
	} {
		require.Equal(t, c.want, c.act.Describe(c.lang).Text(), c.reason)
	}
}

func TestALabelThatOnlyAgreesNeedsItsQuestion(t *testing.T) {
	for label, want := range map[string]bool{"OK": true, " Allow.": true, "确定": true, "Yes": true,
		"Pay": false, "": false, "Continue to payment": false} {
		require.Equal(t, want, consent.Answers(label), label)
	}
}

func TestAPackageSaysItsAppsName(t *testing.T) {
	for pkg, want := range map[string]string{"com.example.coffee_shop": "Coffee shop",
		"com.google.android.apps.messaging": "Messaging", "org.thing.android": "Thing",
		"com.whatsapp": "Whatsapp", "android": "android", "": ""} {
		require.Equal(t, want, consent.NameOf(pkg), pkg)
	}
}

func TestWhatAToolWorksOnIsInItsArguments(t *testing.T) {
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"content": "secret", "path": "a/b.txt"}, "a/b.txt"},
		{map[string]any{"amount": 5.0, "to": "Anna"}, "Anna"},
		{map[string]any{"seat": "12A"}, "12A"},
		{map[string]any{"seat": "12A", "class": "1"}, ""},
		{nil, ""},
	} {
		require.Equal(t, c.want, consent.ObjectOf(c.args))
	}
}

// What a call did is said without who wanted it.
func TestACallIsSaidInAFewWords(t *testing.T) {
	for _, c := range []struct {
		act    consent.Act
		en, zh string
	}{
		{consent.Act{Server: "files", Tool: "write_file", Object: "notes.txt"},
			"files: write notes.txt", "files：写入 notes.txt"},
		{consent.Act{Tool: "ask_person", Object: "Which day?"}, "asked a person: Which day?",
			"询问用户：Which day?"},
		{consent.Act{Tool: "read_result"}, "read on in a long result", "继续读取较长的结果"},
		{consent.Act{Tool: "frobnicate", Object: "x\n\u202ey"}, "frobnicate x y", "执行 frobnicate x y"},
	} {
		require.Equal(t, c.en, c.act.Describe("en").Does)
		require.Equal(t, c.zh, c.act.Describe("zh").Does)
	}
}

// Where a sentence is cut, the sum and the person are told behind it.
func TestALongHeadlineStillHasTheSum(t *testing.T) {
	long := strings.Repeat("By going on you agree to all terms ", 8)
	for _, says := range []string{long + "and pay. More follows.", strings.Repeat("同意条款", 60) + "。",
		strings.Repeat("pizza", 60) + "."} {
		for _, ruled := range []bool{true, false} {
			a := consent.Act{Verb: "CLICK", Label: "Pay", Says: says, Ruled: ruled,
				Facts: consent.Facts{Sum: "$250.00", To: "Anna"}}
			for _, lang := range []string{"en", "zh"} {
				require.Contains(t, a.Describe(lang).Headline, "$250.00 · “Anna”", says)
			}
		}
	}
}
