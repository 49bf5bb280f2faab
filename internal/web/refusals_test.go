package web

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
)

func TestAPictureOfAnotherMachineIsNotSaidToBelongToSomebodyElse(t *testing.T) {
	f := refusalOf(fmt.Errorf("reading: %w", hint.Add(store.ErrFrameAway, "use a bucket")))
	require.Equal(t, http.StatusNotFound, codes[f.code].status)
	require.Contains(t, f.Error(), "a file of the machine that took it")
	require.Equal(t, "use a bucket", f.hint())
	require.Contains(t, refusalOf(store.ErrNotFound).Error(), "belongs to another client")
}
