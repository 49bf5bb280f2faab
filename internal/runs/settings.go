package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
)

// Settings configure a run. They are stored with it, so that a restart does not change them.
type Settings struct {
	ReplyMode channel.Mode `json:"reply_mode,omitempty"` // "" means PassToClient
	// the client shows its user forms, and what they bring is a person's word: consents and
	// takeovers are asked there before they are passed to the client
	Forms    bool `json:"forms,omitempty"`
	Captions bool `json:"captions,omitempty"` // describe each frame in words
	// describe only the frame on which the run ends or asks
	FinalCaption bool `json:"final_caption,omitempty"`
	// continue with no call attached, see Manager.Attach
	DetachedOK bool            `json:"detached_ok,omitempty"`
	Client     json.RawMessage `json:"client,omitempty"` // opaque data of the caller
	// path of the file with the agents' MCP servers, which no later settings replace
	Servers string `json:"mcp,omitempty"`
	// Verify says by what the end of the run is looked at, "" as the configuration does.
	Verify string `json:"verify,omitempty"`
	// AnswerSchema is the JSON Schema that the run's answer has to fit, nil for any text.
	AnswerSchema json.RawMessage `json:"answer_schema,omitempty"`
	// Skill is what the run replays, as Options.NewPolicy reads it, nil if it replays nothing. No
	// later settings replace it, and the session's next task has none.
	Skill json.RawMessage `json:"skill,omitempty"`
}

// storedSettings are the settings and other state that a Manager stores with a run.
type storedSettings struct {
	Settings
	CallFrom int `json:"call_from"` // the session's steps before the present call
	// the words of a person that the task stands for, "" if it stands for none
	Wish string `json:"wish,omitempty"`
	// of the calls that started or resumed the session's runs, oldest first
	Keys []usedKey `json:"keys,omitempty"`
	// of a run that has yet to begin, also after a restart or on another machine
	Begin *beginning `json:"begin,omitempty"`
}

// Wish returns the words of a person that the run's task stands for: the task itself, if a person
// gave it, or the goal of agents for which it is done. It is "" if no one but a program or a model
// has worded it, or if that is not known.
func Wish(r store.Run) string {
	s, _ := settingsOf(r) // settings that cannot be read hold no wish
	return s.Wish
}

// usedKey is the key of a call that was carried out. Another call with the key gets the same reply.
// If its content differs, it is refused.
type usedKey struct {
	Key  string `json:"key"`
	Task string `json:"task,omitempty"` // of the call
}

// with returns the settings after a call's changes. nil keeps them.
func (s storedSettings) with(changed *Settings) Settings {
	if changed == nil {
		return s.Settings
	}
	now := *changed
	now.Servers, now.Skill = s.Servers, s.Skill
	return now
}

func settingsOf(r store.Run) (storedSettings, error) {
	var s storedSettings
	if len(r.Settings) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(r.Settings, &s); err != nil {
		return s, fmt.Errorf("reading the settings of run %s: %w", r.ID, err)
	}
	return s, nil
}

// encode returns v as JSON. Settings in v must have been checked.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err)) // Client was checked to be JSON
	}
	return b
}

// beginning is what a life of a run begins with.
type beginning struct {
	Had    bool   `json:"had,omitempty"` // it may have begun: see start
	Home   bool   `json:"home,omitempty"`
	Fresh  bool   `json:"fresh,omitempty"`
	Handed bool   `json:"handed,omitempty"`
	Said   string `json:"said,omitempty"`
	Turn
}

// start is how the next life of the run begins. One that has had its turn, and may not have come to
// its start, begins from there again while it has taken no step, and nobody else had the phone.
func (s storedSettings) start(steps int, alone bool) *beginning {
	if s.Begin != nil && s.Begin.Had && (steps > s.CallFrom || !alone) {
		return nil
	}
	return s.Begin
}

// Turn is how a new run waits for its phone or for a place among the goals.
type Turn struct {
	// Rank is among the runs of the same client: higher ones go first.
	Rank int `json:"rank,omitempty"`
	// Until is when it ends if it still waits, by the clock of the machine that looks; zero is
	// never.
	Until time.Time `json:"until,omitzero"`
}

func (t Turn) late() bool { return !t.Until.IsZero() && !time.Now().Before(t.Until) }

// errLate ends a run whose turn did not come in time.
var errLate = errors.New("its turn did not come within the time that it was to wait")

// Late reports whether the run has ended because its turn did not come in time.
func Late(r store.Run) bool { return r.State == store.Cancelled && r.Error == errLate.Error() }

// checked fills in the reply mode. It returns an error for settings that cannot be met here.
func (s Settings) checked(desk *asking.Desk) (Settings, error) {
	var err error
	if s.ReplyMode, err = channel.Parse(string(s.ReplyMode)); err != nil {
		return s, Coded(InvalidArgument, err)
	}
	step, err := desk.Lacks(s.ReplyMode)
	switch {
	case err != nil:
		return s, err
	case step != nil:
		return s, invalid("use pass_to_client, or "+step.Provide,
			"reply mode %s needs %s, and there is none", s.ReplyMode, step.Needs)
	}
	if len(s.Client) > 0 && !json.Valid(s.Client) {
		return s, invalid("", "the client's own settings are not JSON")
	}
	return s, nil
}
