package sandbox

import (
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// dialog is a task's question, in front of its page. A tap outside closes it unless it must be
// answered.
func dialog(t *apps.Task) *ui.View {
	d := t.Dialog
	card := ui.Column().Gap(12).Pad(24, 22, 24, 12).Fill(ui.Surface).Radius(26).Modal().
		Width(328).Align(ui.Center, ui.Center)
	card.Add(ui.Text(d.Title).Size(21).Bold().Named("alertTitle"))
	if d.Message != "" {
		card.Add(ui.Text(d.Message).Ink(ui.Dim).Named("message"))
	}
	card.Add(ui.Row(ui.Space()).Add(ui.Each(d.Buttons, func(b apps.Button) *ui.View {
		return ui.Flat(b.Text, func() { t.Answer(b) }).Named(b.ID)
	})...).Gap(4))
	scrim := ui.Stack(card).Fill(ui.Scrim).Modal()
	if !d.Sticky {
		scrim.OnTap(t.Dismiss).Quiet()
	}
	return scrim
}
