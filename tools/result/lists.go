package result

import (
	"encoding/json"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
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
	State     store.State          `json:"state"`
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

// ListedPhone is a phone in a list. Unknown values are null.
type ListedPhone struct {
	ID string `json:"device_id"`
	// of the phone, by each of which it can be named as well; absent if it is just the id
	Addresses []string `json:"addresses,omitempty"`

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
	Worker  string  `json:"worker,omitempty"` // the other machine that has it
	// by which a task can want it, beside what is above
	Labels map[string]string `json:"labels,omitempty"`
}

// Screenshot describes a picture of a phone's screen.
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

// Element is one element of a phone's screen, in uiautomator's words.
type Element struct {
	Bounds      [4]int `json:"bounds"` // left, top, right, bottom
	Text        string `json:"text,omitempty"`
	ContentDesc string `json:"content_desc,omitempty"`
	Hint        string `json:"hint,omitempty"`
	Class       string `json:"class,omitempty"`
	ResourceID  string `json:"resource_id,omitempty"`
	Clickable   bool   `json:"clickable,omitempty"`
	Holdable    bool   `json:"long_clickable,omitempty"`
	Scrollable  bool   `json:"scrollable,omitempty"`
	Editable    bool   `json:"editable,omitempty"`
	Password    bool   `json:"password,omitempty"`
	Checked     *bool  `json:"checked,omitempty"` // absent when it cannot be checked
	Focused     bool   `json:"focused,omitempty"`
	Enabled     *bool  `json:"enabled,omitempty"` // false, or absent
}

// Bounds of a list of elements in a result.
const (
	elementText  = 200    // characters of a text
	elementBytes = 20_000 // of all of them as JSON
)

// NewElements lists elements in the pixels of a display of that size, as many as a result may hold,
// and says how many are left out.
func NewElements(all []screen.Element, size screen.Size) (list []Element, left int, err error) {
	room := elementBytes
	for i := range all {
		e := newElement(&all[i], size)
		b, err := json.Marshal(e)
		if err != nil {
			return nil, 0, err
		}
		if room -= len(b) + 1; room < 0 {
			return list, len(all) - i, nil
		}
		list = append(list, e)
	}
	return list, 0, nil
}

func newElement(e *screen.Element, size screen.Size) Element {
	r := e.Bounds.Pixels(size)
	out := Element{Bounds: [4]int{r.Min.X, r.Min.Y, r.Max.X, r.Max.Y},
		Text: text.Cut(e.Text, elementText), ContentDesc: text.Cut(e.ContentDesc, elementText),
		Hint: text.Cut(e.Hint, elementText), Class: e.Class, ResourceID: e.ResourceID,
		Clickable: e.Clickable, Holdable: e.LongClickable,
		Scrollable: e.Scrollable, Editable: e.Editable, Password: e.Password, Focused: e.Focused}
	if e.Password {
		out.Text = ""
	}
	if e.Checkable {
		out.Checked = &e.Checked
	}
	if !e.Enabled {
		out.Enabled = &e.Enabled
	}
	return out
}

// Inquiry is how a question stands after it was asked or answered.
type Inquiry struct {
	ID        string            `json:"question_id,omitempty"`
	SessionID string            `json:"session_id,omitempty"`
	Status    inquiry.Status    `json:"status,omitempty"`
	Answer    *string           `json:"answer"`
	Values    json.RawMessage   `json:"values"`
	Settled   *Winner           `json:"resolution"`
	Usage     *inquiry.Spending `json:"usage,omitempty"`
	Replayed  bool              `json:"replayed,omitempty"`
	Question  *OpenQuestion     `json:"question"`
	Next      *Next             `json:"next"`
	Timing    *Waiting          `json:"timing,omitempty"`
	Notes     []string          `json:"notes,omitempty"`
	Error     *Failure          `json:"error"`
}

// NewInquiry is how q stands, without an answer.
func NewInquiry(q inquiry.Question) *Inquiry {
	return &Inquiry{ID: q.ID, SessionID: q.SessionID, Status: q.Status, Settled: newWinner(q),
		Usage: q.Usage}
}

// ValuesOf are the values of a form that was answered, or nil if there are none.
func ValuesOf(q inquiry.Question) json.RawMessage {
	if len(inquiry.As[inquiry.Form](q).Fields) == 0 || q.Resolution == nil {
		return nil
	}
	answer := json.RawMessage(q.Resolution.Response.Reveal())
	if !json.Valid(answer) {
		return nil
	}
	return answer
}

// Pending is a list of open questions.
type Pending struct {
	Questions []OpenQuestion `json:"questions"`
	Total     int            `json:"total"`
	Next      *Next          `json:"next,omitempty"` // of a call that could not be carried out
	Notes     []string       `json:"notes,omitempty"`
	Error     *Failure       `json:"error"`
}
