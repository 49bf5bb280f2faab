package words_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/words"
)

func TestALanguageIsToldByItsCharacters(t *testing.T) {
	for text, want := range map[string]string{"": "en", "Set an alarm": "en", "打开设置": "zh",
		"在 Shop 里买一双 Runner": "zh", "設定を開いて": "en", "알람을 맞춰 줘 漢字": "en",
		"Öffne die Einstellungen": "en", "發一條訊息給媽媽": "zh"} {
		require.Equal(t, want, words.Spoken(text), text)
		require.Equal(t, want, words.For(words.Auto, text), text)
		require.Equal(t, "zh", words.For("zh-TW", text))
		require.Equal(t, "en", words.For("en", text))
	}
}
