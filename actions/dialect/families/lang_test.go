package families_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/words"
)

// A family that was trained in one language is asked in it, whatever the task's is. The others are
// asked in the task's.
func TestAutoIsTheFamilysLanguageOrTheTasks(t *testing.T) {
	frame, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 108, 240)))
	require.NoError(t, err)
	for model, own := range map[string]string{"gelab-zero-4b-preview": "zh", "qwen2.5-vl-72b": "",
		"ui-tars-1.5-7b": "", "gpt-5": "", "glm-4.6v": "", "some-model": ""} {
		d, err := families.Known.New(dialect.Auto, &dialect.Options{Model: model, Lang: words.Auto})
		require.NoError(t, err)
		require.Equal(t, own, families.Known.Lang(dialect.Auto, model), model)
		for task, lang := range map[string]string{"Set an alarm": "en", "打开设置": "zh"} {
			if own != "" {
				lang = own
			}
			as := d
			if m, several := d.(dialect.Multilingual); several {
				as = m.In(words.Spoken(task))
			} else {
				require.NotEmpty(t, own, model)
			}
			require.Equal(t, lang, as.Profile().Lang, "%s: %s", model, task)
			s := dialect.Situation{Task: task, Screen: screen.Observation{Frame: frame}}
			want, err := as.Prompt(s)
			require.NoError(t, err)
			got, err := d.Prompt(s)
			require.NoError(t, err)
			require.Equal(t, want, got, "who knows nothing of languages gets the same prompt")
		}
	}
	require.Equal(t, "zh", families.Known.Lang("gelab-adv", "any"))
	require.Empty(t, families.Known.Lang("qwen", "gelab"))
}
