package result

import (
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/session"
)

// Sessions is what list_sessions returns.
type Sessions struct {
	Sessions []Session `json:"sessions"`
	Error    *Failure  `json:"error"`
}

// Session is a session in a list, with its last run.
type Session struct {
	SessionID string               `json:"session_id"`
	RunID     string               `json:"run_id"`
	DeviceID  string               `json:"device_id"`
	Task      string               `json:"task"`
	State     session.State        `json:"state"`
	Reason    agentloop.StopReason `json:"stop_reason"`
	Steps     int                  `json:"global_step_idx"`
	Answer    *string              `json:"answer"`
	Question  *OpenQuestion        `json:"question"`
	Next      *Next                `json:"next"`
	CreatedAt time.Time            `json:"created_at"`
	UpdatedAt time.Time            `json:"updated_at"`
}

// Phones is what list_connected_devices returns.
type Phones struct {
	Devices []ListedPhone `json:"devices"`
	Error   *Failure      `json:"error"`
}

// Serials is what list_connected_devices returns to clients of gelab-zero's server.
type Serials struct {
	Result []string `json:"result"`
}

// ListedPhone is a phone in a list. What is not known is null.
type ListedPhone struct {
	ID      string  `json:"device_id"`
	State   string  `json:"state"`
	Usable  bool    `json:"usable"`
	Model   string  `json:"model,omitempty"`
	Android string  `json:"android_version,omitempty"`
	SDK     int     `json:"sdk,omitempty"`
	Size    *[2]int `json:"device_wm_size"`
	On      *bool   `json:"screen_on"`
	Locked  *bool   `json:"locked"`
	App     string  `json:"foreground_app,omitempty"`
	HeldBy  *Holder `json:"held_by"`
}

// Screenshot is what get_screenshot returns besides the picture.
type Screenshot struct {
	DeviceID string    `json:"device_id,omitempty"`
	At       time.Time `json:"at,omitzero"`
	Size     [2]int    `json:"device_wm_size,omitzero"`
	Picture  [2]int    `json:"screenshot_size,omitzero"` // absent when there is no picture
	On       *bool     `json:"screen_on,omitempty"`      // absent when the phone was not looked at
	Locked   *bool     `json:"locked,omitempty"`
	App      string    `json:"foreground_app,omitempty"`
	Elements []Element `json:"elements,omitempty"`
	Next     *Next     `json:"next,omitempty"` // of a call that could not be carried out
	Notes    []string  `json:"notes,omitempty"`
	Error    *Failure  `json:"error"`
}

// NewScreenshot tells of a phone that was looked at, without a picture.
func NewScreenshot(serial string, o screen.Observation) Screenshot {
	s := o.State
	return Screenshot{DeviceID: serial, At: o.At, Size: [2]int{s.Size.W, s.Size.H}, On: &s.On,
		Locked: &s.Locked, App: s.App}
}
