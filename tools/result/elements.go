package result

import (
	"encoding/json"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/screen"
)

// Element is one element of a phone's screen, in uiautomator's words.
type Element struct {
	Bounds      [4]int `json:"bounds"` // left, top, right, bottom
	Text        string `json:"text,omitempty"`
	ContentDesc string `json:"content_desc,omitempty"`
	Class       string `json:"class,omitempty"`
	ResourceID  string `json:"resource_id,omitempty"`
	Clickable   bool   `json:"clickable,omitempty"`
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
		Class: e.Class, ResourceID: e.ResourceID, Clickable: e.Clickable,
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
