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
	require.Equal(t, ".Launcher", p.Foreground().Activity)
	require.NoError(t, wellFormed(p.DumpXML()))
}

func use(p *Simulator, who int) {
	switch who {
	case 0:
		p.Screenshot()
	case 1:
		_ = p.Launch(notesApp)
		p.Tap(960, 2100)
		p.Text("racing")
	case 2:
		_ = p.Launch(settingsApp)
		p.Swipe(540, 1800, 540, 600, 100*time.Millisecond)
	case 3:
		p.DumpXML()
		p.App()
		p.Packages()
	case 4:
		_ = p.Key(KeyHome)
		_ = p.Key(KeyBack)
		p.ForceStop(notesApp)
	case 5:
		p.SetRotation(1)
		p.PutSetting("secure", "ui_night_mode", "2")
		p.SetRotation(0)
	case 6:
		p.PutSetting("secure", "default_input_method", adbIME)
		p.Broadcast("ADB_INPUT_TEXT", map[string]string{"msg": "语"})
		p.Props()
		p.PutSetting("secure", "default_input_method", latinIME)
	case 7:
		_ = p.Files().Write("/sdcard/f", []byte("x"))
		_, _ = p.Files().List("/sdcard")
		p.Reset()
	}
}
