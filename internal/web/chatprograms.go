package web

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

// checkTokens is less than any answer takes. A request with such a limit only looks whether the
// endpoint is there, or wants a title.
const checkTokens = 32

// maxTold is how many characters of a message say what is wanted of a model. What chat programs
// tell theirs in every conversation is longer.
const maxTold = 800

// short is how many bytes an answer may have that wants nothing else: "only the summary".
const short = 40

// maxBegins is how many of its characters say what is wanted first of all.
const maxBegins = 240

// programs says why a request is one that a chat program makes by itself, about a conversation and
// not in it: a title, tags, follow-up questions, a summary, a check of the connection. They want
// the reply in a format for programs, leave no room for one, quote both sides of a conversation, or
// want something short written of it and nothing else. It returns "" for any other request, and
// where it is in doubt; where a session is named, only the last counts.
func (c *conversation) programs() string {
	for i, m := range c.Messages {
		told := text.Cut(string(m.Content), maxTold)
		if i == len(c.Messages)-1 && wantsOfChat(told) ||
			c.session == "" && m.Role != "user" && helps(told) {
			return "it wants a title, a summary or the like of a conversation"
		}
	}
	if c.session != "" {
		return ""
	}
	return c.forProgram()
}

// greets reports whether the words begin a conversation and want nothing yet.
func (t *chatTurn) greets() bool {
	return t.session == "" && t.Model != hostModel && greeting().MatchString(t.conversation.words)
}

// helps reports whether what a model is told that it is, or has to make of each message, is
// something short to be written about texts.
func helps(told string) bool {
	begins := text.Cut(told, maxBegins)
	return helper().MatchString(begins) || jsonAlone().MatchString(told) ||
		(sorter().MatchString(begins) ||
			maker().MatchString(begins) && product().MatchString(begins)) &&
			terse().MatchString(told) && !manner().MatchString(begins)
}

// forProgram says why the reply is for a program, by what is sent besides the words, or "".
func (c *conversation) forProgram() string {
	var format struct{ Type string }
	switch {
	case json.Unmarshal(c.ResponseFormat, &format) == nil &&
		strings.HasPrefix(format.Type, "json"):
		return "it wants the answer as JSON for a program"
	case quotesConversation(c.words):
		return "it quotes a conversation"
	}
	for _, raw := range []json.RawMessage{c.MaxTokens, c.MaxCompletionTokens} {
		var limit float64
		if json.Unmarshal(raw, &limit) == nil && limit > 0 && limit <= checkTokens {
			return "it leaves no room for an answer, as a check of the connection does"
		}
	}
	return ""
}

// doubtful reports whether the words may be a program's own and no answer of a person, unless they
// say that they are one: they are about a conversation, or are sent otherwise than those before and
// without a key, which a program gives to a turn alone.
func (t *chatTurn) doubtful() bool {
	told := text.Cut(t.conversation.words, maxTold)
	before, known := t.s.manners.Load(t.id)
	return !answer().MatchString(told) && (t.forProgram() != "" ||
		known && t.key == "" && before != t.manner() ||
		product().MatchString(told) && (aboutChats().MatchString(told) ||
			len(told) > short && terse().MatchString(told)))
}

// manner is how a request is sent besides its words.
func (c *conversation) manner() string {
	return fmt.Sprintf("%t %s %s %s", c.Stream, c.MaxTokens, c.MaxCompletionTokens, c.Temperature)
}

// wantsOfChat reports whether words want first of all something short, of a conversation, and
// nothing else, and do not want it on the phone.
func wantsOfChat(told string) bool {
	begins := text.Cut(told, maxBegins)
	first, _, _ := strings.Cut(strings.ReplaceAll(begins, "：", ":"), ":")
	return product().MatchString(begins) && ofChats().MatchString(told) &&
		terse().MatchString(told) && !onPhone().MatchString(begins) &&
		!sends().MatchString(first)
}

