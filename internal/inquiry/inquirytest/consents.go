package inquirytest

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/words"
)

// Consent is a question about an act, with the headline that its readers are shown by language.
type Consent struct {
	Question  inquiry.Question
	Act       *consent.Act
	Headlines map[string]string
}

//go:embed consents.json
var consents []byte

const reason = "cannot be taken back"

// Consents are questions about acts, whose stored texts are for no reader.
func Consents(t testing.TB) (all []Consent) {
	require.NoError(t, json.Unmarshal(consents, &all))
	for i, c := range all {
		body := &inquiry.Approval{Act: c.Act, Severity: inquiry.Sensitive, Reason: reason,
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "DO",
				AllowedDecisions: []string{inquiry.Approve, inquiry.Reject}}}}
		for range 1 + len(c.Act.More) {
			body.ActionRequests = append(body.ActionRequests, inquiry.ActionRequest{Name: "DO",
				Args: inquiry.Args{"x": 0.45}, Description: "On: it\nArgs: {\"x\":0.45}"})
		}
		all[i].Question = inquiry.Question{Text: "DO (0.450,0.532) in com.secret.pkg", Body: body}
	}
	require.Len(t, all, 10)
	return all
}

// Shown checks how a question is shown: the headline once, the reason at most once, and no package,
// place or JSON in front of the word details.
func (c Consent) Shown(t testing.TB, lang, shown, details string) {
	t.Helper()
	require.Equal(t, 1, strings.Count(shown, c.Headlines[words.Match(lang)]), shown)
	require.Less(t, strings.Count(shown, reason), 2, shown)
	if details != "" {
		shown, _, _ = strings.Cut(shown, details)
	}
	for _, not := range []string{"com.secret", "0.45", `{"x"`, "permissioncontroller"} {
		require.NotContains(t, shown, not)
	}
}
