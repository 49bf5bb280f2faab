package story

import (
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
)

// Reply is the command that replies to a question, or lists the ways if each needs words. What only
// a person decides is shown where none is attending, and not how to decide it: a program may read
// that.
func Reply(q inquiry.Question, attended bool) string {
	id, how := q.ID[:min(8, len(q.ID))], " "+q.Flag()
	switch {
	case q.ForPeople() && !attended:
		return "taploop inquiries " + id
	case q.Secret:
		how = " -"
	case q.Kind.Flag() == "":
		how = " TEXT"
	}
	return "taploop reply " + id + strings.TrimRight(how, " ")
}
