package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
)

func TestAQuestionIsWordedInTheLanguageOfWhoReadsIt(t *testing.T) {
	in := map[string]string{"en": "it pays", "zh": "可能会付款"}
	asked := inquiry.Question{Kind: inquiry.KindApproval, Text: "as it was asked", Body: &inquiry.Approval{
		Reason: "it pays", Act: &consent.Act{Verb: "CLICK", Label: "Buy now please", Because: in,
			More: []*consent.Act{{Verb: "BACK", Because: in}, {Verb: "HOME",
				Because: map[string]string{"en": "it leaves", "zh": "会离开"}}}}}}
	byHand := inquiry.Question{Kind: inquiry.KindTakeover, Text: "as it was asked",
		Body: &inquiry.Takeover{Says: in}}
	for lang, want := range map[string]string{"en": "it pays; it leaves", "zh-CN": "可能会付款; 会离开"} {
		require.Equal(t, want, inquiry.As[inquiry.Approval](asked.In(lang)).Reason)
	}
	require.Equal(t, "it pays", inquiry.As[inquiry.Approval](asked).Reason, "it is a copy")
	require.Equal(t, "可能会付款", byHand.In("zh").Text)
	require.Equal(t, "it pays", byHand.In("fr").Text)
	byHand.Body = &inquiry.Takeover{}
	require.Equal(t, "as it was asked", byHand.In("zh").Text)
}
