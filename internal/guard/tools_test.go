package guard

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/words"
)

func TestToolsNamedLikeHarmAreAskedAbout(t *testing.T) {
	p, err := New(nil)
	require.NoError(t, err)
	for name, want := range map[string]Severity{
		"pay": Critical, "make_payment": Critical, "createPayment": Critical, "buy-now": Critical,
		"place_order": Critical, "wire.transfer": Critical, "delete_file": Sensitive,
		"removeUser": Sensitive, "rm": Sensitive, "drop_table": Sensitive, "DELETE": Sensitive,
		"find_and_delete": Sensitive,
		"send_message":    Sensitive, "sendEmail": Sensitive, "reply_to_review": Sensitive,
		"check_out": Critical, "checkOut": Critical, "find_delete": Sensitive,
		"history_purge": Sensitive, "DELETEFILE": Sensitive, "deletefile": Sensitive,
		"factory_reset": Critical, "resetDevice": Critical, "format_disk": Critical,
		"sign_transaction": Critical, "install_apk": Sensitive, "grantPermission": Sensitive,
		"reset_password": Sensitive, "getAndDelete": Sensitive, "HTTPDelete": Sensitive,
		"list_then_pay": Critical, "查询并删除": Sensitive, "SDCardFormat": Critical,
		"view_send": Sensitive, "clearHistory": Sensitive, "sign_out": Sensitive,
		"tipDriver": Critical, "subscribePlan": Critical, "sellShares": Critical,
		"rent_car": Critical, "kill_process": Sensitive, "ban_member": Sensitive,
		"close_account": Sensitive, "leaveChannel": Sensitive, "block_sender": Sensitive,
		"rotate_keys": Sensitive, "merge_pull_request": Sensitive, "force_push": Sensitive,
		"addPermission": Sensitive, "make_call": Sensitive, "deployService": Sensitive,
		"支付订单": Critical, "删除文件": Sensitive, "发送短信": Sensitive,
	} {
		d := p.Decide(Subject{Action: name, App: "shop", Tool: true})
		require.Equal(t, Ask, d.Verdict, name)
		require.Equal(t, want, d.Severity, name)
		require.Contains(t, d.Reason, "the tool is named", name)
		require.NotEmpty(t, d.Allowed, name)
	}
	for _, name := range []string{"list_orders", "get_payment_status", "searchMessages",
		"read_file",
		"echo", "add", "write_file", "查询订单", "describe_transfer", "postal_code", "", "🙂",
		"payload_size", "undelete", "format_date", "reset_zoom", "sign_in", "查看付款状态",
		"get_checkout", "list_installs", "viewOrders", "clear_filters", "postgres_version",
		"HTTPGet", "signature", "close_tab", "code_block", "call_api", "leave_note", "add_row",
		"merge_cells", "rotate_image", "tooltip"} {
		require.Equal(t, Allow, p.Decide(Subject{Action: name}).Verdict, name)
	}
	d := p.Decide(Subject{Action: "format", Destructive: true})
	require.Equal(t, Ask, d.Verdict)
}

// The names of tools of many servers, in English and other languages: none of those that do harm
// passes unasked, and at most one in a hundred of the others is asked about.
func TestToolsOfManyServersAreKnownByTheirNames(t *testing.T) {
	p, err := New(nil)
	require.NoError(t, err)
	b, err := os.ReadFile("testdata/tools.txt")
	require.NoError(t, err)
	lists := words.Sections(string(b))
	asks := func(name string) bool {
		return p.Decide(Subject{Action: name, App: "server", Tool: true}).Verdict == Ask
	}
	harm := strings.Fields(strings.Join(lists["ask"], " "))
	require.Greater(t, len(harm), 200)
	for _, name := range harm {
		require.True(t, asks(name), name)
	}
	harmless := strings.Fields(strings.Join(lists["pass"], " "))
	require.Greater(t, len(harmless), 200)
	asked := slices.DeleteFunc(slices.Clone(harmless), func(n string) bool { return !asks(n) })
	require.LessOrEqual(t, len(asked), len(harmless)/100, asked)
}

// A rule about an action of phones is not about a tool that a server calls the same.
func TestRulesForPhonesAreNotForTools(t *testing.T) {
	harm := Subject{Action: "SCROLL", App: "other", Tool: true, Destructive: true}
	rule := Rule{Action: []string{"SCROLL"}, Decision: "allow"}
	for _, c := range []struct {
		app  []string
		want Verdict
	}{{nil, Ask}, {[]string{"other"}, Allow}} {
		rule.App = c.app
		p, err := New(&Options{Lists: []List{{Name: "rules", Rules: []Rule{rule}}}})
		require.NoError(t, err)
		require.Equal(t, c.want, p.Decide(harm).Verdict)
	}
	p, err := New(nil)
	require.NoError(t, err)
	require.Equal(t, Ask, p.Decide(Subject{Action: "TYPE_and_send", Tool: true}).Verdict)
}

// An app is about money by the name that it has for people, which may be a brand.
func TestAppsAreAboutMoneyByTheirNames(t *testing.T) {
	p, err := New(nil)
	require.NoError(t, err)
	for name, want := range map[string]Verdict{"Chase Mobile": Ask, "PayPal": Ask, "Revolut": Ask,
		"N26": Ask, "Bizum": Ask, "BNP Paribas": Ask, "Satispay": Ask, "PicPay": Ask, "Itaú": Ask,
		"ВТБ": Ask, "토스": Ask, "云闪付": Ask, "PhonePe": Ask, "楽天銀行": Ask, "Sparkasse": Ask,
		"Notes": Allow, "Wisely Reading": Allow, "Maps": Allow, "天气": Allow, "Play Music": Allow,
	} {
		d := p.Decide(Subject{Action: "CLICK", App: "com.example.app", Name: name,
			Element: &Element{Class: "android.widget.ImageView"}})
		require.Equal(t, want, d.Verdict, name)
	}
}
