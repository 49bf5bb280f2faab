package device

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
)

// speaking are phones that say of themselves what stands in the table, by serial or transport-id.
type speaking map[string]struct{ serial, android, boot string }

func (s speaking) shell(at, command string) (stdout, stderr string, code int) {
	switch {
	case command == identityCommands[0]:
		return s[at].serial + "\n", "", 0
	case command == identityCommands[1]:
		return s[at].android + "\n", "", 0
	case command == identityCommands[2]:
		return s[at].boot + "\n", "", 0
	}
	return ordinary(nil)(at, command)
}

const (
	overCable = "R5CT90 device usb:1-1 model:A transport_id:1\n"
	overWiFi  = "10.0.0.7:5555 device model:A transport_id:2\n"
	announced = "adb-R5CT90-x1Y2z3._adb-tls-connect._tcp device model:A transport_id:3\n"
	another   = "9A8B7C device usb:1-3 model:A transport_id:4\n"
	twins     = "0123456789ABCDEF device usb:1-1 model:One transport_id:56\n" +
		"0123456789ABCDEF device usb:1-2 model:Two transport_id:57\n"
)

func ids(list []PhoneInfo) (all []string) {
	for _, p := range list {
		all = append(all, strings.Join(append([]string{p.Serial}, p.Addresses...), " "))
	}
	return all
}

func TestAPhoneIsListedOnceWithItsAddresses(t *testing.T) {
	one := speaking{
		"R5CT90":        {"R5CT90", "aaaaaaaa", "b-1"},
		"10.0.0.7:5555": {"R5CT90", "aaaaaaaa", "b-1"},
		"adb-R5CT90-x1Y2z3._adb-tls-connect._tcp": {"R5CT90", "aaaaaaaa", "b-1"},
		"9A8B7C": {"9A8B7C", "bbbbbbbb", "b-2"},
	}
	clones := speaking{"10.0.0.1:5555": {"X-1", "aaaaaaaa", "b-1"},
		"10.0.0.2:5555": {"X-1", "aaaaaaaa", "b-2"}}
	for name, c := range map[string]struct {
		list   string
		phones speaking
		want   []string
	}{
		"cable, Wi-Fi and mDNS": {overWiFi + announced + overCable + another, one,
			[]string{"R5CT90 R5CT90 10.0.0.7:5555 adb-R5CT90-x1Y2z3._adb-tls-connect._tcp",
				"9A8B7C"}},
		"Wi-Fi alone": {overWiFi, one, []string{"R5CT90 10.0.0.7:5555"}},
		"an address that is gone": {overWiFi + "R5CT90 offline usb:1-1 transport_id:1\n" + another,
			one, []string{"R5CT90 10.0.0.7:5555 R5CT90", "9A8B7C"}},
		"one announced and not paired": {"adb-R5CT90-q (2)._adb-tls-connect._tcp offline\n" +
			overCable, one, []string{"R5CT90 R5CT90 adb-R5CT90-q (2)._adb-tls-connect._tcp"}},
		"no serial": {"10.0.0.1:5555 device\n10.0.0.2:5555 device\n", speaking{
			"10.0.0.1:5555": {"unknown", "aaaaaaaa", "b-1"},
			"10.0.0.2:5555": {"", "aaaaaaaa", "b-1"}},
			[]string{"10.0.0.1:5555 10.0.0.1:5555 10.0.0.2:5555"}},
		"nothing is said": {"10.0.0.1:5555 device\n10.0.0.2:5555 device\n", speaking{
			"10.0.0.1:5555": {"", "null", "b-1"}, "10.0.0.2:5555": {"", "null", "b-1"}},
			[]string{"10.0.0.1:5555", "10.0.0.2:5555"}},
		"emulators of one version": {"emulator-5554 device\nemulator-5556 device\n" +
			"localhost:5555 device\n", speaking{
			"emulator-5554":  {"EMULATOR36X1X4X0", "aaaaaaaa", "b-1"},
			"emulator-5556":  {"EMULATOR36X1X4X0", "bbbbbbbb", "b-2"},
			"localhost:5555": {"EMULATOR36X1X4X0", "aaaaaaaa", "b-1"}},
			[]string{"emulator-5554 emulator-5554 localhost:5555", "emulator-5556"}},
		"twins": {twins, speaking{"transport-id:56": {"0123456789ABCDEF", "aaaaaaaa", ""},
			"transport-id:57": {"0123456789ABCDEF", "bbbbbbbb", ""}},
			[]string{"0123456789ABCDEF", "0123456789ABCDEF.fb398c 0123456789ABCDEF"}},
		"twins that nothing tells apart": {twins, speaking{
			"transport-id:56": {"0123456789ABCDEF", "", ""},
			"transport-id:57": {"0123456789ABCDEF", "", ""}},
			[]string{"0123456789ABCDEF@1-1 0123456789ABCDEF",
				"0123456789ABCDEF@1-2 0123456789ABCDEF"}},
		"copies of one machine": {"10.0.0.1:5555 device\n10.0.0.2:5555 device\n", clones,
			[]string{"X-1@10.0.0.1:5555 10.0.0.1:5555", "X-1@10.0.0.2:5555 10.0.0.2:5555"}},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := (&wirePhones{list: c.list, shell: c.phones.shell}).host(t, nil).
				List(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.want, ids(list))
		})
	}
}

