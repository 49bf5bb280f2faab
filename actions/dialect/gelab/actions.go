package gelab

import (
	"reflect"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

// anyForm is the expected form if no action is known.
const anyForm = "explain:...\taction:CLICK\tpoint:512,92\tsummary:... " +
	"on one line, with a TAB between the fields"

// also are other names that models use for actions.
var also = map[string]string{
	actions.Click{}.Verb():       "TAP",
	actions.DoubleClick{}.Verb(): "DOUBLECLICK DOUBLE_TAP",
	actions.LongPress{}.Verb():   "LONG_PRESS",
	actions.Slide{}.Verb():       "SWIPE",
	actions.HotKey{}.Verb():      "HOTKEY",
	actions.Info{}.Verb():        "CALL_USER",
}

// forms are the whole vocabulary, in the words of agent_action: this family's are where they come
// from.
var forms = func() (all dialect.Forms) {
	for _, a := range actions.Vocabulary() {
		f := dialect.OwnForm(a)
		if a == (actions.Wait{}) {
			f.Action = dialect.UsualWait
		}
		f.Also = also[f.Name]
		f.Want = "action:" + f.Name + wanted(&f)
		all = append(all, f)
	}
	return all
}()

// wanted are the fields that have to follow the name of an action.
func wanted(f *dialect.Form) (fields string) {
	for _, p := range f.Params() {
		value := strings.ToLower(p.Field)
		switch p.Type {
		case reflect.TypeFor[screen.Point]():
			value = "x,y"
		case reflect.TypeFor[time.Duration]():
			value = "seconds"
		case reflect.TypeFor[actions.Direction]():
			value = "up"
		case reflect.TypeFor[actions.Key]():
			value = "name"
		}
		if !p.Optional {
			fields += "\t" + p.Names[0] + ":" + value
		}
	}
	return fields
}

// cleaned is an action's name without what models put around it.
func cleaned(name string) string { return strings.Trim(name, " \"'`*[]().。") }
