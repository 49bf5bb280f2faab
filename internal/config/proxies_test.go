package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/guard"
)

func loadText(t *testing.T, text string) (*config.Loaded, error) {
	file := filepath.Join(t.TempDir(), "taploop.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return config.Load(&config.Options{File: file})
}

func TestProxiesAreReadAndTheirSecretsMasked(t *testing.T) {
	c, err := loadText(t, `proxies:
  files:
    command: npx
    args: [-y, server]
    env: {A.TOKEN: hush-hush}
    guard: [{action: "write_*", decision: deny}]
  far: {url: "https://mcp.example/mcp", headers: {Authorization: Bearer hush-hush}}
`)
	require.NoError(t, err)
	require.Equal(t, "hush-hush", string(c.Proxies["files"].Env["A.TOKEN"]))
	require.Equal(t, []string{"-y", "server"}, c.Proxies["files"].Args)
	require.NotContains(t, fmt.Sprintf("%v %+v %s", c.Proxies, c.Proxies, c.Proxies), "hush")
	p, err := c.ProxyPolicy("files", "en")
	require.NoError(t, err)
	require.Equal(t, guard.Deny, p.Decide(guard.Subject{Action: "write_file"}).Verdict)
	p, err = c.ProxyPolicy("far", "en")
	require.NoError(t, err)
	require.Equal(t, guard.Allow, p.Decide(guard.Subject{Action: "write_file"}).Verdict)
}

func TestProxiesThatCannotWorkSayWhy(t *testing.T) {
	for text, want := range map[string]string{
		`{a/b: {command: x}}`:                           "the name may have",
		`{a: {}}`:                                       "not one of command and url",
		`{a: {command: x, url: "http://h"}}`:            "not one of command and url",
		`{a: {url: "file:///x"}}`:                       "no address",
		`{a: {url: "http://h", env: {A: b}}}`:           "for a command",
		`{a: {command: x, headers: {A: b}}}`:            "for a url",
		`{a: {command: x, bogus: 1}}`:                   "bogus",
		`[1]`:                                           "proxies",
		`{a: {command: x, guard: [{decision: maybe}]}}`: "maybe",
	} {
		_, err := loadText(t, "proxies: "+text)
		require.ErrorContains(t, err, want, text)
	}
}
