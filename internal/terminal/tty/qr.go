package tty

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"rsc.io/qr"
)

// QR draws a QR code in half blocks: dark on light whatever the terminal's colours are, or, where
// there is to be no colour, as a terminal with light letters shows it.
func (p Painter) QR(to io.Writer, words string) error {
	code, err := qr.Encode(words, qr.M)
	if err != nil {
		return err
	}
	const margin = 2
	halves := map[[2]bool]string{{false, false}: " ", {true, false}: "▀", {false, true}: "▄",
		{true, true}: "█"}
	style := ansi.NewStyle().ForegroundColor(ansi.Black).BackgroundColor(ansi.BrightWhite)
	var b strings.Builder
	for y := -margin; y < code.Size+margin; y += 2 {
		var row string
		for x := -margin; x < code.Size+margin; x++ {
			row += halves[[2]bool{code.Black(x, y) == p.colour, code.Black(x, y+1) == p.colour}]
		}
		if p.colour {
			row = style.Styled(row)
		}
		b.WriteString(row + "\n")
	}
	return p.write(to, b.String())
}
