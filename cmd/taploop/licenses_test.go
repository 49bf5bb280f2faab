package main

import (
	"debug/buildinfo"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheLicencesOfEveryLinkedModuleArePrinted(t *testing.T) {
	program, err := exec.LookPath("taploop")
	require.NoError(t, err)
	built, err := buildinfo.ReadFile(program)
	require.NoError(t, err)
	require.NotEmpty(t, built.Deps)
	text, err := exec.Command(program, "version", "--licenses").Output()
	require.NoError(t, err)
	parts := map[string]string{} // by the name above the terms
	for part := range strings.SplitSeq(string(text), "\n"+strings.Repeat("=", 80)+"\n") {
		name, terms, _ := strings.Cut(part, "\n")
		parts[name] = terms
	}
	for _, m := range built.Deps {
		require.NotRegexp(t, `/(tokenizer|testify)$`, m.Path, "it is for tests only")
		require.Regexp(t, `(?i)copyright|public domain|licen[cs]e`, parts[m.Path+" "+m.Version],
			"%s %s: run make generate", m.Path, m.Version)
	}
	require.Contains(t, parts["taploop"], "LICENSE")
	for _, of := range []string{"Baekmuk", "M+", "SIL OPEN FONT LICENSE"} {
		require.Contains(t, string(text), of, "the terms of the fonts within a module")
	}
	require.Contains(t, parts["Go, its standard library and runtime"], "The Go Authors")
	require.Contains(t, parts["Go, its standard library and runtime"], "PATENTS")
}
