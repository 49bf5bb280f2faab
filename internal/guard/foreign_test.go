package guard_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
)

// english are words by which a screen is told to be in English.
var english = []string{"Your cart", "Blue shoes", "View details"}

func TestWordsOfOtherLanguagesAreKnown(t *testing.T) {
	for _, c := range []struct {
		want guard.Severity
		list []string
	}{
		{guard.Critical, []string{"Pagar ahora", "Pagar", "Jetzt bezahlen", "Acheter",
			"Confirmar compra",
			"Comprar agora", "Finalizar compra", "Zahlungspflichtig bestellen",
			"Jetzt kaufen", "Payer 30 €",
			"Passer la commande", "Paga ora", "Acquista", "Conferma ordine", "Nu betalen",
			"Zapłać",
			"Kupuję i płacę", "Satın al", "Ödeme yap", "Оплатить", "Купить сейчас",
			"Оформить заказ",
			"Bayar sekarang", "Beli sekarang", "Thanh toán", "Đặt hàng", "支払う", "購入する", "注文を確定する",
			"결제하기", "구매하기", "ادفع الآن", "شراء", "भुगतान करें", "खरीदें", "ชำระเงิน", "結帳",
			"立即購買",
			"Überweisen", "Geld senden", "Enviar dinero", "Transferir", "Envoyer de l'argent",
			"Przelej", "Para gönder", "Отправить деньги", "送金する", "송금하기", "轉帳", "Betala nu",
			"Köp nu",
			"Auf Werkseinstellungen zurücksetzen", "Borrar todos los datos", "Tout effacer",
			"출고 초기화"}},
		{guard.Sensitive, []string{"Eliminar", "Borrar", "Sí, eliminar", "Excluir",
			"Apagar", "Supprimer",
			"Löschen", "Konto löschen", "Ja, löschen", "Elimina", "Verwijderen", "Usuń",
			"Sil", "Удалить",
			"Hapus", "Xóa", "削除", "削除する", "삭제", "حذف", "हटाएं", "ลบ", "移至垃圾桶",
			"Enviar", "Publicar", "Envoyer", "Senden", "Nachricht senden", "Invia",
			"Verzenden", "Wyślij",
			"Gönder", "Отправить", "Kirim", "Gửi", "送信", "投稿する", "보내기", "إرسال", "भेजें",
			"Permitir", "Autoriser", "Zulassen", "Разрешить", "許可", "허용", "Instalar",
			"Installieren",
			"Désinstaller", "Установить", "インストール", "설치", "Cerrar sesión", "Abmelden",
			"Se déconnecter",
			"Выйти из аккаунта", "ログアウト", "로그아웃"}},
	} {
		for _, text := range c.list {
			d := builtin(t).Decide(tap("com.app", text, english...))
			require.Equal(t, guard.Ask, d.Verdict, text)
			require.Equal(t, c.want, d.Severity, "%s: %s", text, d.Reason)
		}
	}
	for _, ask := range [][]string{{"Aceptar", "¿Eliminar esta nota?"}, {"Ja",
		"Diese Notiz löschen?"},
		{"OK", "Supprimer la note ?"}, {"はい", "このメモを削除しますか"}, {"확인", "이 메모를 삭제할까요?"},
		{"Да", "Удалить заметку?"}, {"Confirmar", "Total: 30 €"}, {"Weiter", "Gesamtbetrag 30 €"},
		{"Valider", "Total à payer : 30 €"}, {"Подтвердить", "Итого 300 ₽"}} {
		d := builtin(t).Decide(tap("com.app", ask[0], ask[1:]...))
		require.Equal(t, guard.Ask, d.Verdict, ask)
	}
}

func TestHarmlessWordsOfOtherLanguagesAreNoHarm(t *testing.T) {
	for _, text := range []string{"Cancelar", "Abbrechen", "Annuler", "Métodos de pago",
		"Formas de pagamento", "Zahlungsmethoden", "Moyens de paiement", "Mis pedidos",
		"Bestellungen",
		"Añadir al carrito", "In den Warenkorb", "Ajouter au panier", "Buscar", "Suche", "Weiter",
		"Ver detalles", "Configuración", "Limpiar filtros", "お支払い方法", "購入履歴", "注文履歴", "キャンセル",
		"주문 내역", "취소", "결제 수단", "Отмена", "Способы оплаты", "Мои заказы", "История покупок",
		"Перевести", "Transférer", "Transferir archivos", "Enviar código", "Code senden", "発送状況",
		"Enviados", "Gesendet", "Papierkorb", "Commander Keen", "Ode to joy", "Payer details",
		"Retirer du panier", "Eliminar del carrito", "Aus dem Warenkorb entfernen",
		"Ordini", "Winkelwagen", "Sepet", "Keranjang"} {
		d := builtin(t).Decide(tap("com.app", text, english...))
		require.Equal(t, guard.Allow, d.Verdict, "%s: %s", text, d.Reason)
	}
}