var (
	// below the heading of a program, in a tag of its own, behind bars, around a hole, or as a list
	// in JSON of messages with roles
	enclosed = text.Lazily(`(?is)\A\s*#+ *task: *\n|\A\s*your task is to\b.*"""|` +
		`\A[^.]*\bresponses from (various|several|different|multiple) models\b|` +
		`<(chat_?history|chat|conversation|messages|history|transcript|` +
		`dialogue)\b[^>]*>.*</|\n\|\|>\w+:|<\|?fim_\w+\|?>|` +
		`\{\{fill_here\}\}|\ndiff --git |` +
		`\[\s*\{\s*(?:"\w*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.-]+|` +
		`\[(?:[^\[\]"]|"(?:[^"\\]|\\.)*")*\]|` +
		`\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\})\s*,\s*)*"role"\s*:\s*"[^"]`)
	// the name of a side in front of its turn
	sideOfUser      = text.Lazily(`(?im)^[\s>*#-]*(user|human|用户|人类)\**\s*[:：]`)
	sideOfAssistant = text.Lazily(`(?im)^[\s>*#-]*(assistant|ai|bot|助手|助理)\**\s*[:：]`)
	// what a program says that its model is
	helper = text.Lazily(`(?i)\A[\s>*#-]*(you (name|[^.\n]{0,80}\b(titl\w+|summari\w+|generator|` +
		`emoji|translat\w+))\b|你[^。\n]{0,60}(标题|摘要|翻译|总结|表情))`)
	// and how it says what that makes of each message
	maker = text.Lazily(`(?i)\A[\s>*#-]*((please|your task is to) )?(generate|create|write|` +
		`produce|provide|summari[sz]e|translate|choose|select|extract|suggest|predict|reflect|` +
		`name|give|return)\b`)
	// or as what kind it tells each
	sorter = text.Lazily(`(?i)\A[\s>*#-]*(label|classify|categori[sz]e|extract|rate|detect|name|` +
		`you decide|your (job|role|task)\b)[^.\n]{0,60}\b(messages?|requests?|query|texts?|` +
		`conversations?|inputs?|prompts?|chats?)\b`)
	// how to reply in general
	manner = text.Lazily(`(?i)\b(each|every|always|replies|answers)\b`)
	// with a choice among tools, in a form that no person reads
	jsonAlone = text.Lazily(`(?is)\byour task is to\b.*\b(only|just|exclusively|strictly)` +
		`[^.\n]{0,40}\bJSON\b`)
	// says hello, or looks whether somebody is there
	greeting = text.Lazily(`(?i)\A[\s\pP]*((hello|hi|你好)[ ,，!.]+)?(please |just |请)*(` +
		`((say|reply|respond|answer|return|output|repeat)( with| the word| only| just| exactly)*|` +
		`只?(说|回复|回答|输出))?[\s\pP]*(` + hello + `)|is (anybody|anyone) there|` +
		`are you (there|ready|online|working)|can you hear me|who are you|what('s| is) your name|` +
		`what can you do|what model( are you)?|how are you( doing| today)?|` +
		`this is a test[.!]?( (just )?(say|reply|respond|answer)( with)? \pL+)?|(connection|` +
		`api) test|what('s| is) 1 ?\+ ?1|[你您]是谁)` +
		`( (there|taploop|world|again|everyone|all))?[\s\pP\pS]*\z`)
	// what is to be written
	product = text.Lazily(`(?i)\b(titles?|title[ds]|summar\w+|tags|suggestions|` +
		`quick replies|tl;?dr|(thread|chat) name|follow-?ups?|topics?|headline|` +
		`header|recap|rephrase|emoji|improved version|quer(y|ies)|autocomplet\w+|titel|titre|` +
		`t[ií]tulo|titolo|tytuł|titulek|nadpis|rubrik|tittel|otsikko|başlık|judul|` +
		`tiêu đề|zusammenfass\w+|a (short )?name|name (for )?th(is|e) (chat|conversation)|` +
		`translate (the|this) (following|text))\b|标题|主题|话题|摘要|总结|概括|` +
		`概述|标签|关键词|` +
		`命名|取名|追问|后续问题|检索词|搜索词|查询词|` +
		`タイトル|件名|要約|제목|요약|заголов\pL+|названи\pL+|` +
		`тем[уы]\b|عنوان|शीर्षक|ชื่อเรื่อง|` +
		`หัวข้อ`)
	// of what, as only a program says it that has it at hand
	ofChats = text.Lazily(`(?i)\b((the|this|our|a|following|above|partial|entire|user['’]?s?)( ` +
		`given)?` +
		`( short)? (conversation|discussion|dialog(ue)?|chat|chat history|story so far)|(this|our|` +
		`following|above|entire|previous|first|current|user['’]s|users) (chat|messages?|prompt|` +
		`query|` +
		`question|request|session|exchange|text)|dieses? gespräch\w*|cette conversation|` +
		`(d?esta|la) conversaci[oó]n|(d?esta|a) conversa|questa conversazione|dit gesprek|` +
		`te[jn] rozmow\pL+|bu (sohbet|konuşma)\pL*|percakapan ini|(cuộc )?(trò chuyện|` +
		`hội thoại)|(title|tags|summary|topic|query) for ?[:：]|here is the (message|` +
		`text))|` +
		`<text>|(这段|以上|上述|上面|我们|本次|此次|用户|给出|一下)(的|` +
		`之间的)?(对话|会话|聊天|内容)|` +
		`(^|[为将把对])(对话|会话|聊天)(记录|内容|历史)|这句话|(下面|` +
		`以下)的?(对话|会话|聊天|内容)|` +
		`(次|この|以下|上記)の(会話|対話|チャット|メッセージ)|(다음|` +
		`이|위) 대화|(?i:(этого|следующего|данного) ` +
		`(диалога|разговора|чата)|(этой|` +
		`следующей) (беседы|переписки))|هذه المحادثة|` +
		`इस बातचीत|` +
		`บทสนทนา|<(content|message|input|query)>|"""|(?i:\b(the|` +
		`this) (user )?message( below)?\b|` +
		`the chat that)`)
	// and that it is to be short, or all
	terse = text.Lazily(`(?i)\b(return|reply|respond|output|answer|give|provide)( me| us)?( ` +
		`with)? ` +
		`(only|just|nothing|an empty)|\b(only|just) (the|return|reply|respond|output|answer|give|` +
		`provide)|\b(title|name|summary|that|text|label|number) only\b|nothing (else|but)|` +
		`\b(no|without any|` +
		`without|` +
		`omitting|not use) ((additional|other|extra|further|ending) )?(text|words|explanation|` +
		`punctuation|quot|lead|preamble)|\b(\d+|two|three|four|five|six|seven|eight|ten|max\. ` +
		`\d+)` +
		`[ -](words?|characters?|sentences?|wörter\w*|mots|palabras)\b|\bas json\b|json (array|` +
		`list|` +
		`object|format)|\b(brief|briefly|concise|detailed|so far)\b|context\b|as a prompt|<text>|` +
		`只(返回|输出|回复)|仅(返回|输出)|直接返回|不要(使用|解释|标点|多余|加)|` +
		`[\d一二两三四五六七八九十] ?个?(字|词)|字以内|用作|` +
		`以.{0,4}(JSON|字符串)|[\d一二两三四五六七八九十] ?个?(字|词)|` +
		`(だけ|のみ)を?(出力|返|答)|만 (출력|반환|답|작성)|(?i:\b(s[oó]lo|` +
		`solamente|apenas|somente|nur|` +
		`seulement|uniquement|soltanto|solo|alleen|tylko|sadece|yalnızca|hanya|chỉ|endast|bara)\b|` +
		`только|без (кавычек|пояснений)|\b(m[aá]x\w*|under|` +
		`up to) \d+)|فقط|केवल|เท่านั้น`)
	// what is to be done on the phone
	sends = text.Lazily(`\A[^.\n。]*((?i:\b(send|post|tap|open)\b)|发送|发给|群|打开)`)
	// likewise, or what a value is given for
	onPhone = text.Lazily(`\A\s*(?i:(please )?(open|in|on|go|launch|start|tap|send|search|find|` +
		`look|` +
		`follow|use|add|post|reply|answer|save|put|change|` +
		`rename|set|copy|read|delete|tell|show|check)\b)|\A\s*(打开|[在去和跟与到用给])|` +
		`\A[^.\n。]*((chat|conversation|discussion) ` +
		`(with|between|in|on|from) [A-Z@]|(和|与|跟).{1,12}的(对话|聊天|会话)|` +
		`(?i:\b(title|name|tags?))([ \t]*[:：]|[ \t]+['"“‘])[ \t]*\S)`)
	// what chats are called
	aboutChats = text.Lazily(`(?i)\b(conversations?|chats?|discussion|dialog(ue)?|history|` +
		`context|` +
		`prompts?|messages?|following|text)\b|对话|会话|聊天|上下文|这句话`)
	// words that say that they are an answer
	answer = text.Lazily(`(?i)\A\s*(answer|reply|回答|答案|答)\s*[:：]`)
)

