package dialect

import (
	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/words"
)

// Multilingual is a Dialect that speaks the language of each task. Its profile is that of the
// default language, and a repair has no task: who knows the task asks In for the dialect.
type Multilingual interface {
	Dialect
	// In returns the dialect in a language of words.Languages.
	In(lang string) Dialect
}

type multilingual struct {
	*chosen // in the default language
	in      map[string]*chosen
}

func newMultilingual(f Family, t Table, o Options) *multilingual {
	m := &multilingual{in: map[string]*chosen{}}
	for _, o.Lang = range words.Languages() {
		m.in[o.Lang] = &chosen{f.New(o), f, t, o}
	}
	m.chosen = m.in[words.Default]
	return m
}

// In implements [Multilingual].
func (m *multilingual) In(lang string) Dialect { return m.in[lang] }

// Prompt implements [Dialect].
func (m *multilingual) Prompt(s Situation) (Request, error) {
	return m.in[words.Spoken(s.Task)].Prompt(s)
}

// Parse implements [Dialect].
func (m *multilingual) Parse(r actions.Reply, s Situation) (actions.Decision, error) {
	return m.in[words.Spoken(s.Task)].Parse(r, s)
}
