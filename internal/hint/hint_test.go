package hint_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
)

func TestTheOutermostHintIsShownAndTheErrorStaysItself(t *testing.T) {
	inner := hint.Add(io.ErrUnexpectedEOF, "plug the cable in")
	outer := fmt.Errorf("looking: %w", inner)

	require.Equal(t, "looking: unexpected EOF", outer.Error())
	require.ErrorIs(t, outer, io.ErrUnexpectedEOF)
	require.Equal(t, "plug the cable in", hint.Of(outer))
	require.Equal(t, "wait", hint.Of(hint.Add(outer, "wait")))
	require.Empty(t, hint.Of(io.EOF))
	require.NoError(t, hint.Add(nil, "nothing to do"))
}
