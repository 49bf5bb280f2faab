package device_test

import (
	"bytes"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// arranged is a phone behind the simulated server, with what is in it.
func arranged(t *testing.T) (device.Admin, *sandbox.Simulator) {
	e, phone := serve(t), sandbox.New(&small)
	e.Attach("one", shell.New(phone))
	return e.open(t, "one").Admin(), phone
}

func TestAPhoneIsArrangedForATest(t *testing.T) {
	t.Parallel()
	p, phone := arranged(t)
	ctx := t.Context()
	big := bytes.Repeat([]byte("0123456789"), 20_000)
	require.NoError(t, p.Push(ctx, bytes.NewReader(big), "/sdcard/a file"))
	got, err := p.ReadFile(ctx, "/sdcard/a file")
	require.NoError(t, err)
	require.Equal(t, big, got)
	require.ErrorContains(t, p.Push(ctx, bytes.NewReader(big), "/system/x"), "Read-only file system")
	_, err = p.ReadFile(ctx, "/sdcard/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = p.ReadFile(ctx, "/sdcard")
	require.ErrorIs(t, err, syscall.EISDIR)
	_, err = p.ReadFile(ctx, "/sdcard/a file/below")
	require.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, p.Install(ctx, strings.NewReader("PK..."), "com.example.one.apk"))
	require.NoError(t, p.Grant(ctx, "com.example.one", "CAMERA"))
	require.ErrorContains(t, p.Grant(ctx, "com.example.two", "CAMERA"), "Unknown package")
	require.ErrorContains(t, p.Install(ctx, strings.NewReader("text"), "b.apk"), "NOT_APK")
	phone.Inspect(func(d *apps.Data) {
		require.True(t, d.Granted["com.example.one CAMERA"])
	})

	phone.Edit(func(d *apps.Data) { d.Notes = nil })
	require.NoError(t, p.ClearApp(ctx, notesApp))
	phone.Inspect(func(d *apps.Data) { require.Len(t, d.Notes, 3) })
	require.ErrorContains(t, p.ClearApp(ctx, "com.nowhere"), "Failed")

	require.NoError(t, p.OpenLink(ctx, "shop://cart"))
	require.Equal(t, shopApp, phone.Screen.Foreground().Package)
	require.ErrorContains(t, p.OpenLink(ctx, "nobody://x"), "unable to resolve")

	require.NoError(t, p.Animations(ctx, true))
	value, err := p.Setting(ctx, "global", "animator_duration_scale")
	require.NoError(t, err)
	require.Equal(t, "1", value)
	require.NoError(t, p.AwaitBoot(ctx, time.Second))
	said, code, err := p.Run(ctx, "echo a; false", 0)
	require.NoError(t, err)
	require.Equal(t, "a\n", said)
	require.Equal(t, 1, code)
}

func TestAPhoneIsAskedWhatATestLeft(t *testing.T) {
	t.Parallel()
	p, phone := arranged(t)
	ctx := t.Context()
	rows, err := p.Query(ctx, "content://sms", []string{"address", "body"}, "person='Tom' AND type=1")
	require.NoError(t, err)
	require.Equal(t, []map[string]string{
		{"address": "+1 555 0134", "body": "The bicycle is yours if you want it"},
		{"address": "+1 555 0134", "body": "See you on Sunday"}}, rows)
	rows, err = p.Query(ctx, "content://sms", nil, "person='Nobody'")
	require.NoError(t, err)
	require.Empty(t, rows)
	_, err = p.Query(ctx, "content://nowhere", nil, "")
	require.ErrorContains(t, err, "Could not find provider")

	crashes, err := p.Crashes(ctx)
	require.NoError(t, err)
	require.Empty(t, crashes)
	since, ahead, err := p.Clock(ctx)
	require.NoError(t, err)
	phone.Apps.Hang(shopApp, "Input dispatching timed out")
	phone.Apps.Crash(shopApp, "java.lang.IllegalStateException: no cart\n\tat Cart.pay(Cart.java:7)")
	crashes, err = p.Crashes(ctx)
	require.NoError(t, err)
	require.Len(t, crashes, 2)
	kinds := map[string]device.Crash{}
	for _, c := range crashes {
		require.Equal(t, shopApp, c.Package)
		require.WithinDuration(t, time.Now(), c.Stamp.Add(-ahead), 20*time.Second)
		kinds[c.Kind] = c
	}
	require.Contains(t, kinds["data_app_crash"].Trace, "at Cart.pay(Cart.java:7)")
	require.NotContains(t, kinds["data_app_crash"].Trace, "Drop box")
	require.Contains(t, kinds["data_app_anr"].Trace, "Input dispatching")
	log, err := p.Logcat(ctx, since)
	require.NoError(t, err)
	require.Contains(t, log, "E AndroidRuntime: FATAL EXCEPTION: main")
}

func TestRowsOfAContentProviderAreRead(t *testing.T) {
	const said = "Row: 0 a=1, b=x, y=2, c=\nRow: 1 a=two\nlines, b=NULL, c=3\n"
	require.Equal(t, []map[string]string{{"a": "1", "b": "x, y=2", "c": ""},
		{"a": "two\nlines", "b": "NULL", "c": "3"}}, device.ParseRows(said, []string{"a", "b", "c"}))
	require.Equal(t, "x", device.ParseRows(said, nil)[0]["b"])
}

// Android 14 names the file of an entry between its head and its text. What names none is no less
// a crash.
func TestACrashHasTheTimeOfItsFile(t *testing.T) {
	const head, text = "========================================\n2026-01-05 09:30:02 ", "Process: a.b\n\nboom\n"
	all := device.ParseCrashes("Drop box contents: 2 entries\n\n" +
		head + "data_app_crash (compressed text, 9 bytes)\n" +
		"/data/system/dropbox/data_app_crash@1767605402345.txt.gz\n" + text +
		head + "data_app_anr (text, 9 bytes)\n" + text)
	require.Equal(t, []device.Crash{
		{At: "2026-01-05 09:30:02", Kind: "data_app_crash", Package: "a.b", Trace: strings.TrimSpace(text),
			Stamp: time.UnixMilli(1767605402345)},
		{At: "2026-01-05 09:30:02", Kind: "data_app_anr", Package: "a.b", Trace: strings.TrimSpace(text)},
	}, all)
}

// An ANR has its reason in its head, and begins with what the processors did.
func TestTheHeadlineOfATraceSaysWhatHappened(t *testing.T) {
	headline := func(trace string) string { return device.Crash{Trace: trace}.Headline() }
	require.Equal(t, "Input dispatching timed out (a.b/.Main is not responding)", headline(
		"Process: a.b\nPID: 9\nPackage: a.b v1\nForeground: Yes\nActivity: a.b/.Main\n"+
			"Subject: Input dispatching timed out (a.b/.Main is not responding)\nBuild: x\n\n"+
			"CPU usage from 5432ms to 0ms ago:\n  99% 9/a.b\n\n----- pid 9 -----\n"))
	require.Equal(t, "java.lang.Error: no cart", headline(
		"Process: a.b\nPackage: a.b v1\n\njava.lang.Error: no cart\n\tat Cart\n\nSubject: x"))
	require.Equal(t, "boom", headline("boom"))
	require.Empty(t, headline(""))
}
