package guard

import (
	"regexp"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/lazyregexp"
)

// foreign is how other languages than English and Chinese name what a class does: on buttons, in
// Latin letters and in others; what such words may also say; and how a task says that it is to be
// done, at the beginning of a clause or as the last of it. The languages are Spanish, Portuguese,
// French, German, Italian, Dutch, Polish, Swedish, Turkish, Indonesian and Vietnamese; Russian,
// Japanese, Korean, Arabic, Hindi and Thai; and Chinese in its traditional characters.
type foreign struct{ latin, other, not, task, last string }

var foreignWords = map[string]foreign{
	"pay": {
		latin: `pagar|paga(?: ora| adesso| ahora| agora)?$|pagare|(?:realizar|efetuar|efectuar|` +
			`confirmar|hacer) (?:el |o )?(?:pago|pagamento)|bezahlen|jetzt zahlen|payer|` +
			`r[ée]gler (?:la|ma)? ?commande|(?:conferma|effettua) (?:il )?pagamento|betalen|` +
			`afrekenen|zap[łl]a[ćc]|płacę|betala|ödeme(?:yi)? (?:yap|tamamla|onayla)|(?:hemen|` +
			`şimdi) öde|bayar|thanh toán|paiement sécurisé|valider (?:le |mon )?paiement|` +
			`(?:recargar|recarregar) (?:saldo|ahora|agora)|doar|spenden`,
		other: `оплатить|заплатить|подтвердить (?:оплату|плат[её]ж)|пополнить|支払う|支払い(?:を|に進|へ|` +
			`する)|決済(?:する|を)|결제|충전하기|ادفع|الدفع الآن|دفع الآن|تأكيد الدفع|भुगतान कर|ชำระเงิน|` +
			`จ่ายเงิน|付費$|結帳|儲值`,
		not: `\bpayer (?:details|name|info|id|account)\b|\b(?:a|por) pagar$|支払い?方法|支払い?履歴|` +
			`결제 ?(?:수단|내역|방법|정보|완료|관리)`},
	"order": {
		latin: `comprar|(?:confirmar|finalizar|completar|concluir|tramitar|hacer|realizar|fazer) ` +
			`(?:la |a |el |o |mi |meu )?(?:compra|pedido|reserva)|kaufen|(?:zahlungs|` +
			`kosten)pflichtig.*|(?:jetzt )?bestellen|bestellung (?:abschicken|aufgeben|` +
			`abschließen)|acheter|(?:passer|valider|confirmer) (?:la |ma |votre )?commande|` +
			`commander(?: maintenant| et payer)?$|réserver maintenant|acquista|compra (?:ora|` +
			`adesso|ahora|agora|ya)|(?:conferma|invia|completa) (?:l'|l’)?(?:ordine|acquisto)|` +
			`bestelling plaatsen|koop nu|nu kopen|kup(?: teraz)?$|kupuję.*|zamawiam.*|köp(?: ` +
			`nu)?$|slutför köp|satın al|hemen al|sipariş(?:i)? (?:ver|onayla|tamamla)|beli|buat ` +
			`pesanan|pesan sekarang|mua(?: ngay)?$|đặt hàng`,
		other: `купить|(?:оформить|подтвердить) заказ|заказать|購入(?:する|を確定|手続き|$)|今すぐ買う|注文(?:する|` +
			`を確定|$)|구매하기|구매$|바로 ?구매|주문하기|اشتر|(?:^| )شراء|إتمام الطلب|تأكيد الطلب|खरीदें|ऑर्डर ` +
			`करें|^ซื้อ|สั่งซื้อ|購買|下單|訂購`,
	},
	"transfer": {
		latin: `transferir(?: ahora| agora| dinero| dinheiro| fondos)?|(?:enviar|mandar) ` +
			`(?:dinero|dinheiro|plata)|retirar (?:dinero|dinheiro|fondos)|überweisen|überweisung ` +
			`(?:ausführen|senden)|geld (?:senden|überweisen|abheben)|auszahlen|envoyer (?:de ` +
			`l['’])?argent|(?:faire|effectuer|valider) (?:un |le )?virement|invia denaro|` +
			`(?:effettua|conferma) (?:il )?bonifico|geld (?:overmaken|sturen)|overboeken|przelej|` +
			`wyślij pieniądze|skicka pengar|para (?:gönder|çek)|havale yap|kirim uang|tarik ` +
			`tunai|chuyển (?:tiền|khoản)|rút tiền`,
		other: `(?:отправить|перевести|снять) (?:деньги|средства)|перевести \d|送金|振り?込|出金する|송금|` +
			`이체|출금|تحويل (?:الأموال|المال)|إرسال (?:الأموال|المال)|पैसे भेज|โอนเงิน|轉帳|匯款|提領`,
		not: `\btransferir (?:archivos?|arquivos?|fotos?|datos|dados)\b|송금 ?내역|이체 ?내역|送金履歴|振込履歴`},
	"factory reset": {
		latin: `restablecer (?:los )?(?:datos de fábrica|valores de fábrica|el teléfono|` +
			`teléfono)|borrar todos? .*datos|borrar todo|apagar (?:todos os dados|tudo)|` +
			`redefinir (?:o )?telefone|(?:restaurar|redefinir).{0,20} de fábrica|réinitialiser ` +
			`(?:le téléphone|l['’]appareil)|tout effacer|effacer toutes les données|(?:auf ` +
			`)?werkseinstellungen.*|alle daten löschen|(?:telefon|handy|gerät) zurücksetzen|` +
			`ripristina dati di fabbrica|cancella tutti i dati|fabrieksinstellingen.*|fabrika ` +
			`(?:ayarlarına|verilerine).*|reset ke setelan pabrik`,
		other: `сброс.{0,20}заводск|удалить все данные|стереть вс[её]|出荷時|データの初期化|すべてのデータを消去|` +
			`(?:공장|출고).{0,6}초기화|إعادة ضبط المصنع|恢復原廠|重設手機`},
	"device admin": {
		latin: `(?:activar|ativar) .{0,30}administrador.*|activer .{0,30}administrateur.*|` +
			`geräteadministrator.*|attiva .{0,30}amministratore.*`,
		other: `администратор устройства|デバイス管理|기기 관리자|مشرف الجهاز|啟用.{0,6}裝置管理`},
	"delete": {
		latin: `eliminar|borrar|vaciar|quitar|excluir|apagar|remover|esvaziar|limpar|supprimer|` +
			`effacer|vider|retirer|löschen|entfernen|leeren|elimina|cancella|rimuovi|svuota|` +
			`verwijderen|usuń|wyczyść|opróżnij|radera|ta bort|sil|kaldır|temizle|hapus|kosongkan|` +
			`xóa|cancelar (?:el |o |la |a )?(?:pedido|suscripción|assinatura)|konto schließen`,
		other: `удалить|стереть|очистить|削除|消去|ゴミ箱に移動|삭제|지우기|비우기|حذف|إزالة|हटाएं|मिटाएं|^ลบ|` +
			`清除|移至垃圾桶|移除`,
		not: `(?:limpar|borrar|effacer|quitar|elimina|cancella|löschen|radera|remover|` +
			`vaciar)\b.{0,12}\b(?:filtr|pesquisa|búsqueda|recherche|ricerca|suche|texto|` +
			`eingabe)\w*|\b(?:retirer|supprimer|quitar|eliminar|remover|excluir|elimina|rimuovi) ` +
			`d\w{1,4} (?:l['’])?(?:panier|carrito|cesta|carrinho|carrello|favoris|favoritos|` +
			`preferiti)|aus (?:dem )?(?:warenkorb|favoriten) entfernen|削除済み|삭제된`,
		task: `elimin[ae]|elimínalo|borr[ae]|bórralo|exclu[ai]|apagu?[ae]|eliminar|borrar|` +
			`excluir|apagar|` +
			`supprimez?|efface[rz]?|supprimer|lösche?n?|entferne?n?|cancella(?:re)?|rimuovi|` +
			`verwijder(?:en)?|usuń|sil|hapus|xóa|удали(?:ть|те)?|сотри|احذف`,
		last: `削除し(?:て|ろ)|삭제(?:해|하세요)`},
	"send": {
		latin: `enviar|reenviar|responder a todos|envoyer|senden|abschicken|absenden|invia|` +
			`inoltra|verzenden|versturen|wyślij|skicka|gönder|kirim|gửi`,
		other: `отправить|переслать|送信|보내기|전송|إرسال|أرسل|भेजें|^ส่ง|送出|傳送`,
		not: `\b(?:enviar|reenviar|envoyer|renvoyer|invia|wyślij|kirim)\b.{0,6}\b(?:código|` +
			`code|codice|kod|` +
			`kode)\b|\bcode (?:senden|anfordern)\b|отправить код|コードを送信|인증번호.*|전송 ?내역|送信済み|送出驗證碼`,
		task: `envi[aeé]|env[íi][ae]|manda|escribe(?:le)? a|escreva para|responde|enviar|` +
			`envoyez?|envoie|écris à|réponds|sende?n?|schick(?:e|en)?|schreib(?:e)? (?:an ` +
			`)?[\pL]+ (?:eine|dass)|antworte|invia(?:re)?|scrivi a|rispondi|stuur|verstuur|` +
			`wyślij|skicka|gönder|kirim(?:kan)?|gửi|отправь?(?:те|ить)?|пошли|напиши|ответь|أرسل`,
		last: `送(?:信し|っ)て|보내|전송해`},
	"publish": {
		latin: `publicar|publier|veröffentlichen|(?:jetzt|beitrag) posten|pubblica|publiceren|` +
			`opublikuj|publicera|paylaş|yayınla|terbitkan|đăng bài`,
		other: `опубликовать|投稿(?:する|$)|公開する|게시하기|게시$|نشر|पोस्ट करें|โพสต์`,
		task: `publica(?:r)?|publi(?:er|e|ez)|veröffentliche|poste|pubblica|paylaş|` +
			`опубликуй(?:те)?`,
		last: `投稿して|게시해`},
	"grant": {
		latin: `permitir|conceder|autoriser|zulassen|erlauben|consenti|toestaan|zezwól|tillåt|` +
			`izin ver|izinkan|cho phép`,
		other: `разрешить|許可|허용|^السماح|अनुमति दें|^อนุญาต|允許`,
		not:   `許可しない|허용 ?안 ?함`,
		task:  `permit[ea]|autorisez?|erlaube|consenti|разреши(?:те)?`},
	"install": {
		latin: `instalar|^installer$|installieren|installa|installeren|zainstaluj|installera|` +
			`yükle$|pasang|cài đặt ứng dụng`,
		other: `установить приложение|установить$|インストール|설치|تثبيت|इंस्टॉल|ติดตั้ง`,
		not:   `インストール済み|설치됨`,
		task:  `instal[ae]|instalar|installez?|installiere?n?|installa|zainstaluj|установи(?:те)?`,
		last:  `インストールして|설치해`},
	"uninstall": {
		latin: `desinstalar|désinstaller|deinstallieren|disinstalla|verwijder app|odinstaluj|` +
			`avinstallera|kaldır|copot pemasangan|gỡ cài đặt`,
		other: `удалить приложение|アンインストール|제거|إلغاء التثبيت|अनइंस्टॉल|ถอนการติดตั้ง|解除安裝`,
		task:  `desinstal[ae]|désinstallez?|deinstalliere?n?|disinstalla|odinstaluj`},
	"account": {
		latin: `cerrar sesión|cambiar (?:la )?contraseña|sair(?: da conta)?|terminar sessão|` +
			`encerrar sessão|(?:alterar|mudar) (?:a )?senha|se déconnecter|déconnexion|changer ` +
			`(?:le |de )?mot de passe|abmelden|passwort ändern|esci(?: dall.*)?|cambia password|` +
			`uitloggen|afmelden|wyloguj(?: się)?|logga ut|çıkış yap|oturumu kapat|keluar|đăng xuất`,
		other: `выйти из аккаунта|сменить пароль|ログアウト|パスワードを変更|로그아웃|비밀번호 변경|تسجيل الخروج|` +
			`लॉग ?आउट|ออกจากระบบ|登出`,
		task: `cierra (?:la )?sesión|sai da conta|déconnecte|melde? .{0,30}\bab|abmelden|` +
			`esci|выйди`,
		last: `ログアウトして|로그아웃해`},
}

