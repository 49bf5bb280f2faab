package screen

import "time"

// Rotation is how far the display is turned, in quarter turns counter-clockwise from its natural
// orientation, 0 to 3.
type Rotation int

// State is what a phone says of itself along with the picture.
type State struct {
	On       bool     `json:"on"`       // the display is lit
	Locked   bool     `json:"locked"`   // the lock screen is in front
	Secure   bool     `json:"secure"`   // the window in front forbids capture (FLAG_SECURE)
	Rotation Rotation `json:"rotation"` // as the display is turned now
	// logical display as turned now: the coordinates that input uses
	Size     Size   `json:"size"`
	App      string `json:"app"`      // package in front, "" when unknown
	Activity string `json:"activity"` // component in front ("pkg/.Activity"), "" when unknown
	// the phone's own name of the window in front, "" when unknown: a dialog has another one than
	// the page of the same activity behind it
	Window string `json:"-"`
}

// Replaced says what has come to the front of the one that was in front then, or "" for nothing.
// What one of them does not know is no difference.
func (s State) Replaced(then State) string {
	other := func(now, then string) bool { return now != "" && then != "" && now != then }
	switch {
	case s.Secure && !then.Secure:
		return "a window that forbids capture came to the front"
	case other(s.App, then.App):
		return s.App + " came to the front"
	case other(s.Activity, then.Activity), other(s.Window, then.Window):
		return "another window came to the front"
	case s.Size != then.Size && s.Size.Valid():
		return "the display became " + s.Size.String()
	}
	return ""
}

// Observation is one look at a phone: a frame and the state that was read with it.
// Frame is nil when the display is off.
type Observation struct {
	Frame *Frame
	State State
	Bar   float64 // the status bar's share of the height, 0 if unknown or hidden
	At    time.Time
	// the elements on the frame, in the phone's order, nil if they were not asked for or could not
	// be read
	Elements []Element
}
