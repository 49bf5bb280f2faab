package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
)

// What the arrangement of a screen says of a touch counts in any language, and takes back what only
// looks like an act.
func TestTheArrangementSaysWhatATouchDoes(t *testing.T) {
	const box, row = "android.widget.Button", "android.widget.LinearLayout"
	type l = guard.Layout
	for name, c := range map[string]struct {
		app, label, class string
		layout            l
		screen            []string
		ask               bool
	}{
		"what was written is published from among peers": {label: "Post",
			layout: l{Peer: true, Fields: []string{"What is new?"}}, ask: true},
		"a tab is called so, on a page with a field to search": {label: "Post", class: row,
			layout: l{Peer: true, Tab: true, Fields: []string{"Search"}}},
		"a yes among peers": {label: "Confirmer le rendez-vous", class: "android.view.View",
			layout: l{Peer: true}, ask: true},
		"a button behind the fields of a page that goes on below": {label: "Zubyakni",
			layout: l{Button: true, Ends: true, Fields: []string{"A", "B"},
				Beside: []string{"Vrtulka"}}},
		"a button behind the fields of a page, above the one that says no": {label: "Zubyakni",
			layout: l{Button: true, Ends: true, Fields: []string{"A", "B"},
				Beside: []string{"Zpět"}}, ask: true},
		"what something costs, on a page that goes on below": {label: "Tip\n$2.00", class: row,
			layout: l{Peer: true, Beside: []string{"Zubyakni"}}},
		"a label in two lines, on a page that goes on below": {label: "Place\norder", class: row,
			layout: l{Beside: []string{"Zubyakni"}}, ask: true},
		"an act above what pays": {label: "Place order\nVisa 4242", class: row,
			layout: l{Beside: []string{"Zubyakni"}}, ask: true},
		"an act above what pays, in Spanish": {label: "Pagar todo\nVisa 4242", class: row,
			layout: l{Beside: []string{"Zubyakni"}}, ask: true},
		"an act above what pays, in Russian": {label: "Оплатить заказ\nКарта 4242", class: row,
			layout: l{Beside: []string{"Zubyakni"}}, ask: true},
		"an act above whom it pays, in German": {label: "Geld senden\nan Bob", class: row,
			layout: l{Beside: []string{"Zubyakni"}}, ask: true},
		"an act above its total": {label: "Pay\nTotal $30", class: row, layout: l{Peer: true},
			ask: true},
		"an act above its total, in Chinese": {label: "支付\n合计 30 元", class: row,
			layout: l{Peer: true}, ask: true},
		"an act below what it buys": {label: "Starter pack\nBuy for $4.99", class: row,
			layout: l{Peer: true}, ask: true},
		"a yes above what pays, on a page that goes on below": {app: "com.paypal.android.p2pmobile",
			label: "确认\n尾号4242", class: row, layout: l{Beside: []string{"Zubyakni"}}, ask: true},
		"a yes below what pays, on a page that pays": {app: "com.paypal.android.p2pmobile",
			label: "Visa 4242\n确认", class: row, layout: l{Beside: []string{"支付"}}, ask: true},
		"out, and a password": {label: "Log out and change password", class: row,
			layout: l{Peer: true}, ask: true},
		"on with what is known": {label: "Weiter ohne Konto",
			layout: l{Button: true, Primary: true}},
		"on to what is known": {label: "Continue to editor",
			layout: l{Button: true, Primary: true}},
		"so many minutes in which to pay": {label: "Zaplatit do 5 minut", ask: true},
		"a part of an app is called so":   {label: "Post", layout: l{Peer: true}},
		"a price in a dialog, on no button of Android's": {label: "Five hearts 2,49 €",
			class: "android.view.View", layout: l{Dialog: true}, ask: true},
		"amounts to choose from, above the button that goes on": {label: "12,50 €",
			layout: l{Button: true, Peer: true, Beside: []string{"Zubyakni"}}},
		"prices that buy, above the way out": {label: "12,50 €", layout: l{Button: true, Peer: true,
			Beside: []string{"Close"}}, ask: true},
		"an amount, above the button that goes on": {label: "1 €",
			layout: l{Button: true, Beside: []string{"Zubyakni"}}},
		"an amount, above the way out": {label: "1 €",
			layout: l{Button: true, Beside: []string{"Close"}}, ask: true},
		"a price, above the button that goes on": {label: "4,99 €",
			layout: l{Button: true, Beside: []string{"Zubyakni"}}, ask: true},
		"prices that buy": {label: "12,50 €", layout: l{Button: true, Peer: true}, ask: true},
		"all but the button that says no, beside a fee": {label: "Zubyakni",
			layout: l{Button: true, Pair: "Zpět", Words: []string{"Poplatek 30 Kč"}},
			screen: []string{"Poplatek 30 Kč"}, ask: true},
		"two that say something, beside a fee": {label: "Zubyakni",
			layout: l{Button: true, Pair: "Vrtulka", Words: []string{"Poplatek 30 Kč"}},
			screen: []string{"Poplatek 30 Kč"}},
		"all but the button that says no, below a code": {label: "Zubyakni",
			layout: l{Button: true, Pair: "Avbryt", Fields: []string{"Säkerhetskod"}}, ask: true},
		"one of the rows of the settings": {app: "com.android.settings", class: row,
			label: "Erase everything", layout: l{Peer: true}},
		"a row that deletes for good": {app: "com.android.settings", class: row,
			label: "Delete account", layout: l{Peer: true}, ask: true},
		"a row that erases at once": {app: "com.android.settings", class: row,
			label: "Erase everything now", layout: l{Peer: true}, ask: true},
		"a row that takes an app away": {app: "com.android.settings", class: row,
			label: "Uninstall", layout: l{Peer: true}, ask: true},
		"a row that pays, of what is called so": {app: "com.evil.settings", class: row,
			label: "Pay $300 now", layout: l{Peer: true}, ask: true},
		"a row that pays, of the system's": {app: "com.android.settings", class: row,
			label: "Pay $300 now", layout: l{Peer: true}, ask: true},
		"a row that transfers, of what is called so": {app: "com.bank.settings.pay", class: row,
			label: "Transfer now\nto Bob", layout: l{Peer: true}, ask: true},
		"a row that deletes, of what is called so": {app: "com.shop.settings", class: row,
			label: "Delete my account permanently", layout: l{Peer: true}, ask: true},
		"a row that erases, of what is called so": {app: "com.android.settings.evil", class: row,
			label: "Erase everything", layout: l{Peer: true}, ask: true},
		"a button of the settings": {app: "com.android.settings", label: "Erase everything",
			layout: l{Peer: true, Button: true}, ask: true},
		"a name above its value": {label: "송금 통장\n우리은행", class: row,
			layout: l{Beside: []string{"송금하기"}}},
		"a name above the wallet that it will be": {label: "Zaplatit\nGoogle Pay", class: row,
			layout: l{Beside: []string{"Koupit"}, Words: []string{"39 Kč"}}},
		"a card that pays, above a button for more": {label: "Pay\n$30", class: row,
			layout: l{Beside: []string{"Add voucher"}}, ask: true},
		"a card that pays, above the button that says no": {label: "Pay now\nSafely", class: row,
			layout: l{Beside: []string{"Cancel"}}, ask: true},
		"a row that sends, above a button for more": {label: "Send now\nAnna", class: row,
			app: "com.whatsapp", layout: l{Beside: []string{"New"}}, ask: true},
		"a row that transfers, above a button for more": {label: "立即转账\n招商银行", class: row,
			layout: l{Beside: []string{"New"}}, ask: true},
		"a row that pays somebody": {label: "Pay\nAnna", class: row,
			layout: l{Beside: []string{"New payee"}}, ask: true},
		"somebody whom a row pays": {label: "Anna\nPay", class: row,
			layout: l{Beside: []string{"New payee"}}, ask: true},
		"a row that sends to somebody": {label: "Send\nAnna", class: row,
			app: "com.paypal.android.p2pmobile", layout: l{Beside: []string{"New"}}, ask: true},
		"a row that transfers to somebody": {label: "转账\n王芳", class: row,
			layout: l{Beside: []string{"New"}}, ask: true},
		"how often it was pressed": {label: "Přínosné (12)", layout: l{Button: true}},
		"seconds that are counted": {label: "Přínosné (12)",
			layout: l{Button: true, Primary: true}, ask: true},
		"a choice of the system acts at once": {label: "Allow all the time",
			app: "com.android.permissioncontroller", class: "android.widget.RadioButton", ask: true},
		"a choice of an app is for its button": {label: "Allow all the time",
			class: "android.widget.RadioButton"},
		"a word that begins like a yes": {label: "Oktober", screen: []string{"Total 20 €"}},
		"what a row says below its name": {app: "io.metamask", class: row,
			label: "Memo\nI agree to the offer"},
		"a yes below its name": {app: "com.paypal.android.p2pmobile", class: row,
			label: "Visa 4242\nConfirm", ask: true},
		"a yes below its name, in Chinese": {app: "com.eg.android.AlipayGphone", class: row,
			label: "尾号4242\n确认", ask: true},
		"a yes of several words below its name": {app: "com.paypal.android.p2pmobile", class: row,
			label: "Visa 4242\nAgree and continue", ask: true},
		"a long yes on a button": {app: "com.paypal.android.p2pmobile",
			label: "Visa 4242\nConfirm that this is for Bob", ask: true},
		"a long yes, in a row": {app: "com.paypal.android.p2pmobile", class: row,
			label: "Visa 4242\nConfirm that this is for Bob", ask: true},
		"a long yes, in a row, in German": {app: "com.paypal.android.p2pmobile", class: row,
			label: "Visa 4242\nBestätigen, dass das für Bob ist", ask: true},
		"a long yes, in a row, in Spanish": {app: "com.paypal.android.p2pmobile", class: row,
			label: "Visa 4242\nConfirmar que esto es para Bob", ask: true},
		"what somebody said with a payment": {app: "com.paypal.android.p2pmobile", class: row,
			label: "Anna\nok thanks for the lovely dinner"},
		"on beside a sum, in an app about money": {app: "com.paypal.android.p2pmobile",
			label: "Continue", layout: l{Button: true}, screen: []string{"Amount $500.00"},
			ask: true},
		"on, in an app about money": {app: "com.paypal.android.p2pmobile", label: "Continue",
			layout: l{Button: true}},
		"an end beside what was paid": {app: "com.paypal.android.p2pmobile", label: "Done",
			layout: l{Button: true}, screen: []string{"You sent $500.00"}},
		"a word that begins with the letters of a yes": {app: "com.kbstar.kbbank", class: row,
			label: "예약\n안함", layout: l{Peer: true}},
		"a yes, in Korean":       {app: "com.kbstar.kbbank", class: row, label: "예, 이체합니다", ask: true},
		"a date by which to pay": {label: "H&M\n499 kr\nBetala senast 12 dec", class: row},
		"a row by which to pay":  {label: "H&M\n499 kr\nBetala nu", class: row, ask: true},
		"a date, and to pay now": {label: "Betala senast 12 dec, betala nu", ask: true},
		"on to pay, in Arabic": {label: "متابعة الدفع", screen: []string{"المجموع ٢٠ ر.س"},
			layout: l{Button: true, Primary: true, Words: []string{"المجموع ٢٠ ر.س"}}},
		"on to the till, and its sum": {label: "Go to checkout $6.18",
			layout: l{Primary: true, Words: []string{"$6.18"}}},
		"to what is liked": {label: "お気に入りに移動", screen: []string{"合計 ¥612"},
			layout: l{Button: true, Primary: true, Words: []string{"合計 ¥612"}}},
		"one less": {label: "Remove one"},
		"what is to be done, in a list": {label: "Send invoice to Karl\nWork", class: row,
			layout: l{Peer: true, Fields: []string{"Message"}}},
		"who is to be called, in a list": {label: "Call dentist\nHealth", class: row,
			layout: l{Peer: true}},
		"a call that there was": {label: "Połączenie wideo\n4 min\nwczoraj", class: row,
			layout: l{Peer: true}},
		"a number that is called": {label: "Call now\n915 123 123", class: row,
			layout: l{Peer: true}, ask: true},
		"money, on a page with tabs": {label: "송금", layout: l{Button: true, Tabs: true}},
		"a message, on a page with tabs": {label: "Skicka meddelande",
			layout: l{Button: true, Tabs: true}},
		"money, on a page with tabs and a field": {label: "송금",
			layout: l{Button: true, Tabs: true, Fields: []string{"금액"}}, ask: true},
		"the button of a page with tabs": {label: "송금",
			layout: l{Button: true, Tabs: true, Primary: true}, ask: true},
		"a bare verb, on a page with tabs and a sum": {label: "Pay", screen: []string{"$12.00"},
			layout: l{Button: true, Tabs: true}, ask: true},
		"a bare verb, on a page with a sum and no tabs": {label: "Pay", screen: []string{"$12.00"},
			layout: l{Button: true}, ask: true},
		"a bare verb in Korean, on a page with tabs and a sum": {label: "송금",
			screen: []string{"12,000원"}, layout: l{Button: true, Tabs: true}, ask: true},
		"a call, on a page with tabs": {label: "Anrufen", layout: l{Button: true, Tabs: true},
			ask: true},
		"on from what is chosen": {label: "Devam et", screen: []string{"Toplam", "2.148,00 TL"},
			layout: l{Button: true, Primary: true, Touchable: 9}},
		"on from where nothing is chosen": {label: "Devam et",
			screen: []string{"Toplam", "2.148,00 TL"},
			layout: l{Button: true, Primary: true, Touchable: 3}, ask: true},
		"a yes to what is chosen": {label: "Onayla", screen: []string{"Toplam", "2.148,00 TL"},
			layout: l{Button: true, Primary: true, Touchable: 9}, ask: true},
		"on from what is chosen, to a price": {label: "Continue", screen: []string{"€9.99 / week"},
			layout: l{Button: true, Primary: true, Touchable: 9}, ask: true},
		"on from what is chosen, with a card": {label: "Continua", screen: []string{"Totale € 17"},
			layout: l{Button: true, Primary: true, Touchable: 9, Fields: []string{"IBAN"}}, ask: true},
		"on from what is chosen, to money": {app: "com.paypal.android.p2pmobile", label: "Weiter",
			screen: []string{"Gesamt 25,00 €"},
			layout: l{Button: true, Primary: true, Touchable: 9}, ask: true},
		"next, beside money": {app: "com.paypal.android.p2pmobile", label: "Next",
			screen: []string{"$25.00"}, layout: l{Button: true}, ask: true},
		"so many things of a cart": {label: "Pagar (3)",
			layout: l{Button: true, Primary: true, Touchable: 9}},
		"an act, and so many seconds": {label: "Pagar (3s)",
			layout: l{Button: true, Primary: true, Touchable: 9}, ask: true},
		"so many things that are deleted": {label: "Eliminar (3)",
			layout: l{Button: true, Primary: true, Touchable: 9}, ask: true},
		"what a cart comes to": {label: "Warenkorb ansehen 18,80 €",
			layout: l{Button: true, Primary: true}},
		"what is in a cart":                {label: "कार्ट देखें 2 आइटम", layout: l{Primary: true}},
		"on to what it comes to":           {label: "去结算 ¥30", layout: l{Button: true, Primary: true}},
		"out of a cart with so much in it": {label: "Eliminar", layout: l{Title: "Cesta (3)"}},
		"away with an offer": {label: "Descartar", class: "android.widget.ImageButton",
			layout: l{Title: "Pisos en Valencia"}},
		"away with what was written": {label: "Descartar",
			layout: l{Title: "Borrador", Fields: []string{"Para"}}, ask: true},
		"the conditions, in an app about money": {app: "com.paypal.android.p2pmobile",
			label: "Nutzungsbedingungen", class: "android.widget.TextView",
			layout: l{Words: []string{"25,00 €"}}, screen: []string{"25,00 €"}},
		"what stays as it is": {label: "Behåll resan", screen: []string{"Summa 395 kr"},
			layout: l{Button: true, Primary: true, Words: []string{"Summa 395 kr"}}},
		"what a picture leads to": {app: "com.picpay", class: "android.widget.ImageButton",
			label: "Notificações", screen: []string{"Saldo R$ 412,90"},
			layout: l{Words: []string{"Saldo R$ 412,90"}}},
		"another sum": {app: "com.bnhp.payments", label: "שינוי סכום",
			layout: l{Button: true, Words: []string{"\u200f150 ₪"}}, screen: []string{"\u200f150 ₪"}},
		"how much there is, below what fills it": {label: "Doładuj konto\nSaldo 12,40 zł",
			class: row, layout: l{Peer: true}},
		"how much it is filled with": {label: "Doładuj konto\n12,40 zł", class: row,
			layout: l{Peer: true}, ask: true},
		"a password among the rows": {label: "Meine PIN ändern", class: row,
			layout: l{Peer: true}},
		"a password among the rows of a form": {label: "Meine PIN ändern", class: row,
			layout: l{Peer: true, Fields: []string{"PIN"}}, ask: true},
		"out among the rows": {label: "Abmelden", class: row, layout: l{Peer: true}, ask: true},
		"where it can be gone to elsewhere, in an app about money": {app: "com.satispay.customer",
			label: "Ricarica telefonica", layout: l{Button: true, Tabs: true,
				Words: []string{"Disponibilità 42,10 €"}}, screen: []string{"Disponibilità 42,10 €"}},
		"where it cannot, in an app about money": {app: "com.satispay.customer",
			label: "Ricarica telefonica", layout: l{Button: true,
				Words: []string{"Disponibilità 42,10 €"}}, screen: []string{"Disponibilità 42,10 €"},
			ask: true},
		"a yes where it can": {app: "com.satispay.customer", label: "Conferma",
			layout: l{Button: true, Tabs: true}, ask: true},
		"a time of the day": {label: "Pt 8:00", layout: l{Button: true}},
		"points":            {label: "500 pts", layout: l{Button: true}, ask: true},
		"a yes to something, at the end of a page": {label: "Confirmar visita",
			layout: l{Button: true, Primary: true}, ask: true},
		"a yes at the end of a page": {label: "Confirmar",
			layout: l{Button: true, Primary: true}},
		"where from, which says yes elsewhere": {app: "com.satispay.customer", class: row,
			label: "Da\nDisponibilità 42,10 €", screen: []string{"Disponibilità 42,10 €"},
			layout: l{Beside: []string{"Invia 2,40 €"}}},
		"the amount of a transfer": {label: "이체 금액\n150,000원", class: row,
			layout: l{Peer: true, Beside: []string{"확인"}}},
		"a ticket is given back": {label: "Anular billete", layout: l{Button: true}, ask: true},
		"an offer is reported":   {label: "Signaler l'annonce", layout: l{Button: true}},
		"a parcel is refused":    {label: "Відмовитися від посилки", ask: true},
		"on to the till": {label: "Pokračovat k pokladně", screen: []string{"Celkem 612 Kč"},
			layout: l{Button: true, Primary: true, Words: []string{"Celkem 612 Kč"}}},
		"on to the till, in Japanese": {label: "レジに進む", screen: []string{"合計 ¥612"},
			layout: l{Button: true, Primary: true, Words: []string{"合計 ¥612"}}},
		"on to buying":  {label: "ご購入手続きへ", layout: l{Button: true, Primary: true}},
		"the way there": {label: "Nawiguj", layout: l{Button: true, Primary: true}},
		"another look at what was written": {label: "Popraw adres", app: "pl.mbank",
			layout: l{Button: true, Primary: true}},
	} {
		t.Run(name, func(t *testing.T) {
			s := tap("com.x", c.label, c.screen...)
			s.Element.Class, s.Layout = box, &c.layout
			if c.app != "" {
				s.App = c.app
			}
			if c.class != "" {
				s.Element.Class = c.class
			}
			d := builtin(t).Decide(s)
			require.Equal(t, c.ask, d.Verdict == guard.Ask, d.Reason)
		})
	}
}

