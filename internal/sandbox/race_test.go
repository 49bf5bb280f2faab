package sandbox

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestManyHandsOnOnePhone(t *testing.T) {
	p := New(nil)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 12 {
				use(p, i)
			}
		})
	}
	wg.Wait()
	p.Reset()
	require.Equal(t, ".Launcher", p.Screen.Foreground().Activity)
	require.NoError(t, wellFormed(p.Screen.DumpXML()))
}

func use(p *Simulator, who int) {
	switch who {
	case 0:
		p.Screenshot()
	case 1:
		_ = p.Apps.Launch(notesApp)
		p.Touch.Tap(960, 2100)
		p.Keys.Text("racing")
	case 2:
		_ = p.Apps.Launch(settingsApp)
		p.Touch.Swipe(540, 1800, 540, 600, 100*time.Millisecond)
	case 3:
		p.Screen.DumpXML()
		p.Screen.App()
		p.Apps.Packages()
	case 4:
		_ = p.Keys.Key(KeyHome)
		_ = p.Keys.Key(KeyBack)
		p.Apps.ForceStop(notesApp)
	case 5:
		p.Display.SetRotation(1)
		p.Settings.PutSetting("secure", "ui_night_mode", "2")
		p.Display.SetRotation(0)
	case 6:
		p.Settings.PutSetting("secure", "default_input_method", adbIME)
		p.Keys.Broadcast("ADB_INPUT_TEXT", map[string]string{"msg": "语"})
		p.Settings.Props()
		p.Settings.PutSetting("secure", "default_input_method", latinIME)
	case 7:
		_ = p.Files().Write("/sdcard/f", []byte("x"))
		_, _ = p.Files().List("/sdcard")
		p.Reset()
	}
}
