package guard

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/lazyregexp"
)

// Words of names of tools that only look, when they come first, and those that do harm.
var (
	looks = strings.Fields("get list read search find show describe view fetch query count check " +
		"preview estimate calculate is has lookup browse inspect validate track history status " +
		"获取 查询 查看 搜索 列出 读取")
	harms = []struct {
		class string
		words string // spaces around each
		han   *lazyregexp.Regexp
	}{
		{"pay", " pay pays paying payment payments repay checkout charge recharge donate topup " +
			"payout refund ", lazyregexp.New(`支付|付款|缴费|充值|结账|退款|打赏`)},
		{"order", " buy buys buying purchase purchases order orders bid bids book ",
			lazyregexp.New(`下单|购买|订购|预订|提交订单`)},
		{"transfer", " transfer transfers withdraw remit wire cashout ",
			lazyregexp.New(`转账|汇款|提现|发红包`)},
		{"delete", " delete deletes deleting remove removes removing erase wipe purge drop destroy " +
			"truncate unlink rm rmdir trash discard deactivate terminate uninstall cancel revoke ",
			lazyregexp.New(`删除|清空|清除|移除|注销|卸载|取消`)},
		{"send", " send sends sending publish post tweet reply email mail sms forward broadcast " +
			"submit invite share ",
			lazyregexp.New(`发送|发布|发表|群发|发帖|回复|转发|提交|邀请`)},
	}
	// joins are in names of tools that do one thing and another, whichever comes first
	joins = []string{"and", "or", "then"}
)

// byToolName is what the name of a tool says that it does. A name that begins with looking says
// nothing more, such as list_orders.
func byToolName(s *Subject) (list []finding) {
	words := idWords(s.Action)
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	whole := normalize(s.Action)
	several := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(joins, w) })
	if slices.Contains(looks, first) && !several || slices.ContainsFunc(looks, func(l string) bool {
		return !ascii(l) && strings.HasPrefix(whole, l)
	}) {
		return nil
	}
	for _, h := range harms {
		says := slices.ContainsFunc(words, func(w string) bool {
			return strings.Contains(h.words, " "+w+" ")
		})
		if says || !ascii(whole) && h.han.MatchString(whole) {
			list = append(list, finding{classNamed(h.class), ofName, s.Action})
		}
	}
	return list
}

func classNamed(name string) *class {
	return &classes[slices.IndexFunc(classes, func(c class) bool { return c.name == name })]
}
