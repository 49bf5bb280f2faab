package sandbox

// Android's key codes that the phone acts on.
const (
	KeyHome       = 3
	KeyBack       = 4
	KeyUp         = 19
	KeyDown       = 20
	KeyLeft       = 21
	KeyRight      = 22
	KeyCenter     = 23
	KeyVolumeUp   = 24
	KeyVolumeDown = 25
	KeyPower      = 26
	KeyTab        = 61
	KeySpace      = 62
	KeyEnter      = 66
	KeyDelete     = 67
	KeyMenu       = 82
	KeyEscape     = 111
	KeyForwardDel = 112
	KeyMoveHome   = 122
	KeyMoveEnd    = 123
	KeyRecents    = 187
	KeySleep      = 223
	KeyWakeUp     = 224
)
