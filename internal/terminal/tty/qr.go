package tty

import (
	"strings"

	"rsc.io/qr"
)

// QR draws a QR code in half blocks, dark on light whatever the terminal's colours are.
func QR(words string) (string, error) {
	code, err := qr.Encode(words, qr.M)
	if err != nil {
		return "", err
	}
	const margin = 2
	halves := map[[2]bool]string{{false, false}: " ", {true, false}: "▀", {false, true}: "▄",
		{true, true}: "█"}
	var b strings.Builder
	for y := -margin; y < code.Size+margin; y += 2 {
		b.WriteString("\x1b[30;107m")
		for x := -margin; x < code.Size+margin; x++ {
			b.WriteString(halves[[2]bool{code.Black(x, y), code.Black(x, y+1)}])
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String(), nil
}
