package device

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABatteryIsReadInPercent(t *testing.T) {
	for said, want := range map[string]int{
		"Current Battery Service state:\n  AC powered: false\n  level: 87\n  scale: 100\n": 87,
		"  level: 30\r\n  scale: 60\r\n": 50,
		"  level: 42\n":                  42,
		"  level: 300\n  scale: 100\n":   0,
		"  level: 10\n  scale: 0\n":      0,
		"  fake level: 5\n":              0,
		"Can't find service: battery":    0,
	} {
		require.Equal(t, want, parseBattery(said), said)
	}
}
