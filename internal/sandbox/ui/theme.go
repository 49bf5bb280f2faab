package ui

import "image/color"

// Ink is a colour: a role of the theme, or plain RGB made with [RGB].
type Ink uint32

// The roles. None draws nothing.
const (
	None Ink = iota
	Background
	Surface // cards and bars
	Sunken  // fields, chips
	Strong  // main text
	Dim     // secondary text
	Line    // dividers
	Accent
	OnAccent
	Soft // accent, faint
	Danger
	Scrim // behind dialogs
	White
)

// RGB is a colour that is the same in every theme, for example RGB(0x1a73e8).
func RGB(v uint32) Ink { return Ink(0xff000000 | v) }

// Theme gives the roles their colours.
type Theme [14]color.RGBA

func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }

// Light is the theme for the day.
var Light = Theme{
	Background: rgb(0xf4f5f9), Surface: rgb(0xffffff), Sunken: rgb(0xe8eaf1), Strong: rgb(0x1b1c20),
	Dim:  rgb(0x5c5f6a),
	Line: rgb(0xdcdee6), Accent: rgb(0x1a5fd0), OnAccent: rgb(0xffffff), Soft: rgb(0xd9e5fb),
	Danger: rgb(0xb3261e),
	Scrim:  {0, 0, 0, 130}, White: rgb(0xffffff),
}

// Dark is the theme of dark mode.
var Dark = Theme{
	Background: rgb(0x111318), Surface: rgb(0x1e2027), Sunken: rgb(0x2c2f38), Strong: rgb(0xe8e9ef),
	Dim:  rgb(0xa6a9b5),
	Line: rgb(0x363944), Accent: rgb(0x8ab4f8), OnAccent: rgb(0x0c2a5c), Soft: rgb(0x24406f),
	Danger: rgb(0xf2b8b5),
	Scrim:  {0, 0, 0, 150}, White: rgb(0xffffff),
}

func (t *Theme) color(i Ink) color.RGBA {
	if i>>24 == 0 {
		return t[i]
	}
	return rgb(uint32(i))
}
