package apps

import (
	"strings"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

var shop = &App{
	Package: "com.taploop.sandbox.shop", Activity: ".Shop", EN: "Shop", ZH: "商城", Icon: "bag",
	Links: []string{"shop"},
	Tint:  ui.RGB(0xc2410c),
	Open: func(t *Task) *Page {
		s := &store{Task: t}
		page := &Page{Activity: ".Shop"}
		page.View = func() *ui.View { return s.front(page) }
		return page
	},
}

func (s *store) front(page *Page) *ui.View {
	search := func() {
		if strings.TrimSpace(s.query) != "" {
			page.Memory.Focus = ""
			s.Push(s.results(s.query, ""))
		}
	}
	chips := ui.Row().Gap(8)
	for _, c := range [][3]string{
		{"clothes", "Clothes", "服装"}, {"shoes", "Shoes", "鞋"}, {"home", "Home", "家居"},
		{"tech", "Tech", "数码"}, {"books", "Books", "图书"},
	} {
		chips.Add(ui.Chip(s.Say(c[1], c[2]), false, func() { s.Push(s.results("", c[0])) }).
			Pad(0, 9).Grow(1).Named("category_" + c[0]))
	}
	return s.screen(s.Say("Shop", "商城"), []*ui.View{s.accountButton(), s.cartButton()},
		ui.Column(
			ui.Row(
				ui.Input("search", s.Say("Search products", "搜索商品"), &s.query).Radius(22).Grow(1).
					OnSubmit(s.Say("Search", "搜索"), search),
				ui.IconButton("search", s.Say("Search", "搜索"), search).Named("search_button").
					Fill(ui.Accent).Ink(ui.OnAccent).Radius(24),
			).Gap(8), chips,
		).Gap(12).Pad(16, 4, 16, 8),
		ui.List("products", append([]*ui.View{ui.Text(s.Say("Recommended", "为你推荐")).Size(18).
			Bold()}, s.cards(Products)...)...).Gap(10).Pad(16, 4, 16, 16))
}

// results is the page of what a search or a category finds.
func (s *store) results(query, category string) *Page {
	return &Page{Activity: ".Results", View: func() *ui.View {
		var found []*Product
		for _, p := range Products {
			if match(p.EN+" "+p.ZH+" "+p.Category, query) &&
				(category == "" || p.Category == category) {
				found = append(found, p)
			}
		}
		title := s.Say("Results", "搜索结果")
		if query != "" {
			title = "“" + query + "”"
		}
		list := ui.List("results", s.cards(found)...).Gap(10).Pad(16, 4, 16, 16)
		orEmpty(list, len(found), "search",
			s.Say("Nothing found. Try another word.", "没有找到, 换个词试试"))
		return s.screen(title, []*ui.View{s.cartButton()}, list)
	}}
}

// cards shows products two in a row.
func (s *store) cards(list []*Product) []*ui.View {
	return grid(ui.Each(list, func(p *Product) *ui.View {
		return ui.Column(
			ui.Stack(ui.Icon(p.Icon).Size(72).Ink(ui.White).Align(ui.Center, ui.Center)).
				Height(116).Fill(ui.RGB(p.Tint)).Radius(14).
				Class("android.widget.ImageView"),
			ui.Text(p.label(s.Task)).Size(15).Lines(1).Named("product_name"),
			ui.Text(price(p.Price)).Size(17).Bold().Named("product_price"),
		).Gap(6).Pad(10).Fill(ui.Surface).Radius(18).Grow(1).Named("product").
			OnTap(func() { s.Push(s.productPage(p)) })
	}), 2, 10)
}
