package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
)

// A button that only says yes is judged by what the dialog asks.
func TestADialogIsKnownByWhatItAsks(t *testing.T) {
	for want, list := range map[guard.Severity][]string{
		guard.Critical: {"Your card ending 4242 will be charged $9.99",
			"You'll be charged $9.99/month", "Start your subscription for $4.99/month?",
			"Buy Premium for $5?", "Add $20 to your balance?", "Withdraw €100?", "Pay Anna $5?",
			"Use your PayPal balance of $5?", "Your order total is $30", "Charge $30 to Visa?",
			"Accept the offer for 30 EUR?", "Book this room for $99?", "Transfer 0.1 ETH?",
			"Sign this transaction?", "Format SD card?", "本次支付 30 元", "需支付¥30", "确认叫车?",
			"确认买入 100 股?"},
		guard.Sensitive: {"Do you really want to quit the group?", "Move 3 items to trash?",
			"Report and block this user?", "Reset all settings?", "Cancel your subscription?",
			"Unfriend Anna?", "Forget this network?", "清空购物车?", "是否卸载", "是否安装此应用",
			"是否授权", "是否重置网络", "是否拉黑该用户", "解除好友关系?", "要发送给小王吗?"},
		guard.Routine: {"Order placed! You paid $30", "Your balance: $30", "您已成功支付30元",
			"已支付 30 元", "上次支付30元", "Leave group", "How was your ride? Total fare $12",
			"Free delivery from $30", "Update available", "Turn off Wi-Fi?",
			"Want a discount of $5?",
			"Add a photo?", "Reset", "Book club", "退出全屏?", "开启夜间模式?", "余额 30 元"},
	} {
		for _, asks := range list {
			d := builtin(t).Decide(tap("com.x", "OK", asks, "Cancel"))
			require.Equal(t, want, d.Severity, "%s: %s", asks, d.Reason)
			require.Equal(t, want != guard.Routine, d.Verdict == guard.Ask, asks)
		}
	}
}

// A judge that calls a label harmless answers for what is asked only because nobody knows the
// label. What is known, by its words or by the arrangement, it takes back nowhere.
func TestAJudgeAnswersForLabelsThatAreUnknown(t *testing.T) {
	page := guard.Layout{Button: true, Primary: true, Words: []string{"Razem 20 zł"}}
	for label, ask := range map[string]bool{"Zubyakni": false, "Pay now": true, "Potwierdź": true,
		"Buy for 20 zł": true} {
		s := tap("com.x", label, page.Words...)
		s.Layout, s.Element.Class = &page, "android.widget.Button"
		require.Equal(t, guard.Ask, builtin(t).Decide(s).Verdict, label)
		s.Judged = guard.Harmless
		require.Equal(t, ask, builtin(t).Decide(s).Verdict == guard.Ask, label)
	}
}
