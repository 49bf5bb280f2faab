package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/text"
)

func TestAnAddressHidesWhatMayBeASecret(t *testing.T) {
	for given, want := range map[string]string{
		"http://localhost:11434/v1": "http://localhost:11434/v1",
		"https://a.example/openai/deployments/gpt-4o-mini-2024-07-18/x": "https://a.example/" +
			"openai/deployments/gpt-4o-mini-2024-07-18/x",
		"http://4f0c2a9d7be84c1f93aa@models.example:8080/v1": "http://xxxxx@models.example:8080/v1",
		"http://AIzaSy-9tSrk_e72PouQM@h/v1":                  "http://xxxxx@h/v1",
		"https://4f0c2a9d7be84c1f93aa:@h/v1":                 "https://xxxxx@h/v1",
		"https://4f0c2a9d7be84c1f93aa:x@h/v1":                "https://xxxxx@h/v1",
		"postgres://me:p%40w@db/x?sslmode=off":               "postgres://me:xxxxx@db/x?sslmode=xxxxx",
		"http://me:a/b@h/v1":                                 "http://xxxxx@h/v1",
		"http://me:pw@h/v1?key=4f0c&k":                       "http://me:xxxxx@h/v1?key=xxxxx&xxxxx",
		"http://h/v1#token=4f0c":                             "http://h/v1#xxxxx",
		"https://h/hooks/T0/B0/XkPaQbRcSdTeUfVgWhXiYjZk":     "https://h/hooks/T0/B0/xxxxx",
		"https://h/9b2f6e1c-0d4a-4c7e-8a3f-2b1d5e6f7a8b/v1":  "https://h/xxxxx/v1",
		"4f0c2a9d7be84c1f93aa@h:8080/v1":                     "xxxxx@h:8080/v1",
		"https://h/users/@me/v1":                             "https://h/users/@me/v1",
		"":                                                   "",
	} {
		require.Equal(t, want, text.Address(given))
		if given != "" {
			require.Equal(t, `Get "`+want+`": refused`, text.Addresses(`Get "`+given+`": refused`))
		}
	}
	require.Equal(t, "write to somebody@mail.example, see a.example/b",
		text.Addresses("write to somebody@mail.example, see a.example/b"))
}
