package tools_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/usecase"
)

func TestPicturesAreSmallJPEGs(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.noisy = true
		a := w.start("tap tap tap tap tap tap tap tap", in{"detail": "pictures"})
		pictures, all := a.pictures(t), 0
		for i, p := range pictures {
			_, high := sizeOf(t, p)
			require.LessOrEqual(t, high, map[bool]int{true: 1280, false: 640}[i == len(pictures)-1])
			all += len(p)
		}
		require.Len(t, a.Pictures, len(pictures))
		require.IsIncreasing(t, a.Pictures)
		require.Equal(t, 9, a.Pictures[len(pictures)-1])
		require.Less(t, len(pictures), 9, "such pictures do not all find room")
		require.Less(t, all, 400_000)
		require.Less(t, len(a.wire), 1_000_000)
		require.Contains(t, a.text, "pictures are left out")
		require.Contains(t, a.text, "The pictures are the screens of these steps")
	})
}

// What waits for a decision is decided by where the finger would be.
func TestThePictureOfAnApprovalShowsThePlace(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.gate = asking{"routine"}
		a := w.start("tap", in{"enable_final_screenshot": true})
		pictures := a.pictures(t)
		require.Len(t, pictures, 1)
		steps, err := w.store.Steps(t.Context(), a.SessionID, 0)
		require.NoError(t, err)
		frame, err := w.store.Frame(t.Context(), steps[0].FrameID)
		require.NoError(t, err)
		marked, err := export.Shrink(frame, 1280, 80, screen.Point{X: 0.5, Y: 0.5})
		require.NoError(t, err)
		require.Equal(t, marked, bytesOf(t, pictures[0]))
		bare, err := export.Shrink(frame, 1280, 80)
		require.NoError(t, err)
		require.NotEqual(t, bare, marked)
	})
}

func sizeOf(t *testing.T, url string) (int, int) {
	t.Helper()
	c, err := jpeg.DecodeConfig(bytes.NewReader(bytesOf(t, url)))
	require.NoError(t, err)
	return c.Width, c.Height
}

func bytesOf(t *testing.T, url string) []byte {
	t.Helper()
	data, found := strings.CutPrefix(url, "data:image/jpeg;base64,")
	require.True(t, found)
	b, err := base64.StdEncoding.DecodeString(data)
	require.NoError(t, err)
	return b
}

func TestNoPixelLeavesWhenPicturesArePrivate(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.topts.Privacy = usecase.PrivacyCaptions
		w.begin()
		all := in{"enable_intermediate_screenshots": true, "enable_final_screenshot": true,
			"enable_intermediate_image_caption": false, "enable_final_image_caption": false}
		var out []answer
		a := w.start("tap ask tap", all)
		out = append(out, a, w.withProgress("p", "ask_agent_continue",
			with(in{"session_id": a.SessionID, "reply_from_client": "red"}, all)),
			w.call("ask_agent_wait", in{"session_id": a.SessionID}), w.call("ask_agent_stop",
				in{"session_id": a.SessionID}),
			w.call("list_sessions", nil), w.call("list_connected_devices", nil))
		require.Contains(t, a.text, "pictures private")
		require.NotEmpty(t, a.Final.Caption, "screens are told in words, whatever the flags say")
		require.NotEmpty(t, a.Logs[0].Caption)
		picture := w.call("get_screenshot", nil)
		require.Equal(t, "PRIVACY_MODE", picture.code())
		out = append(out, picture)
		sent, err := json.Marshal(w.notifications())
		require.NoError(t, err)
		steps, err := w.store.Steps(t.Context(), a.SessionID, 0)
		require.NoError(t, err)
		frame, err := w.store.Frame(t.Context(), steps[0].FrameID)
		require.NoError(t, err)
		for _, text := range append(wires(out), string(sent)) {
			for _, forbidden := range []string{"data:image", "/9j/", "iVBORw0KGgo", "\xff\xd8\xff",
				"\x89PNG", base64.StdEncoding.EncodeToString(frame)[:40]} {
				require.NotContains(t, text, forbidden)
			}
		}
		for _, r := range out {
			for _, c := range r.raw.Content {
				require.IsType(t, mcp.TextContent{}, c)
			}
		}
	})
}

func TestAScreenshotIsASmallPicture(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.noisy = true
		a := w.call("get_screenshot", in{})
		require.Len(t, a.raw.Content, 2)
		img := a.raw.Content[1].(mcp.ImageContent)
		require.Equal(t, "image/jpeg", img.MIMEType)
		width, height := sizeOf(t, "data:image/jpeg;base64,"+img.Data)
		require.Equal(t, [2]int{540, 1200}, [2]int{width, height})
		require.Equal(t, []any{540.0, 1200.0}, a.structured["screenshot_size"])
		require.Equal(t, []any{1080.0, 2400.0}, a.structured["device_wm_size"])
		require.NotContains(t, a.text, img.Data[:100])

		w.start("forever", in{"wait_seconds": 2})
		require.False(t, w.call("get_screenshot", in{"device_id": "A"}).raw.IsError,
			"also while a run has the phone")
		foreign, err := w.try(w.as("bob"), "get_screenshot", in{"device_id": "A"}, nil)
		require.NoError(t, err)
		require.Equal(t, "DEVICE_BUSY", foreign.code(),
			"what is on the screen of somebody else's run is theirs")
	})
}

func TestWhyThereIsNoScreenshot(t *testing.T) {
	yes := true
	for want, change := range map[string]devicetest.Change{"SECURE_SCREEN": {Secure: &yes},
		"DEVICE_DISCONNECTED": {Gone: &yes}} {
		t.Run(want, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.phones.phone("A").Set(change)
				a := w.call("get_screenshot", nil)
				require.Equal(t, want, a.code())
				require.NotContains(t, a.structured, "screen_on", "it was not looked at")
				require.NotContains(t, a.structured, "locked")
			})
		})
	}
}

func TestAScreenThatIsOffAndAPhoneThatIsNotThere(t *testing.T) {
	yes := true
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.phone("A").Set(devicetest.Change{Off: &yes})
		a := w.call("get_screenshot", nil)
		require.False(t, a.raw.IsError)
		require.Equal(t, false, a.structured["screen_on"])
		require.Contains(t, a.text, "is off, so there is no picture")
		w.phones.add("B")
		for want, arguments := range map[string]in{"DEVICE_AMBIGUOUS": {},
			"DEVICE_NOT_FOUND": {"device_id": "C"}} {
			a := w.call("get_screenshot", arguments)
			require.Equal(t, want, a.code())
			require.Equal(t, "list_connected_devices", a.structured["next"].(in)["tool"])
			a = w.call("ask_agent_start_new_task", with(in{"task": "tap"}, arguments))
			require.Equal(t, want, a.code())
			require.Equal(t, "list_connected_devices", a.Next.Tool)
		}
	})
}
