package sandbox

// Android's key codes that the phone acts on.
const (
	KeyHome    = 3
	KeyBack    = 4
	KeyCenter  = 23
	KeyPower   = 26
	KeySpace   = 62
	KeyEnter   = 66
	KeyDelete  = 67
	KeyMenu    = 82
	KeyEscape  = 111
	KeyRecents = 187
	KeySleep   = 223
	KeyWakeUp  = 224
)
