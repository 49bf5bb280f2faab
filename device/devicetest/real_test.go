package devicetest_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/device/devicetest"
)

// On a real phone nothing can be seen but through the phone itself, and nothing is done that would
// lock its owner out: the suite says which parts it leaves out.
func TestTheRealPhoneOfTAPLOOP_TEST_SERIALKeepsTheContract(t *testing.T) {
	serial := os.Getenv("TAPLOOP_TEST_SERIAL")
	if serial == "" {
		t.Log("TAPLOOP_TEST_SERIAL names no phone: nothing was tested on a real one")
		return
	}
	host, err := device.NewHost(nil)
	require.NoError(t, err)
	devicetest.Run(t, func(t *testing.T) devicetest.Subject {
		p, err := host.Open(t.Context(), serial)
		require.NoError(t, err)
		_, err = p.Wake(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.Key(t.Context(), actions.KeyHome))
		front := func() string {
			look, err := p.Look(context.WithoutCancel(t.Context()))
			require.NoError(t, err)
			return look.State.App
		}
		home := front()
		return devicetest.Subject{
			Phone: p, Apps: twoApps(t, p), Missing: []string{"An App That Is Never Installed"},
			Front: front, Home: func() bool { return front() == home },
		}
	})
}

// twoApps are two apps that every phone has some of, with names that the table knows.
func twoApps(t *testing.T, p *device.Phone) []devicetest.App {
	installed, err := p.Apps(t.Context())
	require.NoError(t, err)
	var two []devicetest.App
	for _, name := range []string{"Settings", "Clock", "Calculator", "Contacts", "Calendar",
		"Camera"} {
		for _, a := range installed {
			if a.Name == name && len(two) < 2 {
				two = append(two, devicetest.App{Name: a.Name, Package: a.Package})
				break
			}
		}
	}
	require.Len(t, two, 2, "the phone has too few of the usual apps")
	return two
}
