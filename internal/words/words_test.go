package words_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/words"
)

func TestALanguageIsFoundByAnyOfItsTags(t *testing.T) {
	for wanted, want := range map[string]string{"": "en", "en": "en", "en-US": "en", "zh": "zh",
		"zh-CN": "zh", "ZH": "zh", "zh_Hans": "zh", "ZH_tw": "zh", "zh-Hant-HK": "zh", "cmn": "zh",
		"fr": "en", "zhx": "en", "no language": "en",
		"zh-CN,zh;q=0.9,en;q=0.8": "zh", "en-US,en;q=0.9,zh;q=0.8": "en", "de, zh;q=0.5": "zh",
	} {
		require.Equal(t, want, words.Match(wanted), wanted)
	}
	require.Equal(t, "zh", words.Match("", "fr", "zh-CN", "en"))
	_, ok := words.Find("fr")
	require.False(t, ok)
	lang, ok := words.Find("en-GB")
	require.True(t, ok)
	require.Equal(t, "en", lang)
}

// untranslated keys are in one language only, with the reason.
var untranslated = map[string]string{
	"terminal.kinds.approval.says": "they are what people of the language type",
	"page.channels":                "in English they stand in the registry of the channels",
	"consent.tools":                "tools are named in English",
	"story.inFront":                "it stands in front of errors, which are in English",
}

func TestEveryLanguageHasTheSameTextsWithTheSamePlaceholders(t *testing.T) {
	english := keysOf(t, words.Default)
	require.NotEmpty(t, english)
	for _, lang := range words.Languages() {
		texts := keysOf(t, lang)
		for _, key := range slices.Sorted(maps.Keys(english)) {
			require.Contains(t, texts, key, lang)
			require.Equal(t, placeholders(english[key]), placeholders(texts[key]), "%s: %s", lang,
				key)
		}
		for key := range texts {
			group := key[:strings.LastIndexByte(key, '.')]
			if untranslated[group] == "" {
				require.Contains(t, english, key, "only in %s", lang)
			}
		}
	}
}

var directive = regexp.MustCompile(`%[-\d]*(\[\d\])?[a-z%]|\{\w+\}`)

// placeholders are what a text is filled with: directives in their order, names in any.
func placeholders(s string) (all []string) {
	var names []string
	for _, d := range directive.FindAllString(s, -1) {
		if strings.HasPrefix(d, "{") {
			names = append(names, d)
		} else {
			all = append(all, strings.TrimLeft(d, "%-0123456789"))
		}
	}
	slices.Sort(names)
	return append(all, slices.Compact(names)...)
}

// keysOf are the texts of a language by domain and key, with points between.
func keysOf(t *testing.T, lang string) map[string]string {
	all := map[string]string{}
	files, err := filepath.Glob(lang + "/*.yaml")
	require.NoError(t, err)
	for _, f := range files {
		if filepath.Base(f) == "phrases.yaml" {
			continue // its keys are what is said in English
		}
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		var keys any
		require.NoError(t, yaml.UnmarshalWithOptions(b, &keys, yaml.Strict()))
		flatten(all, strings.TrimSuffix(filepath.Base(f), ".yaml"), keys)
	}
	return all
}

func flatten(all map[string]string, name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for k, below := range v {
			flatten(all, name+"."+k, below)
		}
	case []any:
		for i, below := range v {
			flatten(all, fmt.Sprint(name, ".", i), below)
		}
	default:
		all[name] = fmt.Sprint(v)
	}
}

// other are rules for which language a text is in besides words.Find.
var other = regexp.MustCompile(`(?i)[!=]= "(zh|en)"|HasPrefix\(.*"zh|case "(zh|en)"|` +
	`"(zh|en)": ?["{&\[\w]|"(zh|en)", ?"(zh|en)"`)

// own are folders that other rules may be in: a simulated phone has texts in two languages.
var own = []string{"internal/sandbox", "internal/words"}

func TestThereIsOneRuleForWhichLanguageATextIsIn(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		if d.IsDir() && (slices.Contains(own, rel) || rel != "." && strings.HasPrefix(rel, ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		seen++
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		for i, line := range strings.Split(string(b), "\n") {
			require.NotRegexp(t, other, line, "%s:%d: use internal/words", rel, i+1)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, seen, 300)
}
