package goals

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// A question for a secret that nobody has answered is told as any other.
func TestAnAgentHearsHowAQuestionForASecretWasSettled(t *testing.T) {
	for status, told := range map[inquiry.Status]string{
		inquiry.Answered:  "the person answered with a secret, which is not shown to agents",
		inquiry.Refused:   "the person refuses to answer",
		inquiry.Expired:   "no answer came in time",
		inquiry.Withdrawn: "no answer came in time",
	} {
		q := inquiry.Question{Secret: true, Status: status, Resolution: &inquiry.Resolution{}}
		require.Equal(t, told, answerOf(q))
	}
}
