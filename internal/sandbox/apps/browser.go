package apps

import (
	_ "embed"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

var browser = &App{
	Package: "com.taploop.sandbox.browser", Activity: ".Browser", EN: "Browser", ZH: "浏览器",
	Icon: "globe", Tint: ui.RGB(0x3c6fb5), Links: []string{"http", "https"},
	Open: func(t *Task) *Page { return webPage(t, "home.example") },
}

// web is the pages that there are: a line with # and the address, the title, and lines of text. A
// line with > is a link: its address, and its words.
//
//go:embed web.txt
var web string

// webLines is the page of an address, or the one that says that there is none.
func webLines(address string) []string {
	for page := range strings.SplitSeq(web, "\n# ") {
		head, body, _ := strings.Cut(strings.TrimPrefix(page, "# "), "\n")
		if head == address {
			return strings.Split(strings.TrimSpace(body), "\n")
		}
	}
	return []string{"This site can't be reached", address + " does not exist."}
}

func webPage(t *Task, address string) *Page {
	typed := address
	follow := func(to string) {
		to = strings.TrimPrefix(strings.TrimSpace(to), "https://")
		t.Data.Visited = append(t.Data.Visited, to)
		t.Push(webPage(t, to))
	}
	return &Page{Activity: ".Browser", View: func() *ui.View {
		lines := webLines(address)
		list := ui.List("web_view", ui.Text(lines[0]).Size(24).Bold()).Gap(12).Pad(20, 8)
		for _, line := range lines[1:] {
			if to, is := strings.CutPrefix(line, "> "); is {
				to, words, _ := strings.Cut(to, " ")
				list.Add(ui.Text(words).Ink(ui.Accent).Pad(0, 8).Named("link").
					OnTap(func() { follow(to) }))
				continue
			}
			list.Add(ui.Text(line))
		}
		return t.screen(t.Say("Browser", "浏览器"), []*ui.View{ui.IconButton("send",
			t.Say("Share", "分享"), func() { t.share("https://" + address) }).Named("share_page")},
			ui.Column(ui.Input("url_bar", t.Say("Address", "网址"), &typed).
				OnSubmit(t.Say("Go", "前往"), func() { follow(typed) })).Pad(16, 0, 16, 8), list)
	}}
}
