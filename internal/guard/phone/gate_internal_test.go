package phone

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/screen"
)

// drawnDialog is a window over a page: a title, a message, and two buttons, of which the second is
// touched.
func drawnDialog(title, message, no, yes string) (list []screen.Element, at screen.Point) {
	add := func(class, text string, depth int, touch bool, x, y, x2, y2 float64) {
		list = append(list, screen.Element{Class: class, Text: text, Depth: depth,
			Clickable: touch, Enabled: true, Bounds: screen.Rect{Min: screen.Point{X: x, Y: y},
				Max: screen.Point{X: x2, Y: y2}}})
	}
	add("android.widget.FrameLayout", "", 0, false, 0.1, 0.35, 0.9, 0.65)
	add("android.widget.TextView", title, 1, false, 0.15, 0.37, 0.85, 0.42)
	if message != "" {
		add("android.widget.TextView", message, 1, false, 0.15, 0.43, 0.85, 0.55)
	}
	add("android.widget.Button", no, 1, true, 0.4, 0.57, 0.6, 0.63)
	add("android.widget.Button", yes, 1, true, 0.65, 0.57, 0.85, 0.63)
	return list, screen.Point{X: 0.75, Y: 0.6}
}

// The dialogs are after those of well-known kinds of apps.
func TestTheHeadlineIsWhatTheDialogSays(t *testing.T) {
	for _, c := range []struct{ title, message, no, yes, want string }{
		{"Connection request", "Fern VPN wants to watch network traffic. Only accept if you trust it.",
			"Cancel", "OK", "Fern VPN wants to watch network traffic."},
		{"Warning", "All 214 photos will be erased from this phone.", "Cancel", "Erase",
			"All 214 photos will be erased from this phone."},
		{"Delete chat", "Messages will be removed for you only.", "Cancel", "Delete", "Delete chat"},
		{"Discard draft?", "What you wrote is lost.", "Keep", "Discard", "Discard draft?"},
		{"Uwaga", "Przelew 120 zł zostanie wysłany natychmiast.", "Anuluj", "Dalej",
			"Przelew 120 zł zostanie wysłany natychmiast."},
		{"Achtung", "Das Konto wird in 30 Tagen gelöscht. Bis dahin ist es gesperrt.", "Zurück",
			"Verstanden", "Das Konto wird in 30 Tagen gelöscht."},
		{"Gerät entfernen", "Die Uhr muss danach neu gekoppelt werden.", "Nein", "Entfernen",
			"Gerät entfernen"},
		{"提示", "删除后，聊天记录将无法找回。确定后立即生效。", "取消", "确定", "删除后，聊天记录将无法找回。"},
		{"确认付款？", "收款方：小林面馆", "取消", "付款", "确认付款？"},
		{"お知らせ", "この予約を取り消すと手数料がかかります。", "戻る", "OK",
			"この予約を取り消すと手数料がかかります。"},
		{"Выйти из группы", "Вернуться можно только по приглашению.", "Отмена", "Выйти",
			"Выйти из группы"},
		{"Atención", "Se enviará tu ubicación a 12 contactos.", "No", "Sí",
			"Se enviará tu ubicación a 12 contactos."},
		{"تنبيه", "هل تريد حذف جميع الرسائل؟", "إلغاء", "موافق", "هل تريد حذف جميع الرسائل؟"},
		{"सूचना", "यह सदस्यता आज ही नवीनीकृत होगी।", "नहीं", "ठीक", "यह सदस्यता आज ही नवीनीकृत होगी।"},
		{"Notice", "v2.1", "No", "OK", "Notice"},
	} {
		list, at := drawnDialog(c.title, c.message, c.no, c.yes)
		look := screen.Observation{Elements: list, At: time.Now(),
			State: screen.State{App: "com.fern.app", On: true}}
		d := actions.Decision{Action: actions.Click{At: at}}
		act := new(Gate).act(Subjects(look, "", d)[0], guard.Decision{}, look, d.Action)
		require.Equal(t, c.yes, act.Label)
		require.Equal(t, c.want, act.Describe("en").Headline)
	}
}

func TestTheLinesOfACardAreToldApart(t *testing.T) {
	list, at := drawnDialog("Card", "", "Freeze", "Terminate card\nThis can’t be undone")
	d := actions.Decision{Action: actions.Click{At: at}}
	look := screen.Observation{Elements: list}
	act := new(Gate).act(Subjects(look, "", d)[0], guard.Decision{}, look, d.Action)
	require.Equal(t, "Terminate card · This can’t be undone", act.Label)
}

// However much a page lists, and however it is arranged, the work on what is asked ahead is that on
// some of it.
func TestWhatIsAskedAheadIsOfTheBeginningOfALongPage(t *testing.T) {
	var list []screen.Element
	for i := range 20_000 {
		y := 0.76 + float64(i)/100_000
		list = append(list, screen.Element{Class: "android.widget.Button", Clickable: true, Text: "On",
			Bounds: screen.Rect{Min: screen.Point{X: 0.3, Y: y}, Max: screen.Point{X: 0.7, Y: y + 1e-5}}})
	}
	list[0].Bounds = screen.Rect{Max: screen.Point{X: 0.1, Y: 0.1}}
	all := touches(screen.Observation{Elements: list, At: time.Now()})
	require.Len(t, all[0].Layout.Beside, maxElements-1)
	require.Len(t, all[0].Screen, 1)
}
