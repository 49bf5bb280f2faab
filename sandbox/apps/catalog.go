package apps

import (
	"time"

	"github.com/taploop/taploop/sandbox/ui"
)

// All lists the apps that are installed on every phone.
func All() []*App {
	page := func(activity string) func(*Task) *Page {
		return func(*Task) *Page { return &Page{Activity: activity, View: func() *ui.View { return &ui.View{} }} }
	}
	return []*App{
		{Package: "com.android.launcher3", Activity: ".Launcher", EN: "Home", ZH: "桌面", System: true, Open: page(".Launcher")},
		{Package: "com.android.settings", Activity: ".Settings", EN: "Settings", ZH: "设置", System: true, Open: page(".Settings")},
		{Package: "com.android.messaging", Activity: ".ConversationList", EN: "Messages", ZH: "短信", System: true, Open: page(".ConversationList")},
		{Package: "com.android.deskclock", Activity: ".DeskClock", EN: "Clock", ZH: "时钟", System: true, Open: page(".DeskClock")},
		{Package: "com.taploop.sandbox.notes", Activity: ".Notes", EN: "Notes", ZH: "便签", Open: page(".Notes")},
		{Package: "com.taploop.sandbox.shop", Activity: ".Shop", EN: "Shop", ZH: "商城", Open: page(".Shop")},
	}
}

// Seed is what the apps of a new phone store.
func Seed(now time.Time, lang string) *Data { return &Data{} }
