package archtest

// The map. A package with no row fails the test, and so does a row with no package: adding a row is
// a design decision.
var packages = []row{
	{pkg: "screen", why: "what is seen; everything may know it, it knows nothing"},
	{pkg: "screen/marks", imports: "screen",
		why: "numbers drawn on elements; apart from screen, which needs no font"},
	{pkg: "actions", imports: "screen", why: "a point of an action is a point of a frame"},
	{pkg: "actions/dialect/loose", why: "text that models write, read as values; knows no actions"},
	{pkg: "actions/dialect", imports: "actions actions/dialect/loose screen screen/marks",
		tests: "actions/dialect/families actions/dialect/dialecttest",
		why: "the seam between the loop and families of models; knows none of them, no model and " +
			"no network"},
	{pkg: "actions/dialect/...", imports: "actions actions/dialect actions/dialect/loose screen",
		tests: "actions/dialect/dialecttest",
		why:   "a family's prompts and replies; it never sees another family"},
	{pkg: "actions/dialect/dialecttest",
		imports: "actions actions/dialect screen internal/golden",
		why:     "the contract that every dialect keeps, for tests of the families"},
	{pkg: "actions/dialect/families", imports: "actions/dialect actions/dialect/...",
		tests: "actions actions/dialect/dialecttest screen",
		why: "the table of the families, a row each; a package of its own, because they import " +
			"dialect"},

	{pkg: "device", imports: "actions screen internal/adb",
		tests: "device/devicetest internal/adbtest sandbox sandbox/apps sandbox/shell " +
			"sandbox/adbserver sandbox/adbdshim sandbox/adbdshim/standin",
		why: "phones over ADB are the surface that actions touch; its contract is tested on " +
			"the simulated phone, in the open and behind the real daemon"},

	{pkg: "device/devicetest", imports: "actions screen", tests: "device",
		why: "the contract that every phone keeps, and a double in memory that keeps it"},

	{pkg: "model", tests: "model/scripted", why: "a chat client that knows no phones"},
	{pkg: "model/scripted",
		why: "the other end of the wire: sharing types with model would hide a shared mistake"},
	{pkg: "caption", imports: "screen model", tests: "model/scripted",
		why: "a frame in words, through a one-method interface over model's types"},

	{pkg: "inquiry", tests: "inquiry/inquirytest internal/golden",
		why: "questions to people; knows no phones and no store of its own"},
	{pkg: "inquiry/channel", imports: "inquiry",
		why: "the registry of the ways in which people answer, and the reply modes; a way to " +
			"answer is a row, and inquiry stays free of them"},
	{pkg: "inquiry/route", imports: "inquiry inquiry/channel", tests: "inquiry/inquirytest",
		why: "takes a question from channel to channel; who asks at a channel is handed in"},
	{pkg: "inquiry/decider", imports: "inquiry model screen",
		tests: "model/scripted internal/golden",
		why: "a model decides a question, or drafts the answer: one call over model's types; " +
			"questions know no models"},
	{pkg: "inquiry/inquirytest", imports: "inquiry",
		why: "the contract that every store of questions keeps"},

	{pkg: "guard",
		why: "rules about what may be done; its subject is general, so that it knows no phones"},
	{pkg: "guard/phone", imports: "actions agentloop guard screen",
		tests: "device device/devicetest sandbox sandbox/adbserver sandbox/apps sandbox/shell " +
			"sandbox/ui",
		why: "what an action on a screen is to the rules, and the loop's gate over them; tested " +
			"on the simulated phone's screens"},

	{pkg: "notify", imports: "inquiry", tests: "inquiry/inquirytest",
		why: "tells people outside of questions; reads them through interfaces of its own, and " +
			"keeps what it told in whatever its owner gives it"},

	{pkg: "session", imports: "actions agentloop guard inquiry screen",
		tests: "inquiry/inquirytest",
		why:   "keeps steps, progress and questions in their own types, and is the loop's journal"},
	{pkg: "session/sessiontest", imports: "session", why: "data folders for tests"},
	{pkg: "session/export", imports: "actions agentloop screen screen/marks session",
		tests: "inquiry",
		why:   "a stored session as others see it: steps in words, a page, a trace"},

	{pkg: "agentloop", imports: "actions screen", tests: "device/devicetest",
		why: "one run in its own words; sees no phone, model, store or process, so that it runs " +
			"in a synctest bubble"},
	{pkg: "agentloop/policy", imports: "actions actions/dialect agentloop model screen",
		tests: "actions/dialect/families model/scripted",
		why:   "joins a model and a dialect into the next action"},
	{pkg: "runs", imports: "actions agentloop inquiry inquiry/channel inquiry/decider " +
		"inquiry/route screen session session/export",
		tests: "device/devicetest model session/sessiontest",
		why: "the use cases: owns each run's goroutine and each phone's lease; phones and " +
			"policies are handed in"},

	{pkg: "tools",
		imports: "actions agentloop inquiry inquiry/channel runs screen session session/export " +
			"tools/result tools/schema internal/mcptransport",
		tests: "actions device/devicetest guard session/sessiontest",
		why:   "the MCP tools"},
	{pkg: "tools/schema", why: "schemas of Go types, and arguments read by them; knows no tool"},
	{pkg: "tools/result",
		imports: "agentloop inquiry inquiry/route runs screen session session/export " +
			"tools/schema",
		why: "what programs are shown of runs, questions and failures; the command line " +
			"prints the same"},
	{pkg: "mirror", imports: "actions screen",
		why: "phones as people see and touch them, through an interface of its own: one capture " +
			"for all who look; who may is decided elsewhere"},
	{pkg: "web",
		imports: "actions guard inquiry inquiry/channel mirror screen session session/export " +
			"internal/httpguard internal/jsonfile",
		tests: "agentloop device/devicetest inquiry/inquirytest internal/token",
		why: "serves people over HTTP: reads the store and resolves questions; names " +
			"channels as their registry does; cannot reach phones or runs, its owner hands in " +
			"who stops one, pictures of a mirror, and who carries a person's touches out"},

	{pkg: "proxy", imports: "guard inquiry internal/mcptransport",
		tests: "inquiry/inquirytest session",
		why: "an MCP server in front of another one; passes messages on as they are, and knows " +
			"no phones"},
	{pkg: "host", imports: "model internal/mcptransport",
		tests: "guard inquiry inquiry/inquirytest proxy",
		why: "agents over the tools of MCP servers; a proxy is in front of each server, and " +
			"phones, people and the store are behind small interfaces"},
	{pkg: "tools/gendocs", imports: "inquiry/channel",
		why: "reads the list of tools as clients get it, and the registry of reply modes"},

	{pkg: "sandbox", imports: "sandbox/ui sandbox/apps",
		why: "the simulated phone; never sees device, so that no shared mistake looks right"},
	{pkg: "sandbox/ui", why: "drawing and widgets of the simulated apps"},
	{pkg: "sandbox/ui/genfonts", why: "writes the fonts that are compiled in"},
	{pkg: "sandbox/apps", imports: "sandbox/ui", why: "the simulated apps; they know no phone"},
	{pkg: "sandbox/shell", imports: "sandbox", tests: "sandbox/ui sandbox/apps",
		why: "Android's commands on the simulated phone's state"},
	{pkg: "sandbox/adbserver", imports: "sandbox/shell", tests: "internal/adbtest sandbox",
		why: "the server's side of the protocol; never sees internal/adb, so that no shared " +
			"mistake looks right"},
	{pkg: "sandbox/adbdshim", imports: "sandbox/shell sandbox/adbdshim/standin",
		tests: "internal/adbtest sandbox sandbox/adbserver",
		why:   "the same commands under a real shell"},
	{pkg: "sandbox/adbdshim/standin",
		why: "one of the commands as a process; without the phone, so that it starts at once"},
	{pkg: "sandbox/adbdshim/command", imports: "sandbox/adbdshim/standin",
		why: "such a process and nothing else"},

	{pkg: "measure", why: "statistics that all measurements of models share; knows none of them"},
	{pkg: "measure/bench", imports: "measure",
		why: "the results of runs that its owner carries out: kept, summed up, shown"},
	{pkg: "measure/replay", imports: "actions agentloop measure screen session",
		why: "asks a policy, which is handed in, about steps that are stored"},
	{pkg: "measure/calibrate",
		imports: "actions actions/dialect agentloop/policy measure model screen",
		tests:   "actions/dialect/families",
		why: "how a model replies, found out on screens that are handed in, with any table of " +
			"dialects"},

	{pkg: "config",
		imports: "actions/dialect/families guard inquiry/channel model screen internal/userfile",
		why: "one struct; a key masks itself by model's own type, a rule is read by guard's, and " +
			"the tables of dialects and channels say their names"},
	{pkg: "cmd/taploop", imports: "*", why: "the wiring"},
	{pkg: "cmd/taploop/gendocs", imports: "config internal/clients",
		why: "the settings' own descriptions become a page, and so do those of the clients"},
	{pkg: "cmd/taploop/genlicenses", why: "asks the go command what is linked"},
	{pkg: "cmd/taploop/genscript", imports: "sandbox sandbox/apps",
		why: "draws up the demo's script on the simulated phone"},

	{pkg: "internal/adb", tests: "internal/adbtest",
		why: "the ADB server's protocol, nothing of what phones mean"},
	{pkg: "internal/adbtest", imports: "internal/adb",
		why: "asks the real server as the product does; the stand-ins' folder is given to it, so " +
			"that any package may use it"},
	{pkg: "internal/archtest", why: "reads files only"},
	{pkg: "internal/chrometest", imports: "internal/adbtest internal/golden",
		why: "a helper of tests: a browser, and nothing of what it is shown"},
	{pkg: "internal/clients",
		why: "edits other programs' settings; knows no server but as a command or an address"},
	{pkg: "internal/golden", why: "a helper of tests"},
	{pkg: "internal/hint", why: "a helper of errors"},
	{pkg: "internal/text",
		why: "one decision about which characters are dangerous wherever words are shown"},
	{pkg: "internal/wait", why: "pauses, locks and broadcasts"},
	{pkg: "internal/lazyregexp", why: "regular expressions that do not slow the start down"},
	{pkg: "internal/wordfile", why: "words of our own, from files that are a part of the program"},
	{pkg: "internal/httpguard",
		why: "what every HTTP route needs before it is served: Host and Origin, deadlines, " +
			"shares; knows nothing of what is served"},
	{pkg: "internal/mcptransport", imports: "internal/httpguard",
		why: "carries MCP, knows nothing of what the tools mean"},
	{pkg: "internal/mcptransport/conformance", imports: "internal/mcptransport",
		why: "the server that the official suite is run against"},
	{pkg: "internal/userfile", why: "files that a person names, read up to a bound"},
	{pkg: "internal/jsonfile", imports: "internal/userfile",
		why: "one value in a file of several processes; knows nothing of what it is"},
	{pkg: "internal/token", imports: "internal/jsonfile",
		why: "bearer tokens are checked by the HTTP server and kept by a command; what they " +
			"guard is not its business"},
}