// Words of other languages that only say yes, that say no, and that begin the line of a sum.
var (
	yesForeign = folded(`aceptar|acepto|confirmar|continuar|s[ií]|sim|aceitar|ja|bestätigen|` +
		`weiter|fortfahren|oui|confirmer|valider|continuer|accepter|sì|conferma|accetta|continua|` +
		`prosegui|bevestigen|doorgaan|tak|potwierdź|dalej|bekräfta|evet|onayla|tamam|devam|ya|` +
		`konfirmasi|lanjutkan|đồng ý|xác nhận|tiếp tục|да|ок|подтвердить|продолжить|はい|確認(?:する)?|` +
		`確定(?:する)?|続ける|同意する|예|네|확인|계속|동의|نعم|موافق|تأكيد|متابعة|हाँ|हां|ठीक|पुष्टि करें|ตกลง|` +
		`ยืนยัน|確認|確定|繼續`)
	noForeign = folded(`cancelar|anular|no permitir|rechazar|ahora no|cerrar|volver|atrás|não(?: ` +
		`permitir)?|agora não|fechar|voltar|recusar|abbrechen|nein|nicht (?:zulassen|jetzt)|` +
		`ablehnen|schließen|zurück|annuler|non|ne pas autoriser|refuser|fermer|retour|plus tard|` +
		`annulla|rifiuta|chiudi|indietro|annuleren|nee|sluiten|terug|anuluj|nie|wróć|avbryt|nej|` +
		`iptal|hayır|vazgeç|geri|batal|tidak|tutup|hủy|không|đóng|отмена|нет|закрыть|назад|не ` +
		`сейчас|キャンセル|いいえ|閉じる|戻る|許可しない|취소|아니요|닫기|뒤로|허용 ?안 ?함|إلغاء|لا|رجوع|रद्द करें|नहीं|ยกเลิก|` +
		`取消|關閉`)
	// how people are told to draw a finger
	slideForeign = folded(`\b(?:desli[zc]\w*|arrast\w*|wisch\w*|schieb\w*|glisse\w*|balay\w*|` +
		`scorri\w*|trascina\w*|veeg\w*|schuif\w*|przesu\w*|kaydir\w*|geser\w*|svep\w*|vuot|` +
		`truot)|провед\pL*|сдвин\pL*|свайп\pL*|スワイプ|スライド|밀어|밀기|اسحب|مرر`)
	sumForeign = folded(`(?:importe|valor|monto) (?:total|a pagar)|gesamt(?:betrag|summe)?|summe|` +
		`zu zahlen|zahlbetrag|montant|à payer|importo|totale|totaal|do zapłaty|razem|suma|summa|` +
		`toplam|tổng|jumlah|итого|к оплате|合計|お支払い金額|합계|총|결제 ?금액|المجموع|الإجمالي|कुल|รวม`)
	// what takes a consent back, wherever in a clause it stands
	notForeign = folded(`\b(?:nunca|sin|não|nao|sem|nada|nem|nicht|nichts|kein\w*|ohne|nie|` +
		`niemals|ne|pas|rien|jamais|sans|non|senza|niente|mai|niet|niets|geen|inte|jangan|tidak|` +
		`tanpa|đừng|không|no)\b|\bn['’]|(?:^| )(?:не|ничего|без|никогда)(?: |$)|ない|ません|하지|말고|않|` +
		`لا|بدون`)
	// how a wish ends, in the languages that have the verb last
	lastForeign = folded(`(?:くだ|下さ|ほし|お願い).*| ?줘| ?주세요|라|`)
	// what may stand before the verb that says what is to be done
	politeForeign = folded(`^ ?(?:.*\b(?:y|e|und|et|en|ed|i|ve|dan)|.* и)? ?(?:(?:por favor|` +
		`bitte|s['’]il (?:te|vous) plaît|per favore|alsjeblieft|proszę|lütfen|tolong|пожалуйста|` +
		`luego|después|dann|ensuite|puis|poi|depois|danach|потом) ?)*`)
)

