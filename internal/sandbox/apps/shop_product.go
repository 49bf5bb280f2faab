package apps

import (
	"fmt"
	"strconv"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// productPage shows one product. Size and colour must be chosen before it goes into the cart.
func (s *store) productPage(p *Product) *Page {
	var size, color string
	add := func() bool {
		switch {
		case size == "" && len(p.Sizes) > 0:
			s.Show("Please choose a size", "请选择尺码")
			return false
		case color == "" && len(p.Colors) > 0:
			s.Show("Please choose a colour", "请选择颜色")
			return false
		}
		s.Data.Shop.add(p, size, color)
		s.Show("Added to cart", "已加入购物车")
		return true
	}
	return &Page{Activity: ".Product", View: func() *ui.View {
		return s.screen(p.label(s.Task), []*ui.View{s.cartButton()},
			ui.List("product_detail",
				ui.Stack(ui.Icon(p.Icon).Size(150).Ink(ui.White).Align(ui.Center, ui.Center)).
					Height(240).Fill(ui.RGB(p.Tint)).Radius(20),
				ui.Row(ui.Text(price(p.Price)).Size(28).Bold().Grow(1), ui.Icon("star").Size(18).
					Ink(ui.RGB(0xd98200)), ui.Small("4.6 (212)")).Gap(6),
				s.options("size", s.Say("Size", "尺码"), p.Sizes, size, func(v string) { size = v }),
				s.options("colour", s.Say("Colour", "颜色"), p.Colors, color, func(v string) {
					color = v
				}),
				ui.Small(s.Say("Free returns within 30 days. Delivery in 2 to 4 working days.",
					"30天内免费退货。2到4个工作日送达。")),
			).Gap(16).Pad(16, 4),
			ui.Row(
				ui.Button(s.Say("Add to cart", "加入购物车"), func() { add() }).Grow(1).Fill(ui.Soft).
					Ink(ui.Accent).Named("add_to_cart"),
				ui.Button(s.Say("Buy now", "立即购买"), func() {
					if add() {
						s.Push(s.cartPage())
					}
				}).Grow(1).Named("buy_now"),
			).Gap(12).Pad(16, 10).Fill(ui.Surface))
	}}
}

// options are the chips for one property of a product, none when it has no choice.
func (s *store) options(
	name, title string, values []string, now string, set func(string),
) *ui.View {
	if len(values) == 0 {
		return nil
	}
	chips := ui.Each(values, func(v string) *ui.View {
		label := v
		if zh, ok := colours[v]; ok {
			label = s.Say(v, zh)
		}
		return ui.Chip(label, v == now, func() { set(v) }).Pad(0, 10).Grow(1).Named(name + "_" + v)
	})
	return ui.Column(ui.Text(title)).Add(grid(chips, 4, 8)...).Gap(8)
}

// cartPage lists the items of the cart.
func (s *store) cartPage() *Page {
	return &Page{Activity: ".Cart", View: func() *ui.View {
		cart := &s.Data.Shop
		list := ui.ListOf("cart_items", cart.Cart, s.cartItem).Gap(10).Pad(16, 4)
		orEmpty(list, len(cart.Cart), "cart", s.Say("Your cart is empty", "购物车是空的"))
		return s.screen(s.Say("Cart", "购物车"), []*ui.View{s.accountButton()}, list,
			footer(s.Say("Total", "合计"), cart.total(), ui.Button(s.Say("Checkout", "去结算"),
				s.checkout).Named("checkout").Enable(len(cart.Cart) > 0)))
	}}
}

func (s *store) cartItem(it *Item) *ui.View {
	what := it.Size
	if it.Color != "" {
		if what != "" {
			what += ", "
		}
		what += s.Say(it.Color, colours[it.Color])
	}
	remove := func() { s.Data.Shop.Cart = without(s.Data.Shop.Cart, it) }
	return ui.Row(ui.Tile(it.Product.Icon, 60, ui.RGB(it.Product.Tint)),
		ui.Column(ui.Text(it.Product.label(s.Task)).Bold(), ui.Small(what),
			ui.Text(fmt.Sprintf("%d × %s", it.Count, price(it.Product.Price)))).Gap(2).Grow(1),
		ui.IconButton("trash", s.Say("Remove", "删除")+" "+it.Product.label(s.Task), remove).
			Ink(ui.Dim).Named("remove")).
		Gap(12).Pad(12).Fill(ui.Surface).Radius(18).Named("cart_item")
}

// cartButton is in every bar. It shows the number of pieces in the cart.
func (s *store) cartButton() *ui.View {
	button := ui.Row(ui.Icon("cart")).Gap(2).Pad(12).Named("cart").Desc(s.Say("Cart", "购物车")).
		OnTap(func() { s.Push(s.cartPage()) })
	if n := s.Data.Shop.count(); n > 0 {
		button.Add(ui.Text(strconv.Itoa(n)).Size(13).Bold().Ink(ui.White).Fill(ui.RGB(0xc2410c)).
			Radius(10).Pad(7, 1).Named("cart_count"))
	}
	return button
}
