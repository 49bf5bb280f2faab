package inquiry_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
)

func TestAnActIsWordedForItsReader(t *testing.T) {
	for _, c := range inquirytest.Consents(t) {
		for lang, headline := range c.Headlines {
			first, _, _ := strings.Cut(c.Question.In(lang).Text, "\n")
			require.Equal(t, headline, first)
			c.Shown(t, lang, c.Question.In(lang).Text, "")
		}
	}
	require.Equal(t, "Which?", inquiry.Question{Text: "Which?"}.In("zh").Text)
}
