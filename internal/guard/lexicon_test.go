package guard_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/taploop/taploop/internal/guard"
)

// Labels are made of a verb, an adverb and an object, and not listed one by one.
func TestLabelsAreKnownByVerbAdverbAndObject(t *testing.T) {
	for rule, labels := range map[string]string{
		"pay": "Zaplatit hned|Sofort bezahlen|Rechnung begleichen|Zahlung freigeben|Payer la note|" +
			"Confirmer le paiement|Pagar la cuenta|Confirmar el pago|Betal nå|Maksa nyt|Fizetés|" +
			"Ödemeyi onayla|Bayar sekarang|Сплатити зараз|Потвърди плащането|تأكيد الدفع|भुगतान करें",
		"order": "Koupit jízdenku|Verbindlich buchen|Bestellung aufgeben|Finaliser ma réservation|" +
			"Tramitar pedido|Finalizar a compra|Conferma prenotazione|Bevestig bestelling|Köp biljett|" +
			"Bestil nu|Złóż zamówienie|Rezervă acum|Naruči odmah|Замовити зараз|Đặt xe|Complete booking",
		"transfer": "Odeslat peníze|Geld senden|Envoyer de l’argent|Confirm transfer|Wyślij pieniądze|" +
			"Överför|Преведи|Надіслати гроші|Rút tiền",
		"delete": "Smazat vše|Vysypat koš|Abo kündigen|Vertrag stornieren|Résilier mon contrat|" +
			"Cancelar la suscripción|Sair do grupo|Radera konto|Slet alle|Poista tili|Törlés|" +
			"Șterge contul|Obriši sve|Видалити акаунт|मिटाएं|解約する|회원 탈퇴|Leave this channel|" +
			"Cancel my membership|Ban this user|Empty recycle bin",
		"sign": "Podepsat|Antrag einreichen|Signer et envoyer|Firmar|Presentar solicitud|" +
			"Podpisz|Skriv under|Подать заявку|署名する|Cast ballot|Submit application|File a claim",
		"call":    "Zavolat|Anna anrufen|Soita|Hívás|Ring op|Зателефонувати|مكالمة فيديو|ビデオ通話",
		"install": "Nainstalovat|Zainstaluj|Asenna|Telepítés|Instalează|安装",
		"account": "Odhlásit se|Wyloguj się|Kirjaudu ulos|Změnit heslo|Passwort ändern|Вийти",
	} {
		for label := range strings.SplitSeq(labels, "|") {
			said := builtin(t).Decide(tap("com.app", label))
			assert.Equal(t, guard.Ask, said.Verdict, label)
			assert.Equal(t, "built-in: "+rule, said.Rule, label)
		}
	}
}