// folded is a pattern in the letters in which texts are compared.
func folded(pattern string) string {
	return letters.ReplaceAllStringFunc(fold(pattern), toLatin)
}

var letters = lazyregexp.New(`\pL+`)

// foreignMatcher is a class's words in other languages, ready to be looked for.
type foreignMatcher struct {
	line  *regexp.Regexp // anywhere in a line
	hints []string       // of line
	ends  *regexp.Regexp // at its beginning or end: other languages have the verb behind its object
	not   *regexp.Regexp
	// of a task; nil when there are none
	task *regexp.Regexp // at the beginning of a clause
	last *regexp.Regexp // at its end
}

var foreignMatchers = sync.OnceValue(func() map[string]*foreignMatcher {
	all := map[string]*foreignMatcher{}
	for name, f := range foreignWords {
		latin, other := `\b(?:`+folded(f.latin)+`)(?:\b|$)`, folded(f.other)
		words := "(?:" + latin + "|" + other + ")"
		s := &foreignMatcher{line: regexp.MustCompile(words), hints: hintsOf(words),
			not: regexp.MustCompile(folded(f.not)),
			ends: regexp.MustCompile("^(?:(?:" + yesForeign + ")[,: ]+)?" + words + "|" +
				words + "$")}
		if f.task != "" {
			s.task = regexp.MustCompile(politeForeign + "(?:" + folded(f.task) + `)(?:$|[^\pL])`)
		}
		if f.last != "" {
			s.last = regexp.MustCompile("(?:" + folded(f.last) + ")(?:" + lastForeign + ")$")
		}
		all[name] = s
	}
	return all
})

// matches are the words of a line that name in another language what a class does, "" for none. In
// content, only those at its beginning count.
func (s *foreignMatcher) matches(line string, anywhere, content bool) string {
	if !hinted(line, s.hints) {
		return ""
	}
	if s.not.String() != "" {
		line = s.not.ReplaceAllString(line, " ")
	}
	line = strings.TrimSpace(line)
	switch {
	case content:
		if at := s.line.FindStringIndex(line); at == nil || at[0] > 0 {
			return ""
		}
		fallthrough
	case anywhere:
		return s.line.FindString(line)
	}
	return s.ends.FindString(line)
}

// wants reports whether a clause of a task wants what the class does, in another language, or
// forbids it.
func (s *foreignMatcher) wants(clause string) (wanted, forbidden bool) {
	if s == nil {
		return false, false
	}
	wanted = s.task != nil && s.task.MatchString(clause) ||
		s.last != nil && s.last.MatchString(clause)
	if !never.MatchString(clause) {
		return wanted, false
	}
	return false, wanted || s.line.MatchString(clause)
}

var never = regexp.MustCompile(notForeign)
