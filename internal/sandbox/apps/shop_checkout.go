package apps

import (
	"strings"
	"time"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// checkout opens the order's page, by way of the login when no customer is logged in.
func (s *store) checkout() {
	if s.Data.Shop.User == "" {
		s.Push(s.loginPage(func() { s.Push(s.orderPage()) }))
		return
	}
	s.Push(s.orderPage())
}

// orderPage sums the order up. Its last button pays: a person's business.
func (s *store) orderPage() *Page {
	return &Page{Activity: ".Checkout", View: func() *ui.View {
		total := s.Data.Shop.total()
		items := ui.Card(ui.Text(s.Say("Items", "商品")).Bold()).Gap(6)
		for _, it := range s.Data.Shop.Cart {
			items.Add(ui.Row(ui.Text(it.Product.label(s.Task)).Lines(1).Grow(1), ui.Small(it.Size),
				ui.Text(price(it.Product.Price*it.Count))).Gap(8))
		}
		return s.screen(s.Say("Checkout", "结算"), nil,
			ui.List("checkout_list",
				ui.Card(ui.Text(s.Say("Deliver to", "收货地址")).Bold(),
					ui.Text(s.Say("Alex Moor, 7 Station Road, Lindenhof", "莫亚历, 菩提园车站路7号")),
					ui.Small(s.Data.Shop.User)).Gap(4),
				items,
				ui.Card(ui.Row(ui.Icon("card"),
					ui.Text(s.Say("Wallet ending in 4417", "尾号4417的钱包"))).Gap(10)),
			).Gap(12).Pad(16, 4, 16, 12),
			footer(s.Say("To pay", "应付"), total, ui.Button(s.Say("Pay", "付款")+" "+price(total),
				func() { s.Push(s.payPage(total)) }).Named("pay")))
	}}
}

// footer is a sum and what to do with it.
func footer(label string, sum int, button *ui.View) *ui.View {
	return ui.Row(ui.Column(ui.Small(label), ui.Text(price(sum)).Size(22).Bold().Named("total")).
		Grow(1), button).Gap(12).Pad(16, 10).Fill(ui.Surface)
}

// payPage asks for the wallet's PIN. It is a secure window.
func (s *store) payPage(total int) *Page {
	var pin string
	page := &Page{Activity: ".Pay", Secure: true}
	page.Memory.Focus = "wallet_pin"
	pay := func() {
		cart := &s.Data.Shop
		if pin != cart.WalletPIN {
			pin = ""
			s.Show("Wrong PIN", "密码错误")
			return
		}
		cart.Orders, cart.Cart = append(cart.Orders, total), nil
		s.PopAll()
		s.Ask(&Dialog{Title: s.Say("Order placed", "下单成功"), Message: s.Say("Paid ", "已付款 ") +
			price(total),
			Buttons: []Button{{"ok", s.Say("OK", "确定"), nil}}})
	}
	page.View = func() *ui.View {
		return s.screen(s.Say("Pay", "付款"), nil, ui.Column(
			ui.Text(price(total)).Size(34).Bold().Centered(),
			ui.Text(s.Say("Enter the PIN of your wallet", "请输入钱包密码")).Centered(),
			ui.Input("wallet_pin", "PIN", &pin).Digits().Password().OnSubmit(s.Say("Pay", "付款"),
				pay),
			ui.Button(s.Say("Confirm payment", "确认付款"), pay).Named("confirm_payment"),
		).Gap(18).Pad(24))
	}
	return page
}

// loginPage asks for a number, then for the code that arrives as a message.
func (s *store) loginPage(done func()) *Page {
	var number, code string
	sent := false
	page := &Page{Activity: ".Login"}
	request := func() {
		if digits := strings.Trim(number, "+0123456789 "); digits != "" || len(number) < 5 {
			s.Show("Enter a phone number", "请输入手机号")
			return
		}
		send := func() {
			sent = true
			page.Memory.Focus = "login_code"
			code := s.Data.Shop.newCode(number)
			s.After(2*time.Second, func() { deliver(s.Task, code) })
		}
		if s.Data.Shop.Wary {
			s.Push(captchaPage(s.Task, send))
			return
		}
		send()
	}
	confirm := func() {
		if !s.logIn(number, code) {
			code = ""
			return
		}
		done()
	}
	page.View = func() *ui.View {
		body := ui.Column(
			ui.Text(s.Say("Log in with your phone number. We send you a code.",
				"使用手机号登录, 我们会发送验证码。")).Ink(ui.Dim),
			ui.Input("login_number", s.Say("Phone number", "手机号"), &number).
				OnSubmit(s.Say("Send", "发送"), request),
		).Gap(14).Pad(20)
		if !sent {
			return s.screen(s.Say("Log in", "登录"), nil,
				body.Add(ui.Button(s.Say("Send code", "发送验证码"), request).Named("send_code")))
		}
		return s.screen(s.Say("Log in", "登录"), nil, body.Add(
			ui.Input("login_code", s.Say("6-digit code", "6位验证码"), &code).Digits().
				OnSubmit(s.Say("Log in", "登录"), confirm),
			ui.Button(s.Say("Log in", "登录"), confirm).Named("log_in"),
		))
	}
	return page
}

// logIn logs in who has the number, and leaves the page, when code is the one that was sent there.
func (s *store) logIn(number, code string) bool {
	cart := &s.Data.Shop
	if code != cart.code || code == "" {
		s.Show("That code is wrong", "验证码错误")
		return false
	}
	cart.User, cart.code = number, ""
	s.Pop()
	s.Show("Logged in", "登录成功")
	return true
}

// deliver brings the login code as a message.
func deliver(t *Task, code string) {
	name := t.Say("Shop", "商城")
	text := t.Say("Your login code is "+code+". Never tell it to anyone.",
		"您的登录验证码是 "+code+", 请勿告诉他人。")
	t.Data.Receive(name, "10690011", text, t.Now())
	t.Notify(Notification{Package: messages.Package, Title: name, Text: text, Open: func(t *Task) {
		t.Dialog = nil
		t.PopAll()
		t.Push(chat(t, t.Data.Thread(name)))
	}})
}

// accountPage is about who is logged in.
func (s *store) accountPage() *Page {
	return &Page{Activity: ".Account", View: func() *ui.View {
		user := s.Data.Shop.User
		if user == "" {
			return s.screen(s.Say("Account", "账户"), nil,
				empty("person", s.Say("You are not logged in", "您尚未登录")),
				ui.Button(s.Say("Log in", "登录"), func() { s.Push(s.loginPage(func() {})) }).
					Named("log_in").Align(ui.Center))
		}
		return s.screen(s.Say("Account", "账户"), nil, ui.Card(ui.Text(s.Say("Logged in as", "已登录")),
			ui.Text(user).Size(20).Bold().Named("account_number")).Gap(4))
	}}
}

func (s *store) accountButton() *ui.View {
	return ui.IconButton("person", s.Say("Account", "账户"), func() { s.Push(s.accountPage()) }).
		Named("account")
}
