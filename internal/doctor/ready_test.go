package doctor_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/doctor"
	"github.com/taploop/taploop/internal/sandbox"
)

// What is well with a phone is told too, in the reader's language.
func TestAPhoneThatIsReadyIsToldInFull(t *testing.T) {
	foldedOut := instead("dumpsys SurfaceFlinger --display-id",
		"echo 'Display 4619827677550801153 (HWC display 1): port=1 pnpId=GGL\n"+
			"Display 4619827677550801152 (HWC display 0): port=0 pnpId=GGL'",
		"cmd device_state state",
		`echo "Committed state: DeviceState{identifier=2, name='OPENED', app_accessible=true}"`)
	for name, c := range map[string]struct {
		phone sandbox.Options
		spoil func(*testing.T, *setUp)
		lang  string
		says  string
	}{
		"open": {spoil: instead("df -k /data", "echo 'Filesystem 1K-blocks Used Available Use%\n"+
			"/dev/block/dm-46 113000000 12990000 100010000 12% /data'"), says: `, 360x800; state device, screen on, not locked, owner in front, ` +
			`one display, posture -; touches allowed, input method com\.\S+, ` +
			`which may be switched [(]installed: com\.\S+, \S*AdbIME[)]; 97666 MB free; capture .* elements `},
		"no input method": {spoil: instead("settings get secure default_input_method", "echo null"),
			says: `input method -, not tried to be switched [(]`},
		"simulated": {says: `switched [(].*[)]; [1-9][0-9]* MB free;`},
		"code":      {phone: sandbox.Options{PIN: "2580"}, says: `, not locked, with a code, `},
		"swipe":     {phone: sandbox.Options{Locked: true}, says: `, locked without a code, `},
		"opened":    {spoil: foldedOut, says: `one display, posture OPENED;`},
		"zh":        {phone: sandbox.Options{PIN: "2580"}, lang: "zh", says: `状态 就绪.*未锁定，设有密码.*允许触摸.*可以切换.*剩余 \d+ MB`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetUp(t, small(c.phone))
			if c.spoil != nil {
				c.spoil(t, s)
			}
			o := s.options(t)
			o.Lang = c.lang
			r := doctor.Run(t.Context(), o)
			require.Empty(t, troubles(r), "%+v", r)
			at := slices.IndexFunc(r.Findings, func(f doctor.Finding) bool { return f.ID == "phone.ready" })
			require.Regexp(t, c.says, r.Findings[at].Says)
		})
	}
}

// The owner of a tablet that has no user 0 to show is not another user.
func TestTheOwnerIsWhoeverTheSystemSaysItIs(t *testing.T) {
	for name, c := range map[string]struct {
		users, current string
		want           []string
	}{
		"headless": {"\n\tUserInfo{0:System:4810}\n\tUserInfo{10:Anna:4412} running", "10", nil},
		"old":      {"\n\tUserInfo{0:Anna:13} running\n\tUserInfo{10:Guest:14}", "0", nil},
		"guest":    {"\n\tUserInfo{0:Anna:13}\n\tUserInfo{10:Guest:14} running", "10", []string{"phone.user"}},
		"silent":   {"", "10", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetUp(t, small(sandbox.Options{}))
			instead("pm list users", "echo 'Users:"+c.users+"'", "am get-current-user", "echo "+
				c.current)(t, s)
			r := doctor.Run(t.Context(), s.options(t))
			require.Equal(t, c.want, troubles(r), "%+v", r)
		})
	}
}
