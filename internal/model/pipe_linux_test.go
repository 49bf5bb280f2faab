package model_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/model"
)

// Nobody may write into it: it is not waited for.
func TestAPipeIsNotReplayed(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := model.NewReplayer(pipe, nil)
	require.ErrorContains(t, err, pipe+" is no regular file")
}
