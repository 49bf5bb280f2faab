package inquiry

import (
	"github.com/taploop/taploop/internal/inquiry/secret"
)

// openEnded reports whether any words may answer the question. Choices and known answers are not
// secrets.
func openEnded(q *Question) bool {
	ask := As[Ask](*q)
	return len(ask.Options) == 0 && len(As[Form](*q).Fields) == 0 && ask.Draft == "" &&
		q.DefaultAnswer == ""
}

// AsksForSecret reports whether the question asks to be told a password, a code or a PIN.
func (q Question) AsksForSecret() bool { return openEnded(&q) && secret.Wanted(q.Text) }

// AsksForAct reports whether the question wants an act on the phone and no more than word of it.
func (q Question) AsksForAct() bool { return openEnded(&q) && secret.Act(q.Text) }

// isCode reports whether an answer looks like the code or the password that the question names. The
// answer is a secret then, unless the question is Public.
func isCode(q *Question, answer string) bool {
	return !q.Public && openEnded(q) && secret.Is(q.Text, answer)
}