func TestATaskInAnotherLanguageConsentsToo(t *testing.T) {
	for _, c := range []struct {
		task, button string
		want         guard.Verdict
	}{
		{"Envía el mensaje a Ana", "Enviar", guard.Allow},
		{"Abre las notas y elimina la nota Compra", "Eliminar", guard.Allow},
		{"Bitte sende die Mail an Anna", "Senden", guard.Allow},
		{"Öffne die Notizen und lösche die Notiz Milch", "Löschen", guard.Allow},
		{"Supprime la note", "Supprimer", guard.Allow},
		{"Удали заметку про молоко", "Удалить", guard.Allow},
		{"牛乳のメモを削除して", "削除", guard.Allow},
		{"우유 메모를 삭제해 줘", "삭제", guard.Allow},
		{"Envía el mensaje a Ana", "Eliminar", guard.Ask},
		{"No envíes nada", "Enviar", guard.Ask},
		{"Escribe un correo pero no lo envíes. Elimina la nota", "Enviar", guard.Ask},
		{"Lösche nichts", "Löschen", guard.Ask},
		{"Ne supprime rien", "Supprimer", guard.Ask},
		{"Schreib eine Mail, aber sende sie nicht ab", "Senden", guard.Ask},
		{"Dime qué envía Ana", "Enviar", guard.Ask},
		{"メモを削除しないで", "削除", guard.Ask},
		{"삭제하지 마", "삭제", guard.Ask},
		{"Paga la factura", "Pagar", guard.Ask}, {"Look around.", "Allow", guard.Ask},
		{"", "Zulassen", guard.Ask}, {"Sieh nach.", "Konto löschen", guard.Ask},
		{"Kaufe die Schuhe", "Jetzt kaufen", guard.Ask},
		{"Schreib auf: „lösche alles“", "Löschen", guard.Ask},
		{"Lösche die Notiz Milch", "Alle löschen", guard.Ask},
	} {
		s := tap("com.app", c.button)
		s.Task = c.task
		d := builtin(t).Decide(s)
		require.Equal(t, c.want, d.Verdict, "%s: %s (%s)", c.task, c.button, d.Reason)
	}
}

// What is not known is asked about where money stands next to it in an app about money, and nowhere
// else.
func TestUnknownWordsNextToMoneyAreAsked(t *testing.T) {
	near := func(app, text string, near ...string) guard.Subject {
		s := tap(app, text, append([]string{"Your account"}, near...)...)
		s.Near = near
		return s
	}
	for _, s := range []guard.Subject{near("com.wallet", "Maksa", "30,00 €"),
		near("com.wallet", "Plătește", "120 lei"), near("com.mybank", "Kwikzap", "£5"),
		near("com.mybank", "Zaplatit", "1 200 Kč"), near("com.mybank", "Fizetés", "Ft 900")} {
		d := builtin(t).Decide(s)
		require.Equal(t, guard.Critical, d.Severity, "%+v", s)
		require.Equal(t, guard.Ask, d.Verdict, "%+v", s)
	}
	for _, s := range []guard.Subject{near("com.shop", "Kwikzap", "30,00 €"),
		near("com.wallet", "Kwikzap"), near("com.wallet", "Statements", "$900"),
		near("com.wallet", "Cancelar", "30 €"), near("com.wallet", "Shop\n-$30\nYesterday",
			"$4")} {
		require.Equal(t, guard.Allow, builtin(t).Decide(s).Verdict, "%+v", s)
	}
}

func TestLettersThatHideWordsAreSeenThrough(t *testing.T) {
	for _, text := range []string{"Páy now", "𝐏𝐚𝐲 𝐧𝐨𝐰", "Ⓟⓐⓨ now", "\u202ewon yaP",
		"P.a.y n.o.w", "P-A-Y",
		"P·a·y", "Pаy\u2060 nоw", "\u2067Pay now\u2069", "Рaу", "Ραу nοw", "P̲a̲y̲",
		"Pɑy now", "Paγ now"} {
		d := builtin(t).Decide(button(text))
		require.Equal(t, guard.Critical, d.Severity, "%q: %s", text, d.Reason)
	}
}

func TestNoTextIsTooLongOrTooCrookedToBeRead(t *testing.T) {
	unseen := strings.Repeat("\u200b", 3000)
	for _, text := range []string{unseen + "Pay now" + unseen,
		strings.Repeat("\u2060 ", 2000) + "Pay now",
		strings.Repeat("and so on ", 300) + "pay now", "Pa\u202ewon y\u202c"} {
		require.Equal(t, guard.Critical, builtin(t).Decide(button(text)).Severity, "%.20q", text)
	}
	for _, asks := range []string{"\u202e?03$ yap mrifnoC",
		unseen + "Confirm payment of $30?" + unseen} {
		require.Equal(t, guard.Critical, builtin(t).Decide(tap("com.x", "OK", asks)).Severity,
			"%.20q", asks)
	}
	for _, direction := range []string{"left", "right"} {
		s := tap("com.shop", "Slide to pay")
		s.Action, s.Args = "SCROLL", map[string]any{"direction": direction}
		require.Equal(t, guard.Critical, builtin(t).Decide(s).Severity, direction)
	}
}

// Without accents, verbs of one language are words or names of another.
func TestEverydayWordsAreNoVerbsOfAnotherLanguage(t *testing.T) {
	file, err := os.ReadFile("testdata/everyday.txt")
	require.NoError(t, err)
	n := 0
	for word := range strings.Lines(string(file)) {
		if word = strings.TrimSpace(word); strings.HasPrefix(word, "#") {
			continue
		}
		n++
		s := tap("com.app", word)
		s.Element.Class = "android.widget.Button"
		said := builtin(t).Decide(s)
		assert.Equal(t, guard.Allow, said.Verdict, "%s: %s", word, said.Reason)
	}
	require.GreaterOrEqual(t, n, 100)
}
