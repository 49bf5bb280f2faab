package device

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/words"
)

var phoneApps = []string{
	"com.android.chrome", "com.android.settings", "com.android.systemui",
	"com.google.android.deskclock", "com.miui.gallery",
	"com.tencent.mm", "com.taobao.taobao", "com.ss.android.ugc.aweme", "com.example.clock",
	"com.example.photoeditor",
	"org.acme.expenses", "tv.danmaku.bili", "com.google.android.apps.messaging", "com.whatsapp",
	"com.android.providers.downloads.ui",
	"com.vendor.one.player", "com.vendor.two.player",
}

func TestANameFindsTheAppThatIsMeant(t *testing.T) {
	own := map[string]string{"expenses": "org.acme.expenses", "ledger": "org.acme.ledger",
		"chrome": "com.example.photoeditor"}
	for name, want := range map[string]string{
		"com.android.settings": "com.android.settings",
		"Settings":             "com.android.settings",
		" settings ":           "com.android.settings",
		"Galery App":           "com.miui.gallery",
		"the Settings app":     "com.android.settings",
		"设置":                   "com.android.settings",
		"微信":                   "com.tencent.mm",
		"微信应用":                 "com.tencent.mm",
		"WeChat":               "com.tencent.mm",
		"wechat":               "com.tencent.mm",
		"WhatsApp":             "com.whatsapp",
		"Whats App":            "com.whatsapp",
		"抖音":                   "com.ss.android.ugc.aweme",
		"哔哩哔哩":                 "tv.danmaku.bili",
		"哔哩哗哩":                 "", // another character: perhaps another app
		// the table before the words of package names
		"Clock":               "com.google.android.deskclock",
		"expenses":            "org.acme.expenses",
		"Expneses":            "", // two letters off
		"Expensis":            "", // another letter: perhaps another app
		"Expnses":             "org.acme.expenses",
		"Exepnses":            "",
		"Expense":             "", // another end
		"Xpenses":             "", // another beginning
		"Photo Editor":        "com.example.photoeditor",
		"Google Messages":     "com.google.android.apps.messaging",
		"chrome":              "com.example.photoeditor", // the caller's own names come first
		"Gallery":             "com.miui.gallery",
		"Gmail":               "", // never the gallery
		"Photos":              "",
		"mail":                "",
		"ledger":              "", // the caller's, not installed
		"com.android.setting": "", // a package is never guessed
		"com.example.missing": "",
		"player":              "", // two of them
		"android":             "",
		"app":                 "",
		"a":                   "",
		"!!":                  "",
		"":                    "",
		"Settings; rm -rf /":  "",
	} {
		pkg, err := resolve(name, phoneApps, own)
		require.Equal(t, want, pkg, "%q", name)
		require.Equal(t, want == "", err != nil, "%q: %v", name, err)
	}
}

// Each name is near to the only app of the phone, by its letters or by its maker.
func TestAnAppIsNotOpenedForAnotherOneThatIsNear(t *testing.T) {
	for name, pkg := range map[string]string{
		"Finder": "com.tinder", "Finance": "com.binance.dev", "Facebook": "com.facebook.orca",
		"Taobao": "com.taobao.idlefish", "Alipay": "hk.alipay.wallet",
		"Telegram": "org.telegram.plus", "Instagram": "com.instagram.barcelona",
		"YouTube": "com.google.android.apps.youtube.music", "Bolts": "com.example.bolt",
		"Booking": "com.example.cooking", "Slack": "com.example.slick",
	} {
		got, err := resolve(name, []string{pkg}, nil)
		require.Error(t, err, "%s opens %s", name, got)
		require.NotEmpty(t, hint.Of(err))
	}
	for name, pkg := range map[string]string{
		"Tinder": "com.tinder", "Binance": "com.binance.dev", "Facebook": "com.facebook.katana",
		"Taobao": "com.taobao.taobao", "Settngs": "com.android.settings",
		"Instagram": "com.instagram.android", "Frobnicate": "com.frobnicate.android",
	} {
		got, err := resolve(name, []string{pkg}, nil)
		require.NoError(t, err)
		require.Equal(t, pkg, got)
	}
}

// "Email" is one slip away from "Gmail", and another app.
func TestAWellKnownAppThatIsNotInstalledIsNotReplacedByASimilarOne(t *testing.T) {
	_, err := resolve("Email", []string{"com.google.android.gm"}, nil)
	require.EqualError(t, err,
		`no installed app is called "Email"; near names: Gmail (com.google.android.gm)`)
}

