package guard

import (
	"regexp"
	"strings"
	"sync"

	"github.com/taploop/taploop/internal/lazyregexp"
)

// foreign is how other languages than English and Chinese name what a class does: on buttons, in
// Latin letters and in others; what such words may also say; and how a task says that it is to be
// done, at the beginning of a clause or as the last of it.
type foreign struct {
	Latin pattern `yaml:"latin"`
	Other pattern `yaml:"other"`
	Not   pattern `yaml:"not"`
	Task  pattern `yaml:"task"`
	Last  pattern `yaml:"last"`
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
func folded(p pattern) string {
	return letters.ReplaceAllStringFunc(fold(string(p)), toLatin)
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
	for _, c := range classes() {
		f := c.Foreign
		if f.Latin == "" {
			continue
		}
		latin, other := `\b(?:`+folded(f.Latin)+`)(?:\b|$)`, folded(f.Other)
		words := "(?:" + latin + "|" + other + ")"
		s := &foreignMatcher{line: regexp.MustCompile(words), hints: hintsOf(words),
			not: regexp.MustCompile(folded(f.Not)),
			ends: regexp.MustCompile("^(?:(?:" + yesForeign + ")[,: ]+)?" + words + "|" +
				words + "$")}
		if f.Task != "" {
			s.task = regexp.MustCompile(politeForeign + "(?:" + folded(f.Task) + `)(?:$|[^\pL])`)
		}
		if f.Last != "" {
			s.last = regexp.MustCompile("(?:" + folded(f.Last) + ")(?:" + lastForeign + ")$")
		}
		all[c.Name] = s
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
