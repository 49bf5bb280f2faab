package tools

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/usecase"
)

// Who reads which phones there are can ask for one by its labels.
func TestAListedPhoneHasItsLabels(t *testing.T) {
	labels := map[string]string{"site": "berlin"}
	d := listedPhone(usecase.Phone{PhoneInfo: runs.PhoneInfo{Serial: "P", Labels: labels}})
	require.Equal(t, labels, d.Labels)
}