func TestANameThatFindsNothingListsNearOnes(t *testing.T) {
	for name, want := range map[string]string{
		"Galerie":         "Gallery (com.miui.gallery)",
		"Setings ":        "", // near enough to open it
		"player":          "com.vendor.one.player, com.vendor.two.player",
		"Chromium":        "Chrome (com.android.chrome)",
		"expense tracker": "expenses (org.acme.expenses)",
	} {
		pkg, err := resolve(name, phoneApps, nil)
		if want == "" {
			require.NoError(t, err)
			require.Equal(t, "com.android.settings", pkg)
			continue
		}
		require.ErrorContains(t, err, want, "%q", name)
		require.NotEmpty(t, hint.Of(err))
	}
	_, err := resolve("zzqqxx", phoneApps, nil)
	require.EqualError(t, err, `no installed app is called "zzqqxx"`)
}

func TestTheTableOfAppsIsSound(t *testing.T) {
	seen := map[string]string{}
	require.Greater(t, len(words.Apps()), 150)
	for _, app := range words.Apps() {
		require.NotEmpty(t, app.Packages, app.Names)
		for _, name := range app.Names {
			key := fold(name)
			require.NotEmpty(t, key, name)
			require.Empty(t, seen[key], "%s is twice in the table", name)
			seen[key] = name
		}
		for _, pkg := range app.Packages {
			require.Regexp(t, `^[A-Za-z][\w]*(\.\w+)+$`, pkg)
		}
	}
}

// The law: an installed package or an error that is one line, never both.
func FuzzResolve(f *testing.F) {
	for _, s := range append(devicetest.Nasty, "Settings", "微信", "Gmail", "player") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		pkg, err := resolve(name, phoneApps, nil)
		switch {
		case (pkg == "") == (err == nil):
			t.Fatalf("%q gives %q, %v", name, pkg, err)
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Fatalf("an error of several lines: %v", err)
		case err == nil && strings.Count(","+strings.Join(phoneApps, ",")+",", ","+pkg+",") != 1:
			t.Fatalf("%q gives %q, which is not installed", name, pkg)
		}
	})
}

func TestLaunchGoesTheWayOfTheIconAndBelievesTheAnswer(t *testing.T) {
	const resolveClock = "cmd package resolve-activity --brief -c " +
		"android.intent.category.LAUNCHER com.example.clock"
	const startClock = "am start -a android.intent.action.MAIN -c " +
		"android.intent.category.LAUNCHER -n com.example.clock/.Main"
	const monkeyClock = "monkey -p com.example.clock -c android.intent.category.LAUNCHER 1"
	const resolved = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 " +
		"isDefault=true\ncom.example.clock/.Main\n"
	for name, c := range map[string]struct {
		answers map[string]string
		asked   []string
		err     string
	}{
		"straight": {map[string]string{resolveClock: resolved,
			startClock: "Starting: Intent { act=android.intent.action.MAIN " +
				"cmp=com.example.clock/.Main }\n"},
			[]string{resolveClock, startClock}, ""},
		"it is in front already": {map[string]string{resolveClock: resolved,
			startClock: "Starting: Intent { cmp=com.example.clock/.Main }\nWarning: Activity " +
				"not started, its current task has been brought to the front\n"},
			[]string{resolveClock, startClock}, ""},
		"an old am fails with exit code 0": {map[string]string{resolveClock: resolved,
			startClock: "Starting: Intent { cmp=com.example.clock/.Main }\nError type 3\nError: " +
				"Activity class {com.example.clock/.Main} does not exist.\n"},
			[]string{resolveClock, startClock}, "the phone refused: Error type 3"},
		"it may not be started": {map[string]string{resolveClock: resolved,
			startClock: "Exception occurred while executing " +
				"'start':\njava.lang.SecurityException: Permission Denial: starting Intent\n"},
			[]string{resolveClock, startClock}, "SecurityException"},
		"the system would ask which": {map[string]string{
			resolveClock: "priority=0\nandroid/com.android.internal.app.ResolverActivity\n",
			monkeyClock:  "Events injected: 1\n## Network stats\n"},
			[]string{resolveClock, monkeyClock}, ""},
		"no screen to open": {map[string]string{resolveClock: "No activity found\n",
			monkeyClock: "** No activities found to run, monkey aborted.\n"},
			[]string{resolveClock, monkeyClock}, "com.example.clock has no screen to open"},
		"monkey gives up": {map[string]string{resolveClock: "",
			monkeyClock: "** System appears to have crashed at event 0 of 1 using seed 1\n"},
			[]string{resolveClock, monkeyClock}, "did not launch com.example.clock: ** System " +
				"appears to have crashed"},
	} {
		t.Run(name, func(t *testing.T) {
			c.answers["pm list packages"] = "package:com.example.clock\n" +
				"package:com.android.settings\n"
			w := &wirePhones{shell: ordinary(c.answers)}
			p := w.open(t)
			err := p.Launch(t.Context(), "com.example.clock")
			asked := w.asked()[1:]
			for i := range asked {
				asked[i] = strings.TrimPrefix(asked[i], "shell,v2,raw:")
			}
			require.Equal(t, c.asked, asked)
			if c.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, `launching "com.example.clock" on emu: `)
				require.ErrorContains(t, err, c.err)
			}
		})
	}
}