// hello are greetings, and what is written to try a connection.
const hello = `success|hi+|hello( world)?|hey+|hiya|howdy|yo|greetings|ok(ay)?|ping|pong|` +
	`test(ing|ed)?|check|` +
	`yes|1( ?\+ ?1)?|good (morning|afternoon|evening|day)|hola|buen[oa]s( \pL+)?|salut|bonjour|` +
	`bonsoir|coucou|hallo|moin|servus|guten (tag|morgen|abend)|ciao|salve|buongiorno|buonasera|` +
	`ol[áa]|oi|bom dia|boa (tarde|noite)|hej+|hei|goede(morgen|middag|navond)|cześć|witaj|` +
	`dzień dobry|ahoj|szia|merhaba|selam|halo|hai|(xin )?chào( bạn)?|привет|` +
	`здравствуй(те)?|` +
	`добр(ый|ое|ого) \pL+|привіт|γεια( σου)?|שלום|مرحبا|` +
	`السلام عليكم|नमस्ते|สวัสดี(ครับ|ค่ะ)?|` +
	`こんにち[はわ]|こんばん[はわ]|おはよう(ございます)?|もしもし|` +
	`テスト|안녕(하세요)?|여보세요|테스트|` +
	`[你您]好[啊呀吗]?|嗨|哈喽|早上好|晚上好|在[吗么]|测试(一下)?|` +
	`тест|prueba|teste`

// quotesConversation reports whether words quote the turns of both sides of a conversation.
func quotesConversation(words string) bool {
	return enclosed().MatchString(words) ||
		sideOfUser().MatchString(words) && sideOfAssistant().MatchString(words)
}
