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
