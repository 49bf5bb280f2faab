package devicetest

import "strings"

// Nasty is forty texts that go wrong somewhere between a model and a field: shells, `input text`,
// keyboards, encodings. Every one that could run a command would make the file that [Canary] names.
var Nasty = []string{
	"",
	" ",
	"  two  spaces  ",
	"plain",
	"it's",
	`"double" and 'single'`,
	"'",
	`'\''`,
	"$(touch " + Canary + ")",
	"`touch " + Canary + "`",
	"; touch " + Canary + " ;",
	"' ; touch " + Canary + " #",
	"\" ; touch " + Canary + " #",
	"| touch " + Canary,
	"&& touch " + Canary + " &",
	"> " + Canary,
	"\ntouch " + Canary + "\n",
	"a\r\nb",
	"$HOME ${PATH} $$ $? $1 $@",
	"~ ~root",
	"* ? [a-z] {a,b}",
	"# no comment",
	"!! !$ ^a^b",
	"-n -e --help -",
	"%s",
	"%%s %",
	"100%safe",
	"a%sb %%ss %d %n %x",
	`back\slash \n \t \\ \x41`,
	"a\tb",
	"line one\nline two\n\nline four",
	"ünïcödé",
	"你好,世界",
	"👩‍👩‍👧‍👦 🇩🇪",
	"שלום עולם \u202eolleh",
	"e\u0301 zero\u200bwidth",
	"nul\x00byte",
	"esc\x1b[31m bell\x07",
	"bad\xff\xfeutf-8",
	strings.Repeat("long 'text' with $(all) %s kinds; ", 20),
}

// Canary is a file that no typed text may bring into being.
const Canary = "/data/local/tmp/taploop-canary"
