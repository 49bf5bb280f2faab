package apps

import (
	"fmt"
	"hash/fnv"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// Widths of the puzzle in dp. The thumb of its slider is where the middle of the piece is.
const (
	puzzleWidth = 300
	pieceWidth  = 40
	thumbRoom   = 12 // of a slider on both sides of where its thumb may be
)

// captchaPage asks for a piece to be put into the gap of a picture, and then calls done. Where the
// gap is, only the picture tells.
func captchaPage(s *Task, done func()) *Page {
	tries, at := 0, 0
	room := puzzleWidth - pieceWidth
	gap := func() int {
		h := fnv.New32a()
		fmt.Fprintf(h, "gap/%d", tries)
		return 300 + int(h.Sum32()%600)
	}
	put := func(permille int) {
		if at = permille; max(at-gap(), gap()-at) <= 25 {
			s.Pop()
			done()
			return
		}
		tries, at = tries+1, 0
		s.Show("Not quite. Try again.", "没有对准, 请再试一次")
	}
	block := func(permille int, fill ui.Ink) *ui.View {
		return ui.Row(ui.Stack().Width(max(room*permille/1000, 1)).Height(1),
			ui.Stack().Width(pieceWidth).Height(pieceWidth).Radius(8).Fill(fill).Border(ui.White)).
			Pad(0, 50).Height(140)
	}
	return &Page{Activity: ".Captcha", View: func() *ui.View {
		return s.screen(s.Say("Are you a person?", "安全验证"), nil, ui.Column(
			ui.Text(s.Say("Slide the piece into the gap", "拖动滑块, 完成拼图")).Centered(),
			ui.Stack(block(gap(), ui.RGB(0x4a0d4f)), block(at, ui.RGB(0xffd54f))).
				Width(puzzleWidth).Height(140).Radius(14).Align(ui.Center).
				Fade(ui.RGB(0x5aa9a0), ui.RGB(0x2f6f8f)).Class("android.widget.ImageView").
				Named("captcha_picture"),
			ui.Slider("captcha_slider", at, put).Width(room+2*thumbRoom).Align(ui.Center),
		).Gap(24).Pad(20))
	}}
}
