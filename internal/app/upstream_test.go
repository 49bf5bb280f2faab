package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A secret is known by its name, also one that looks like a path: base64 has slashes. Only where a
// file is, it is a path.
func TestSecretsOfAServer(t *testing.T) {
	file := t.TempDir()
	target := NewUpstream(map[string]string{"AWS_SECRET_ACCESS_KEY": "/wJalrXUtnFEMI",
		"HOME": "/root", "SSH_AUTH_SOCK": file, "MY_TOKEN": "abcd1234",
		"TAPLOOP_MODEL_API_KEY": "ours1234"})
	target.Header("Authorization", "Basic dXNlcjpwYXNz")
	require.ElementsMatch(t, []string{"/wJalrXUtnFEMI", "abcd1234", "Basic dXNlcjpwYXNz",
		"dXNlcjpwYXNz"}, target.Secrets)
	require.Equal(t, []string{"AWS_SECRET_ACCESS_KEY=/wJalrXUtnFEMI", "HOME=/root",
		"MY_TOKEN=abcd1234", "SSH_AUTH_SOCK=" + file}, target.Env)
}