func TestAnAppThatIsNotMeantIsNeitherStartedNorStopped(t *testing.T) {
	w := &wirePhones{shell: ordinary(map[string]string{
		"pm list packages": "package:com.miui.gallery\n"})}
	p := w.open(t)
	for _, name := range append(devicetest.Nasty, "Gmail", "Galaxy", "com.miui") {
		require.Error(t, p.Launch(t.Context(), name), "%q", name)
		require.Error(t, p.Relaunch(t.Context(), name, nil), "%q", name)
	}
	for _, line := range w.asked() {
		require.Contains(t, line, "pm list packages", "nothing else is asked of the phone")
	}
}

func TestAppsAreListedWithTheirNames(t *testing.T) {
	w := &wirePhones{shell: ordinary(map[string]string{
		"pm list packages": "package:com.tencent.mm\r\npackage:com.android.settings\n" +
			"package:org.acme.expenses\n",
		"pm list packages -3": "package:com.tencent.mm\npackage:org.acme.expenses\n",
	})}
	apps, err := w.open(t).Apps(t.Context())
	require.NoError(t, err)
	require.Equal(t, []App{
		{Package: "com.android.settings", Name: "Settings", System: true},
		{Package: "com.tencent.mm", Name: "WeChat"},
		{Package: "org.acme.expenses"},
	}, apps)

	w = &wirePhones{shell: ordinary(map[string]string{"pm list packages --user 0": "Can't find " +
		"service: package\n"})}
	_, err = w.open(t).Apps(t.Context())
	require.ErrorContains(t, err, "Can't find service: package")
}

// secluded is a phone with a profile that the shell may not see. Only the number of the user lists
// packages.
func secluded(list string) *wirePhones {
	const refused = "\nException occurred while executing 'list':\njava.lang.SecurityException: " +
		"Shell does not have permission to access user 150\n\tat com.android.server.am.A.a()\n"
	return &wirePhones{shell: func(serial, command string) (string, string, int) {
		switch {
		case command == "am get-current-user":
			return "10\n", "", 0
		case list != "" && strings.HasPrefix(command, "pm list packages --user 10"):
			return list, "", 0
		case strings.HasPrefix(command, "pm "):
			return "", refused, 255
		}
		return ordinary(nil)(serial, command)
	}}
}

func TestTheAppsAreThoseOfTheCurrentUser(t *testing.T) {
	apps, err := secluded("package:com.android.settings\n").open(t).Apps(t.Context())
	require.NoError(t, err)
	require.Equal(t, []App{{Package: "com.android.settings", Name: "Settings"}}, apps)
	p := secluded("").open(t)
	err = p.Launch(t.Context(), "Settings")
	require.ErrorContains(t, err, "the phone refused: java.lang.SecurityException: Shell does not "+
		"have permission to access user 150")
}

// Another phone of the same serial, such as one of another ADB server, may not have the app.
func TestAnAppOfWhichNoVersionIsNamedIsAnError(t *testing.T) {
	w := &wirePhones{shell: ordinary(map[string]string{
		"dumpsys package com.a": "  Package [com.a] (3c6fb5):\n    versionName=4.2\n",
		"dumpsys package com.b": "Unable to find package: com.b\n",
	})}
	p := w.open(t)
	version, err := p.Version(t.Context(), "com.a")
	require.NoError(t, err)
	require.Equal(t, "4.2", version)
	_, err = p.Version(t.Context(), "com.b")
	require.ErrorContains(t, err, "reading the version of com.b on")
	require.ErrorContains(t, err, "none is named")
}