func TestAPhoneIsOpenedByEachOfItsNames(t *testing.T) {
	phones := speaking{
		"R5CT90":        {"R5CT90", "aaaaaaaa", "b-1"},
		"10.0.0.7:5555": {"R5CT90", "aaaaaaaa", "b-1"},
		"adb-R5CT90-x1Y2z3._adb-tls-connect._tcp": {"R5CT90", "aaaaaaaa", "b-1"},
	}
	w := &wirePhones{list: overCable + overWiFi + announced, shell: phones.shell}
	for name, at := range map[string]string{"": "-s R5CT90", "R5CT90": "-s R5CT90",
		"10.0.0.7:5555": "-s 10.0.0.7:5555", "transport:2": "-s 10.0.0.7:5555",
		"adb-R5CT90-x1Y2z3._adb-tls-connect._tcp": "-s adb-R5CT90-x1Y2z3._adb-tls-connect._tcp"} {
		p, err := w.host(t, nil).Open(t.Context(), name)
		require.NoError(t, err, name)
		require.Equal(t, "R5CT90", p.Info().Serial, name)
		require.Equal(t, at, strings.Join(p.shell.dev.Load().Args(), " "), name)
	}
	w.list = overWiFi
	p, err := w.host(t, nil).Open(t.Context(), "R5CT90")
	require.NoError(t, err)
	require.Equal(t, "-s 10.0.0.7:5555", strings.Join(p.shell.dev.Load().Args(), " "))
}

func TestPhonesWithOneSerialCanBeChosen(t *testing.T) {
	const serial = "0123456789ABCDEF"
	alike := speaking{"transport-id:56": {serial, "", ""}, "transport-id:57": {serial, "", ""}}
	w := &wirePhones{list: twins, shell: alike.shell}
	host := w.host(t, nil)
	for _, name := range []string{"", serial} {
		_, err := host.Open(t.Context(), name)
		require.ErrorIs(t, err, ErrWhichPhone)
		require.Contains(t, hint.Of(err), "name one of: "+serial+"@1-1, "+serial+"@1-2")
	}
	for _, name := range []string{"transport:57", serial + "@1-2"} {
		p, err := host.Open(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, serial+"@1-2", p.Info().Serial)
		require.Equal(t, []string{"-t", "57"}, p.shell.dev.Load().Args())
		_, err = p.State(t.Context())
		require.NoError(t, err)
	}
}

// The name of a phone that is away is not its twin's.
func TestATwinIsNotTakenForThePhoneOfThatName(t *testing.T) {
	const serial = "0123456789ABCDEF"
	phones := speaking{serial: {serial, "aaaaaaaa", "b-1"}}
	w := &wirePhones{list: serial + " device usb:1-1 transport_id:1\n", shell: phones.shell}
	host := w.host(t, nil)
	p, err := host.Open(t.Context(), serial)
	require.NoError(t, err)
	require.Equal(t, serial, p.Info().Serial)

	w.list = strings.ReplaceAll(w.list, "id:1", "id:2")
	phones[serial] = struct{ serial, android, boot string }{serial, "bbbbbbbb", "b-2"}
	_, err = host.Open(t.Context(), serial)
	require.ErrorIs(t, err, ErrNoPhone)
	require.ErrorContains(t, err, "has the same serial and is another one")
	require.Contains(t, hint.Of(err), serial+".fb398c")
	p, err = host.Open(t.Context(), serial+".fb398c")
	require.NoError(t, err)
	require.Equal(t, serial+".fb398c", p.Info().Serial)
}