// everyCode may be imported by any package: helpers that are pure and know nothing of ours.
const everyCode = "internal/hint internal/lazyregexp internal/text internal/wait internal/wordfile"

// everyTest may be imported by the tests of any package, besides what its row says and the package
// itself.
const everyTest = "internal/chrometest internal/golden"

// The roads that stay closed, besides the rows: imports from anywhere, ours or not, that only some
// packages may use or that some may not. They hold for tests too unless code is set.
var roads = []road{
	{to: "config", only: "cmd/...",
		why: "packages take options; where a value came from is no business of theirs"},
	{to: "sandbox/...", only: "cmd/... sandbox/...", code: true,
		why: "what is simulated must not be needed for what is real"},
	{to: "github.com/mark3labs/mcp-go/...",
		only: "tools proxy host internal/mcptransport/... cmd/...",
		why:  "the protocol changes every year, the rest should not"},
	{to: "github.com/zach-klippenstein/goadb/...", only: "device internal/adb sandbox/adbserver",
		why: "an independent reader of the protocol, where its framing permits"},
	{to: "github.com/zach-klippenstein/goadb/...", only: "no/package", code: true,
		why: "only tests ask it: it loses what is over 255 bytes, and panics at a phone without " +
			"permissions"},
	{to: "github.com/sashabaranov/go-openai/...", only: "model", why: "its types would spread"},
	{to: "database/sql/...", only: "session", why: "one owner of the data folder"},
	{to: "modernc.org/sqlite/...", only: "session", why: "one owner of the data folder"},
	{to: "github.com/expr-lang/expr/...", only: "guard",
		why: "what a condition may do is bounded in one place"},
	{to: "mvdan.cc/sh/...", only: "sandbox/shell",
		why: "the phone's shell is one package's business"},
	{to: "testing",
		only: "device/devicetest inquiry/inquirytest session/sessiontest internal/adbtest " +
			"internal/chrometest internal/golden actions/dialect/dialecttest",
		code: true, why: "only helpers of tests are made of tests"},

	{to: "net/...", never: "screen actions/... guard inquiry/... agentloop " + everyCode,
		why: "these are pure: they run in a synctest bubble"},
	{to: "net/...", never: "guard/phone", code: true,
		why: "it is pure, too; its tests serve a phone"},
	{to: "os/exec", never: "screen actions/... guard/... inquiry/... agentloop/... session/... " +
		"runs",
		code: true, why: "processes belong to internal/adb and cmd"},
	// inquiry uses log/slog to mask secret answers, not to log.
	{to: "log/slog", never: "screen actions/... guard/... inquiry/inquirytest", code: true,
		why: "their callers know what is worth a line"},
}
