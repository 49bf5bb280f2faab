package runs

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/store"
)

// keysKept is how many of the latest calls can be repeated safely.
const keysKept = 20

// again returns an error if a key is used for a different call.
func (k usedKey) again(task string, same bool) error {
	if same && sameTask(k.Task, task) {
		return nil
	}
	return invalid("use a new key for another call",
		"the key %q stands for a call that brought another task, phone or values", k.Key)
}

func sameTask(a, b string) bool {
	return slices.Equal(strings.Fields(a), strings.Fields(b))
}

// begun returns the session that was begun under the request's key. It returns false if there is
// none.
func (m *Manager) begun(ctx context.Context, r StartRequest) (Status, bool, error) {
	if r.Key == "" {
		return Status{}, false, nil
	}
	sess, err := m.store.SessionByKey(ctx, r.Client, r.Key)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Status{}, false, nil
	case err != nil:
		return Status{}, false, err
	}
	first, err := m.store.Runs.Of(ctx, sess.ID)
	if err != nil {
		return Status{}, false, err
	}
	used, same := usedKey{Key: r.Key, Task: r.Task}, true
	if len(first) > 0 {
		s, err := settingsOf(first[0])
		if err != nil {
			return Status{}, false, err
		}
		used.Task = first[0].Task
		same = s.Skill == nil || r.Settings.Skill == nil || // a task may find its skill by itself
			bytes.Equal(encode(s.Skill), encode(r.Settings.Skill))
	}
	_, anywhere, _ := wantedIn(r.Serial)
	same = same && sess.Kind() == r.Kind && (r.Serial == "" || anywhere ||
		means(ctx, m.opts.Phones, r.Serial, sess.Serial))
	if err := used.again(r.Task, same); err != nil {
		return Status{}, false, err
	}
	st, err := m.Status(ctx, sess.ID)
	return st, err == nil, err
}

// repeated reports whether the call was already carried out under its key.
func (s storedSettings) repeated(r ContinueRequest) (bool, error) {
	if r.Key == "" || r.Reply != nil { // a reply has an id instead
		return false, nil
	}
	for _, used := range s.Keys {
		if used.Key == r.Key {
			return true, used.again(r.Task, true)
		}
	}
	return false, nil
}

// keysWith returns the session's keys with that of r.
func (s storedSettings) keysWith(r ContinueRequest) []usedKey {
	if r.Key == "" {
		return s.Keys
	}
	all := append(slices.Clip(s.Keys), usedKey{r.Key, r.Task})
	return all[max(len(all)-keysKept, 0):]
}