// A judge is asked about what is no button by its class, too: rows of two lines, pictures whose ids
// name them, and a yes to what a page is about.
func TestAllThatHasALabelMayBeUnknown(t *testing.T) {
	row := tap("com.x", "Unlock the frob\n10 kr a minute")
	row.Element.Class = "android.widget.LinearLayout"
	require.True(t, builtin(t).Unknown(row))
	prose := tap("com.x", "Anna Novak\nHi, I have found the frob that you have lost on the way")
	prose.Element.Class = row.Element.Class
	require.False(t, builtin(t).Unknown(prose), "what somebody has written is no label")

	for id, want := range map[string]bool{"com.x:id/superlike": true, "com.x:id/kto": false} {
		picture := icon("com.x", id)
		picture.Element.Class = "android.widget.ImageView"
		require.Equal(t, want, builtin(t).Unknown(picture), id)
	}

	unlabelled := icon("com.eg.android.AlipayGphone", "com.x:id/close_icon")
	unlabelled.Element.Class = "android.widget.ImageView"
	unlabelled.Layout = &guard.Layout{Dialog: true, Words: []string{"A frob"}}
	require.Equal(t, guard.Allow, builtin(t).Decide(unlabelled).Verdict, "by its id alone")

	yes := tap("com.x", "Finish", "Lease of a frob.pdf")
	yes.Layout = &guard.Layout{Title: "Lease of a frob.pdf"}
	require.True(t, builtin(t).Unknown(yes))
	require.Equal(t, "Lease of a frob.pdf: finish", yes.Label())
}
