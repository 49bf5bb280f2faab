package guard

import (
	"testing"

	"github.com/stretchr/testify/require"
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
		"支付订单": Critical, "删除文件": Sensitive, "发送短信": Sensitive,
	} {
		d := p.Decide(Subject{Action: name, App: "shop"})
		require.Equal(t, Ask, d.Verdict, name)
		require.Equal(t, want, d.Severity, name)
		require.Contains(t, d.Reason, "the tool is named", name)
		require.NotEmpty(t, d.Allowed, name)
	}
	for _, name := range []string{"list_orders", "get_payment_status", "searchMessages",
		"read_file",
		"echo", "add", "write_file", "查询订单", "describe_transfer", "postal_code", "", "🙂",
		"payload_size", "undelete"} {
		require.Equal(t, Allow, p.Decide(Subject{Action: name}).Verdict, name)
	}
	d := p.Decide(Subject{Action: "format", Destructive: true})
	require.Equal(t, Ask, d.Verdict)
}
