package archtest

// besides is what the tests of a package may import of ours, besides what its row in
// ARCHITECTURE.md allows to its code and the package itself. Lists are separated by spaces.
var besides = map[string]string{
	"actions/dialect":          "actions/dialect/families actions/dialect/dialecttest",
	"actions/dialect/...":      "actions/dialect/dialecttest",
	"actions/dialect/families": "actions actions/dialect/dialecttest internal/screen",
	"device": "device/devicetest internal/adbtest internal/sandbox " +
		"internal/sandbox/apps internal/sandbox/shell " +
		"internal/sandbox/adbserver internal/sandbox/adbdshim " +
		"internal/sandbox/adbdshim/standin",
	"device/devicetest": "device",
	"internal/model":    "internal/model/scripted",
	"caption":           "internal/model/scripted",
	"internal/inquiry": "internal/inquiry/inquirytest internal/inquiry/inquirytest/vote " +
		"internal/golden",
	"internal/inquiry/route":   "internal/inquiry/inquirytest",
	"internal/inquiry/decider": "internal/model/scripted internal/golden",
	"internal/guard/judge":     "internal/model/scripted",
	"internal/guard/phone": "device device/devicetest internal/model internal/sandbox " +
		"internal/sandbox/adbserver internal/sandbox/apps internal/sandbox/shell internal/sandbox/ui",
	"internal/schedule":       "internal/store/storetest",
	"internal/app":            "internal/store/storetest internal/pgtest",
	"internal/app/serve":      "internal/store/storetest internal/pgtest",
	"internal/notify":         "internal/inquiry/inquirytest",
	"internal/terminal":       "internal/inquiry/inquirytest internal/inquiry/inquirytest/vote",
	"internal/store/pictures": "internal/s3test",
	"internal/store": "internal/inquiry/inquirytest internal/pgtest internal/s3test internal/store/storetest " +
		"internal/token",

	"internal/token":       "internal/store internal/store/storetest",
	"agentloop":            "device/devicetest",
	"agentloop/policy":     "actions/dialect/families internal/model/scripted",
	"internal/runs/asking": "internal/store/storetest",
	"internal/runs": "device/devicetest internal/inquiry/decider internal/inquiry/inquirytest/vote " +
		"internal/model internal/store/export " +
		"internal/store/storetest internal/terminal internal/usecase internal/web",
	"tools": "actions device device/devicetest internal/guard internal/guard/phone " +
		"internal/inquiry/inquirytest internal/inquiry/inquirytest/vote internal/web " +
		"internal/store/storetest internal/terminal",
	"internal/web": "agentloop device/devicetest internal/inquiry/consent internal/inquiry/inquirytest " +
		"internal/inquiry/inquirytest/vote internal/notify internal/store/storetest internal/token",
	"internal/mcp/proxy":    "internal/inquiry/inquirytest internal/store",
	"internal/agents/goals": "internal/runs/queue internal/store/storetest",
	"internal/agents": "internal/guard internal/inquiry internal/inquiry/inquirytest " +
		"internal/mcp/proxy internal/mcp/proxy/upstream",
	"internal/sandbox/shell":     "internal/sandbox/ui internal/sandbox/apps",
	"internal/app/simulation":    "actions device internal/skill internal/verify",
	"internal/sandbox/adbserver": "internal/adbtest internal/sandbox",
	"internal/suite/report":      "internal/reporttest",
	"internal/sandbox/adbdshim":  "internal/adbtest internal/sandbox internal/sandbox/adbserver",
	"internal/lab/calibrate":     "actions/dialect/families",
	"internal/adb":               "internal/adbtest",
	"internal/doctor": "actions/dialect/families internal/app/simulation internal/sandbox " +
		"internal/sandbox/apps internal/sandbox/shell internal/sandbox/ui",
}

// everyCode may be imported by any package: helpers that are pure and know nothing of ours.
const everyCode = "internal/hint internal/text internal/wait internal/words"

// everyTest may be imported by the tests of any package, besides what its row says and the package
// itself.
const everyTest = "internal/chrometest internal/golden internal/patient"

// The roads that stay closed, besides the rows: imports from anywhere, ours or not, that only some
// packages may use or that some may not. They hold for tests too unless code is set.
var roads = []road{
	{to: "internal/config", only: "cmd/... internal/app/...",
		why: "packages take options; where a value came from is no business of theirs"},
	{to: "internal/sandbox/...", only: "cmd/... internal/app/... internal/sandbox/...", code: true,
		why: "what is simulated must not be needed for what is real"},
	{to: "github.com/mark3labs/mcp-go/...",
		only: "tools internal/agents internal/mcp/... internal/app/serve cmd/...",
		why:  "the protocol changes every year, the rest should not"},
	{to: "github.com/zach-klippenstein/goadb/...",
		only: "device internal/adb internal/sandbox/adbserver",
		why:  "an independent reader of the protocol, where its framing permits"},
	{to: "github.com/zach-klippenstein/goadb/...", only: "no/package", code: true,
		why: "only tests ask it: it loses what is over 255 bytes, and panics at a phone without " +
			"permissions"},
	{to: "github.com/sashabaranov/go-openai/...", only: "internal/model",
		why: "its types would spread"},
	{to: "database/sql/...", only: "internal/store", why: "one owner of the data folder"},
	{to: "modernc.org/sqlite/...", only: "internal/store", why: "one owner of the data folder"},
	{to: "github.com/jackc/pgx/v5/pgconn", only: "internal/store internal/pgtest",
		why: "no other package knows which database it is"},
	{to: "github.com/aws/...", only: "internal/store/pictures",
		why: "no other package knows where pictures are"},
	{to: "github.com/pressly/goose/...", only: "internal/store",
		why: "no other package knows the schema"},
	{to: "github.com/expr-lang/expr/...", only: "internal/guard",
		why: "what a condition may do is bounded in one place"},
	{to: "mvdan.cc/sh/...", only: "internal/sandbox/shell",
		why: "the phone's shell is one package's business"},
	{to: "testing",
		only: "device/devicetest internal/inquiry/inquirytest internal/store/storetest internal/adbtest internal/pgtest internal/s3test " +
			"internal/chrometest internal/golden internal/patient actions/dialect/dialecttest " +
			"internal/reporttest",
		code: true, why: "only helpers of tests are made of tests"},

	{to: "net/...",
		never: "internal/screen actions/... internal/guard internal/inquiry/... agentloop " +
			everyCode,
		why: "these are pure: they run in a synctest bubble"},
	{to: "net/...", never: "internal/guard/phone", code: true,
		why: "it is pure, too; its tests serve a phone"},
	{to: "os/exec", only: "cmd/... internal/adb internal/doctor internal/mcp/proxy/upstream " +
		"internal/pgtest internal/s3test internal/adbtest internal/chrometest internal/reporttest",
		code: true, why: "what a model writes is nowhere near a command of this machine"},
	// inquiry uses log/slog to mask secret answers, and its route logs why a channel gave no
	// answer.
	{to: "log/slog", never: "internal/screen actions/... internal/guard/... internal/inquiry/inquirytest", code: true,
		why: "their callers know what is worth a line"},
}
