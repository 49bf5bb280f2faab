package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/screen/marks"
)

// Dialect is how one family of models is spoken to. Any number of goroutines may use one at once.
type Dialect interface {
	// Profile says what the dialect is, and what of the past it wants to be shown.
	Profile() Profile
	// Prompt asks for the next action.
	Prompt(s Situation) (Request, error)
	// Parse reads a reply to the prompt of s. It returns a valid action with its points on the
	// screen, or a *ParseError. Decision.Fields are the reply's own fields for agent_action, in
	// gelab-zero's keys. They are empty for a dialect whose models write no such fields.
	Parse(r actions.Reply, s Situation) (actions.Decision, error)
	// Repair returns the messages that ask again after a reply that Parse refused with err.
	Repair(r actions.Reply, err error) []Message
	// Transcript is the reply as one text, for the record.
	Transcript(r actions.Reply) string
}

// Profile describes a dialect.
type Profile struct {
	Name     string // for example gelab
	Lang     string // of the prompts, zh or en
	Turns    int    // how many past turns are kept and shown again
	Pictures int    // how many of them, the newest, with the picture that the model saw

	Fit         screen.Fit         // in which size the screen is sent
	Coordinates screen.Coordinates // how the model writes places on that picture

	// the screen's elements are read before the prompt, numbered on the picture and listed
	Elements bool
}

// Situation is what a model decides from.
type Situation struct {
	Task        string
	Summary     string             // the model's own account of what has been done, "" at the start
	Remembered  []string           // what the model noted, oldest first
	Exchanges   []actions.Exchange // questions and what came of them, oldest first
	ReplyJustIn bool               // the last exchange has not been shown to the model yet
	Notes       []string           // said once, worded in the dialect's language
	History     []Turn             // as many past turns as the profile wants, oldest first
	Screen      screen.Observation // the screen now
}

// Turn is a past step in the form in which it is shown again.
type Turn struct {
	actions.Turn
	Frame *screen.Frame // what the model saw, nil if not kept or not among Profile.Pictures
}

// Request is what a model is asked.
type Request struct {
	Messages []Message
	Tools    []Tool   // what it may call
	Stop     []string // texts at which it stops writing
}

// String returns the request as a text, with sizes for pictures and a line for each call and tool.
func (r Request) String() string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString("[" + m.Role + "]\n")
		for _, p := range m.Parts {
			b.WriteString(p.String() + "\n")
		}
		for _, c := range m.Calls {
			b.WriteString("[call] " + c.Name + " " + c.Arguments + "\n")
		}
	}
	for _, t := range r.Tools {
		b.WriteString("[tool] " + t.Name + ": " + t.Description + " " + string(t.Parameters) + "\n")
	}
	return b.String()
}

// Message is one of a conversation with a model.
type Message struct {
	Role   string // system, user, assistant or tool
	Parts  []Part
	Calls  []actions.Call // of the assistant
	CallID string         // the call that a tool's message answers
}

// Part is a text or a picture.
type Part struct {
	Text string
	JPEG []byte
}

func (p Part) String() string {
	if p.JPEG == nil {
		return p.Text
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(p.JPEG))
	if err != nil {
		return "[no picture: " + err.Error() + "]"
	}
	return fmt.Sprintf("[picture %dx%d]", size.Width, size.Height)
}

// Tool is a function that a model may call. Parameters is the JSON Schema of its arguments.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// ParseError says why a reply is no action. It is made to be shown to the model.
type ParseError struct {
	Problem string // why it cannot be read
	Want    string // what was expected

	// Off is set when a place is not within the coordinates that were taken for the model's.
	Off *screen.OffScale
}

func (e *ParseError) Error() string { return e.Problem + "; expected " + e.Want }

// Scale is how places are written on one picture.
type Scale struct {
	Coordinates screen.Coordinates
	Picture     screen.Size  // that the model was sent
	Marks       []marks.Mark // the elements that are numbered on it
}
