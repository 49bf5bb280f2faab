package tools_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/usecase"
)

func TestAScreenshotListsTheElementsWhenAsked(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		require.NotContains(t, w.call("get_screenshot", nil).structured, "elements")
		a := w.call("get_screenshot", in{"elements": true})
		require.Len(t, a.raw.Content, 2, "with the picture")
		list := a.structured["elements"].([]any)
		require.Len(t, list, 3)
		require.Equal(t, in{"bounds": []any{0.0, 0.0, 1080.0, 800.0}, "text": "Notes",
			"class": "android.widget.TextView", "clickable": true}, list[0])
		require.Contains(t, a.text, "\n[0 0 1080 800] TextView \"Notes\"\n")

		w.phones.listed = []screen.Element{
			{Bounds: screen.Rect{Max: screen.Point{X: 0.5, Y: 0.5}}, Password: true,
				Editable: true, Text: "hunter2", Class: "a.\nb", ContentDesc: "PIN\n\x1b[31m"},
			{Bounds: screen.Rect{Max: screen.Point{X: 1, Y: 1}}, Checkable: true, Enabled: true,
				ResourceID: "com.app:id/wifi"},
		}
		a = w.call("get_screenshot", in{"elements": true})
		for _, wire := range wires([]answer{a}) {
			require.NotContains(t, wire, "hunter2")
		}
		require.Contains(t, a.text, "\n[0 0 540 1200] b \"PIN")
		require.NotContains(t, a.text, "\x1b")
		list = a.structured["elements"].([]any)
		require.Equal(t, false, list[0].(in)["enabled"])
		require.Equal(t, in{"bounds": []any{0.0, 0.0, 1080.0, 2400.0}, "checked": false,
			"resource_id": "com.app:id/wifi"}, list[1])
	})
}

// A screen that lists a thousand long texts does not cost a conversation more than a picture does.
func TestTheListOfElementsIsBounded(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	for name, text := range map[string]string{"chinese": strings.Repeat("很长的文字", 200),
		"english": strings.Repeat("word ", 200), "short": "x"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				for range 1000 {
					w.phones.listed = append(w.phones.listed, screen.Element{Text: text,
						Bounds: screen.Rect{Max: screen.Point{X: 1, Y: 1}}, Enabled: true,
						Class: "android.widget.TextView", Clickable: true})
				}
				a := w.call("get_screenshot", in{"elements": true})
				tokens, err := o200k.Count(a.text)
				require.NoError(t, err)
				require.LessOrEqual(t, tokens, 8000)
				require.Greater(t, len(a.structured["elements"].([]any)), 20)
				require.Contains(t, a.text, "more elements are left out")
			})
		})
	}
}

// What cannot be listed is said, and the picture comes all the same; but a window that came to the
// front meanwhile and forbids pictures takes the picture back.
func TestElementsThatCannotBeListed(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.unlisted = errors.New("the screen does not come to rest")
		a := w.call("get_screenshot", in{"elements": true})
		require.False(t, a.raw.IsError)
		require.Len(t, a.raw.Content, 2)
		require.Equal(t, []any{"no elements: the screen does not come to rest"},
			a.structured["notes"])

		w.phones.unlisted = screen.ErrSecure
		a = w.call("get_screenshot", in{"elements": true})
		require.Equal(t, "SECURE_SCREEN", a.code())
		require.Len(t, a.raw.Content, 1)

		w.phones.unlisted = nil
		w.phones.phone("A").Set(devicetest.Change{Off: new(true)})
		a = w.call("get_screenshot", in{"elements": true})
		require.False(t, a.raw.IsError)
		require.NotContains(t, a.structured, "elements")
	})
}

// Texts are no pixels: where pictures are private the elements may be asked for, alone.
func TestElementsWherePicturesArePrivate(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.topts.Privacy = usecase.PrivacyCaptions
		w.begin()
		require.Equal(t, "PRIVACY_MODE", w.call("get_screenshot", nil).code())
		require.Equal(t, "PRIVACY_MODE", w.call("get_screenshot", in{"elements": false}).code())
		a := w.call("get_screenshot", in{"elements": true})
		require.False(t, a.raw.IsError)
		require.Len(t, a.raw.Content, 1)
		require.IsType(t, mcp.TextContent{}, a.raw.Content[0])
		require.NotContains(t, a.structured, "screenshot_size")
		require.Contains(t, a.text, `TextView "Notes"`)
		w.phones.phone("A").Set(devicetest.Change{Secure: new(true)})
		require.Equal(t, "SECURE_SCREEN", w.call("get_screenshot", in{"elements": true}).code())
	})
}

// The list of a screen costs a model no more tokens than when parents without words were left out
// of it, besides the hints of fields in the last two.
func TestTheListOfElementsStaysShort(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	for name, most := range map[string]int{"chat-list": 333, "food-checkout-japanese": 158,
		"bank-home-german": 452, "bank-pin-spanish": 210, "group-buy-zh": 243, "wishlist-it": 500,
		"bank-payment-czech": 226, "gov-es": 141} {
		dump, err := os.ReadFile("../internal/guard/phone/testdata/screens/" + name + ".xml")
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.phones.listed, err = device.ParseElements(dump, screen.Size{W: 1080, H: 2400}, 0)
				require.NoError(t, err)
				tokens, err := o200k.Count(w.call("get_screenshot", in{"elements": true}).text)
				require.NoError(t, err)
				require.LessOrEqual(t, tokens, most)
				require.Greater(t, tokens, most/2, "it is counted")
			})
		})
	}
}
