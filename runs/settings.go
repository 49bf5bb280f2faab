package runs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/inquiry/channel"
	"github.com/taploop/taploop/session"
)

// Settings are how a run behaves. They are stored with it, so that it behaves the same after a
// restart.
type Settings struct {
	ReplyMode channel.Mode `json:"reply_mode,omitempty"` // "" means PassToClient
	Captions  bool         `json:"captions,omitempty"`   // each frame in words
	// the frame in words on which the run ends or asks
	FinalCaption bool `json:"final_caption,omitempty"`
	// goes on with no call attached, see Manager.Attach
	DetachedOK bool            `json:"detached_ok,omitempty"`
	Client     json.RawMessage `json:"client,omitempty"` // the caller's own, kept as given
}

// stored is the settings with what the Manager itself has to know again.
type stored struct {
	Settings
	CallFrom int `json:"call_from"` // steps of the session before the present call
	// of the calls that began or resumed the session's runs, oldest first
	Keys []usedKey `json:"keys,omitempty"`
}

// usedKey is the key of a call that was carried out.
type usedKey struct {
	Key  string `json:"key"`
	Task string `json:"task,omitempty"` // that it brought
}

// keysKept is how many calls back one can be sent again.
const keysKept = 20

func (s stored) keysWith(key, task string) []usedKey {
	if key == "" {
		return s.Keys
	}
	all := append(slices.Clip(s.Keys), usedKey{key, task})
	return all[max(len(all)-keysKept, 0):]
}

// encode is v, which holds Settings that were checked, as JSON.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err)) // Client was checked to be JSON
	}
	return b
}

func settingsOf(r session.Run) (stored, error) {
	var s stored
	if len(r.Settings) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(r.Settings, &s); err != nil {
		return s, fmt.Errorf("reading the settings of run %s: %w", r.ID, err)
	}
	return s, nil
}

const maxTask = 20_000 // characters

func checkTask(task string) error {
	switch n := utf8.RuneCountInString(task); {
	case strings.TrimSpace(task) == "":
		return invalid("say in one or two sentences what is to be done, and in which app",
			"the task is empty")
	case !utf8.ValidString(task):
		return invalid("send the task as UTF-8", "the task is not text")
	case n > maxTask:
		return invalid("break the goal down into simpler tasks",
			"the task has %d characters (want at most %d)", n, maxTask)
	}
	return nil
}

// checkSettings fills in the reply mode and refuses what this Manager cannot do.
func (m *Manager) checkSettings(s Settings) (Settings, error) {
	var err error
	if s.ReplyMode, err = channel.Parse(string(s.ReplyMode)); err != nil {
		return s, Coded(InvalidArgument, err)
	}
	steps, err := s.ReplyMode.Steps()
	if err != nil {
		return s, err
	}
	for _, step := range steps {
		if step.Needs != "" && m.askers[step.Name] == nil {
			return s, invalid("use pass_to_client, or "+step.Provide,
				"reply mode %s needs %s, and there is none", s.ReplyMode, step.Needs)
		}
	}
	if len(s.Client) > 0 && !json.Valid(s.Client) {
		return s, invalid("", "the client's own settings are not JSON")
	}
	return s, nil
}

// steps is the effective limit of a call: what was asked for, at most what is configured.
func (m *Manager) steps(asked int) (int, error) {
	if asked < 0 {
		return 0, invalid("leave max_steps out for the configured maximum",
			"max_steps is %d (want at least 1)", asked)
	}
	most := m.opts.Limits.Steps
	return min(cmp.Or(asked, most), most), nil
}
