package guard_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/taploop/taploop/internal/guard"
)

func TestWhatAModelSaysOfItsActCountsInTheFormsOfSpeech(t *testing.T) {
	says := func(act string) guard.Decision {
		s := tap("com.app", "Next")
		s.Act = act
		return builtin(t).Decide(s)
	}
	for _, act := range []string{"Ich bezahle jetzt", "Je paie maintenant", "Pago ahora el pedido",
		"今すぐ支払う", "我现在付款", "klicke auf Bezahlen", "ich lösche die Notiz", "j'envoie le message",
		"elimino la nota", "メッセージを送信する", "メモを削除します", "buying it", "paying", "deleting it",
		"I am sending the message", "уже оплачиваю заказ", "удаляю заметку", "отправляю сообщение",
		"Ich schicke die Nachricht ab", "J'achète le billet", "borrando la nota", "Compro o bilhete",
		"pago subito", "jag betalar nu", "jeg sletter noten", "maksan nyt", "zaplatím teď",
		"ik verwijder de notitie", "mesajı gönderiyorum", "메시지를 전송합니다", "usuwam notatkę", "изтривам снимката", "публикую пост", "mažu poznámku", "posílám zprávu",
		"trimit mesajul", "видаляю нотатку", "saya mengirim pesan", "मैं संदेश भेज रहा हूँ",
		"nu sterg nota, trimit mesajul"} {
		assert.Equal(t, guard.Ask, says(act).Verdict, act)
	}
	for _, act := range []string{"I open the order", "I look for the delete button to see it",
		"Ich öffne die Bestellung", "abro la lista de pagos", "j'ouvre la page des commandes",
		"注文を開く", "打开订单", "ich suche den Löschen-Knopf", "cerco il pulsante", "opening the order",
		"смотрю заказ", "ich zeige die Nachrichten", "reading the message", "scrolling down"} {
		assert.Equal(t, guard.Allow, says(act).Verdict, act)
	}
}

func TestLinkingCastingAndUnlockingAreKnownInEveryLanguage(t *testing.T) {
	for _, label := range []string{"投屏", "Collega un dispositivo", "Connecter un appareil",
		"Привязка устройства", "Привязать устройство", "デバイスをリンク", "Gerät hinzufügen", "기기 연결하기",
		"Conectar dispositivo", "Conectar um dispositivo", "Koppel apparaat", "关联新设备", "链接设备",
		"Połącz urządzenie", "Cihaz bağla", "Transmitir pantalla", "Caster l'écran", "Diffuser l'écran",
		"Transmetti schermo", "Трансляция экрана", "画面をキャスト", "Bildschirm streamen", "Del skærm",
		"Połącz nowe urządzenie", "OEM unlocking", "OEM 解锁", "OEM-Entsperrung", "Odemknutí OEM",
		"Déverrouillage par le fabricant", "Desbloqueo de OEM", "Sblocco OEM",
		"Разблокировка загрузчика", "OEM ロック解除", "OEM-ontgrendeling", "Mở khóa OEM"} {
		assert.Equal(t, guard.Ask, builtin(t).Decide(tap("com.foo", label)).Verdict, label)
	}
}

// A picture's description may have more words around those of a call.
func TestCallsThatNameTheirAppOrBegin(t *testing.T) {
	icon := func(says string) guard.Verdict {
		return builtin(t).Decide(guard.Subject{Action: "CLICK", App: "com.foo", Element: &guard.Element{
			Description: says, Class: "android.widget.ImageView"}}).Verdict
	}
	for _, says := range []string{"WhatsApp कॉल", "Telegram-Anruf", "Signal-oproep", "Videoanruf starten",
		"Iniciar llamada", "Démarrer appel vocal", "Appel démarrer", "Llamada de voz iniciar"} {
		assert.Equal(t, guard.Ask, icon(says), says)
	}
	for _, says := range []string{"Verpasster Anruf", "Anruf Details", "Appels manqués", "WhatsApp", "Start"} {
		assert.Equal(t, guard.Allow, icon(says), says)
	}
}

func TestSumsOfEveryKindStandBesideAConfirmation(t *testing.T) {
	beside := func(line string) guard.Decision {
		s := tap("com.foo", "Confirm", line)
		s.Layout = &guard.Layout{Button: true, Primary: true, Words: []string{line}}
		return builtin(t).Decide(s)
	}
	for _, line := range []string{"0.5 BTC", "500 USDT", "USD500", "KSh 300", "5万元", "3億円", "五百元",
		"Amount: 500.00", "1.234,56", "1,234.56", "R$ 30", "Rp 50.000", "S/ 20", "Bs 100", "₦500",
		"300 kr", "20 zł", "Summe: 20,00", "$500.00",
		"Expires in 00:59", "剩余 00:59", "剩余 59 秒", "Noch 30 Sekunden"} {
		assert.Equal(t, guard.Ask, beside(line).Verdict, line)
	}
	for _, line := range []string{"5 items", "Q1 2026", "Version 1.2.3", "12:30", "Chapter 12", "Top stories",
		"Room 500", "2026-11-29", "Resend code in 00:30"} {
		assert.Equal(t, guard.Allow, beside(line).Verdict, beside(line).Reason)
	}
}

func TestAToolInCapitalsIsJudgedBehindAnAbbreviation(t *testing.T) {
	for _, name := range []string{"APIDELETE", "HTTPSEND", "DBDELETE", "URLPOST", "SQLDROP"} {
		d := builtin(t).Decide(guard.Subject{Action: name, App: "srv", Tool: true})
		assert.Equal(t, guard.Ask, d.Verdict, name)
	}
	for _, name := range []string{"APIGET", "DBLIST", "URLDECODE", "APIS", "RESTORE", "display"} {
		d := builtin(t).Decide(guard.Subject{Action: name, App: "srv", Tool: true})
		assert.Equal(t, guard.Allow, d.Verdict, name)
	}
}
