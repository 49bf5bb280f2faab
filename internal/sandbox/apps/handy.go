package apps

import "github.com/taploop/taploop/internal/sandbox/ui"

var (
	camera = &App{Package: "com.android.camera2", Activity: ".CameraActivity", EN: "Camera",
		ZH: "相机", Icon: "search", Tint: ui.RGB(0x455a64), System: true, Open: viewfinder}
	dialer = &App{Package: "com.android.dialer", Activity: ".DialtactsActivity", EN: "Dialer",
		ZH: "拨号", Icon: "apps", Tint: ui.RGB(0x1e7b3c), System: true,
		Open: func(t *Task) *Page {
			var number string
			return &Page{Activity: ".DialtactsActivity",
				View: func() *ui.View { return keypad(t, &number) }}
		}}
)

// viewfinder asks, when it is opened first, whether photos may have their place.
func viewfinder(t *Task) *Page {
	permit(t, "ACCESS_FINE_LOCATION", t.Say("Allow Camera to access this device's location?",
		"允许“相机”访问此设备的位置吗？"), func() {})
	return &Page{Activity: ".CameraActivity", View: func() *ui.View {
		return t.screen(t.Say("Camera", "相机"), nil, ui.Stack().Grow(1).Fill(ui.Strong),
			ui.Row(ui.Space(), ui.IconButton("plus", t.Say("Take photo", "拍照"), func() {
				t.Show("Photo saved", "照片已保存")
			}).Named("shutter"), ui.Space()).Pad(16))
	}}
}

func keypad(t *Task, number *string) *ui.View {
	var keys []*ui.View
	for _, d := range "123456789*0#" {
		keys = append(keys, ui.Chip(string(d), false, func() { *number += string(d) }).Grow(1))
	}
	return t.screen(t.Say("Dialer", "拨号"), nil,
		ui.Text(*number).Size(36).Centered().Pad(0, 20).Named("digits"),
		ui.Column(grid(keys, 3, 8)...).Gap(8).Pad(16, 8),
		ui.Button(t.Say("Call", "呼叫"), func() { t.Show("No service", "无服务") }).
			Named("dial").Enable(*number != "").Align(ui.Center))
}
