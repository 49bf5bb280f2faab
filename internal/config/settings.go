package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/screen"
)

// settings has a row for each key of [Config]: its path, its default as text, what may be wrong
// with its value, and a line for people.
var settings = []struct {
	path, byDefault string
	check           check // nil takes everything
	help            string
}{
	{"data_dir", "", nil,
		"where sessions, frames and questions are kept; the default is taploop in the user's " +
			"data folder"},

	{"adb.server", "", nil,
		"ADB server, host:port; the default is ADB's own variables, else 127.0.0.1:5037"},
	{"adb.path", "", nil,
		"the adb binary that starts a server when none runs; the default is adb in PATH"},
	{"adb.timeout", "15s", positive, "longest time for one command on a phone"},
	{"adb.serial", "", nil,
		"the phone to use; the default is ANDROID_SERIAL, else the only usable one"},

	{"http.addr", "127.0.0.1:8702", nil,
		"address of the HTTP server; one that others can reach needs a token (taploop token " +
			"create)"},
	{"http.hosts", "", hosts,
		"names under which requests may arrive besides loopback ones, such as the name of a " +
			"proxy in front; in the environment separated by commas"},
	{"http.origins", "", origins,
		"origins besides loopback ones that requests may carry, such as https://app.example " +
			"of a program that is made of web pages; the server sends no CORS headers, so a page " +
			"in a browser needs a proxy on its own origin; in the environment separated by commas"},
	{"http.url", "", site,
		"where people reach the server, for links, such as https://phones.example of a proxy " +
			"in front; the default is the address that it listens on"},
	{"http.operators", "", nil,
		"names of tokens whose bearers see and answer everybody's questions over HTTP, as the " +
			"page does; in the environment separated by commas"},
	{"http.metrics", "false", nil,
		"true: GET /metrics tells Prometheus what the server's runs have come to, and where the " +
			"time of their steps went"},

	{"model.base_url", "http://localhost:11434/v1", nil, "OpenAI-compatible endpoint"},
	{"model.name", "gelab-zero-4b-preview", nil, "model name"},
	{"model.api_key", "", nil, "key of the endpoint"},
	{"model.api_key_file", "", nil, "file that holds the key"},
	{"model.dialect", "auto", nil,
		"how the model is prompted and read: " + strings.Join(families.Known.Names(), ", ")},
	{"model.lang", "zh", oneOf("zh", "en"), "language of the prompts: zh, en"},
	{"model.prompt_template", "", nil,
		"file with a template of the prompt, in the place of the dialect's own " +
			"(docs/prompts.md); taploop prompt check says what it lacks"},
	{"model.temperature", "0.1", between(0, 2), "sampling temperature; 0 is sent as 0"},
	{"model.top_p", "0.95", between(0, 1), "nucleus sampling"},
	{"model.frequency_penalty", "0", between(-2, 2), "frequency penalty"},
	{"model.max_tokens", "4096", between(1, 1<<20), "longest reply, in tokens"},
	{"model.timeout", "90s", positive, "longest time for one attempt"},
	{"model.retries", "3", between(0, 20), "further attempts after a failure that may pass"},
	{"model.coordinates", Auto, orAuto(screen.ParseCoordinates),
		"how the model writes places: 1000 or 999 for whole numbers up to there, 1 for " +
			"fractions, pixels for those of the picture that it is sent; where y comes first " +
			"with yx behind it, such as 1000 yx; auto is the dialect's own"},
	{"model.image_size", Auto, orAuto(screen.ParseFit),
		"size of the picture that the model gets: WxH, full for the screen's own, long=1280 for " +
			"a long side of at most as many pixels, or multiple=28,min=3136,max=12845056 for " +
			"sides that are multiples and bounds of the number of pixels; " +
			"auto is the dialect's own"},
	{"model.image_quality", "85", between(1, 100), "JPEG quality of that picture"},
	{"model.extra", "", nil, "further fields of the request body"},
	{"model.record", "", nil, "file to record the model's replies in"},
	{"model.replay", "", nil,
		"file to replay the model's replies from, offline; on another screen than the recorded " +
			"one the run stops as REPLAY_DIVERGED"},
	{"model.replay_or_model", "", nil,
		"file to replay the model's replies from; on another screen the model is asked from " +
			"there on, and the new recording is written to model.record, by default to the " +
			"file's name with .new behind it"},
	{"model.replay_tolerance", "0.001", between(0, 1),
		"share of the screen that may look otherwise than recorded"},
	{"model.replay_masks", "status_bar,home_clock", masks,
		"parts of the screen that a replay does not compare: status_bar (clock, battery), " +
			"home_clock (the upper part of a home screen), or left, top, width and height as " +
			"fractions of the screen, such as 0 0.4 1 0.1; a package in front of them, or home, " +
			"limits that to one app; in the environment separated by commas"},
	{"model.prompt_price", "0", between(0, 1e6),
		"price of a million tokens that are sent, in a currency of your choice; bench adds it " +
			"up; 0 means that it is not known"},
	{"model.reply_price", "0", between(0, 1e6), "price of a million tokens that come back"},

	{"models", "", nil,
		"models with names of their own, each with keys of the group model: {NAME: {base_url: " +
			"https://models.example/v1, name: some-model}}; NAME then stands wherever a model is " +
			"named (--model NAME), and what a profile leaves out is taken from model"},

	{"caption.base_url", "", nil, "endpoint; the default is model.base_url"},
	{"caption.name", "", nil, "model; the default is model.name"},
	{"caption.api_key", "", nil, "key; the default is model.api_key when the endpoint is the same"},
	{"caption.api_key_file", "", nil, "file that holds the key"},
	{"caption.lang", "", oneOf("zh", "en"), "language; the default is model.lang"},
	{"caption.timeout", "", positive, "longest time for one attempt; the default is model.timeout"},
	{"caption.retries", "3", between(0, 20), "further attempts after a failure that may pass"},
	{"caption.extra", "", nil, "further fields of the request body"},

	{"loop.max_steps", "40", between(1, 10000), "most steps of one call, whatever the caller asks"},
	{"loop.max_time", "30m", positive, "longest time of one call's steps"},
	{"loop.settle_timeout", "3s", positive,
		"longest wait for the screen to settle after an action"},
	{"loop.ask_early", Auto, oneOf(Auto, On, Off),
		"whether the model is asked before the screen is known to be at rest, and once more when " +
			"it moved on: on, off; auto is on for a model on this machine or in a private " +
			"network, as elsewhere a second request may have its price"},
	{"loop.hand_over", "true", nil,
		"A server asks a person to take the phone over where its screen is locked or forbids " +
			"capture (`TAKEOVER_NEEDED`). Otherwise the run is paused, as `SCREEN_LOCKED` or " +
			"`SECURE_SCREEN`; at the command line it always is."},
	{"loop.keep_apps", "false", nil,
		"whether a new task finds even the first app that it opens as it was left; otherwise " +
			"that app is ended before it is opened, so that it shows its first page"},

	{"reply.mode", "pass_to_client", nil,
		channel.Names(channel.Steps()) + ", model:NAME of models, or several in turn: " +
			"manual_reply (60s) -> model:NAME -> auto_reply"},

	{"calls.wait", "", orDefault(positive),
		"how long a call waits for its run; 0s means 25s, and 45s for a client that asks for " +
			"progress"},
	{"calls.max_wait", "90s", positive, "longest wait that a call may ask for"},
	{"calls.heartbeat", "10s", positive, "time between progress messages of a waiting call"},
	{"calls.detach_grace", "120s", positive, "how long a run goes on with nobody attached"},
	{"calls.clients", "", clientWaits,
		"other waits for some clients, by the name that each gives itself: {NAME: {wait: 20s, " +
			"max_wait: 40s}}"},

	{"questions.attention", "600s", positive,
		"how long a question is waited for before it counts as silence; at most ttl"},
	{"questions.ttl", "24h", positive, "how long a question can be answered at all"},
	{"questions.per_run", "20", between(1, 1000), "most questions of one run"},
	{"questions.on_timeout", "pause", orDecider("pause", "continue_without_answer", "auto_reply",
		"auto", "abort"),
		"pause, continue_without_answer, auto_reply or abort; or model or model:NAME, which lets " +
			"a deciding model answer (docs/notifications.md#deciding-models)"},
	{"questions.on_refusal", "continue_without_answer", orDecider("continue_without_answer"),
		"what happens when a person refuses to answer: continue_without_answer, which tells the " +
			"agent so; or model or model:NAME, which asks a deciding model first"},
	{"questions.draft", "", orDecider(""),
		"model or model:NAME drafts an answer to each question, which the page, the console, " +
			"forms and results of calls show, to be sent or edited; empty means no drafts"},
	{"questions.on_undecided", "pause", oneOf("pause", "reject"),
		"what silence about an action leads to that waits for a decision: pause, which keeps the " +
			"question open, or reject; silence is never consent"},
	{"questions.programs_decide", "false", nil,
		"lets the models of MCP clients, and tokens that are not a person's, decide about " +
			"sensitive actions, too; about critical ones only people do"},

	{"notify.webhooks", "", nil,
		"endpoints that are told of every question, signed: [{url: https://hooks.example/x, " +
			"secret_env: TAPLOOP_WEBHOOK_SECRET}]"},
	{"notify.ntfy.url", "", nil,
		"ntfy topic that gets a push for each question, such as https://ntfy.sh/TOPIC"},
	{"notify.ntfy.token", "", nil, "access token of the topic, from the environment only"},
	{"notify.text", "true", nil,
		"whether a notification says what is asked; whoever knows the name of an open ntfy " +
			"topic can read it"},
	{"notify.base_url", "", page,
		"what links in notifications begin with, such as https://phones.example; the default " +
			"is the HTTP server's own address"},
	{"guard.enabled", "true", nil,
		"whether actions that may do harm are put to a person before they are carried out " +
			"(docs/guard.md); critical ones, such as paying, still are unless it is false in the " +
			"configuration file"},
	{"guard.rules", "", nil,
		"rules of your own, the first that matches wins, before the built-in ones: [{action: " +
			"CLICK, app: com.example.*, when: 'element.text contains \"Publish\"', decision: " +
			"ask, severity: critical}]"},
	{"guard.interrupt_on", "", nil,
		"rules in LangChain's form, behind those of guard.rules: {ACTION: true}, false, or " +
			"{allowed_decisions: [approve, reject], description: TEXT}"},
	{"guard.description_prefix", "", nil,
		"what the description of an action begins with whose rule has none"},
	{"guard.file", "", nil,
		"file of further rules: a list of them, or rules and interrupt_on; behind guard.rules"},
	{"guard.task_consents", "true", nil,
		"whether an action that the task asks for in words is carried out without a person, such " +
			"as sending; never a critical one"},
	{"guard.expires", "10m", positive,
		"how long an approval holds; an action that is approved later is asked about again"},

	{"privacy", "off", oneOf("off", "captions"), "off, or captions: no picture leaves over MCP"},
	{"schemas", "brief", oneOf("brief", "full"),
		"how much the list of the MCP tools says: brief, or full with rare arguments, bounds and " +
			"output schemas, which cost every conversation thousands of tokens; over HTTP also " +
			"schemas=full in the query of a connection's URL"},
	{"compat", "off", oneOf("off", "gelab"),
		"off, or gelab for MCP clients of gelab-zero's server: its tools and defaults, a plain " +
			"list of serials, and calls that return when the task ends or the client would give " +
			"up; over HTTP also compat=gelab in the query of a connection's URL"},
	{"apps", "", nil, "more app names: name to package"},

	{"host.mcp", "", nil, "the file with MCP servers whose tools taploop host calls, in the form " +
		"of Cursor and Claude: {\"mcpServers\": {NAME: {command, args, env}}}, or {url, headers}"},
	{"host.max_rounds", "30", between(1, 1000), "most replies of one agent's model"},
	{"host.max_calls", "200", between(1, 100000), "most calls of tools, of all agents together"},
	{"host.max_depth", "3", between(0, 10), "how many agents may stand below one another"},
	{"host.max_time", "30m", positive, "how long agents work at a time"},
	{"host.max_cost", "0", between(0, 1e6), "what the replies may cost, where model.prompt_price " +
		"and model.reply_price say it; 0 is no limit"},
	{"host.textual", "false", nil, "models write calls as JSON in their replies, as they know no " +
		"native ones; otherwise that is found out from what the endpoint refuses"},
	{"host.enabled", "false", nil, "serve has the tool delegate_goal, which hands a goal to " +
		"agents with the tools of host.mcp"},
	{"host.roles", "", nil, "agents that agents may hand parts of a goal to (docs/host.md): " +
		"{NAME: {description: ..., prompt: ..., model: ..., tools: [PATTERN], roles: [NAME]}}; " +
		"main is the one that has the goal"},

	{"proxies", "", nil,
		"MCP servers that serve --http stands in front of, each at /proxy/NAME/mcp " +
			"(docs/proxy.md): {NAME: {command: npx, args: [-y, SERVER], env: {TOKEN: ...}}}, or " +
			"{url: https://mcp.example/mcp, headers: {Authorization: ...}}; guard: [...] are " +
			"rules that go before guard.rules"},
}

// A check returns what is wrong with a value.
type check func(value any) []fault

// fault is a value that cannot work. It may be a part of the key's, which below then names.
type fault struct {
	below string
	value any
	want  string
}

// unless is the fault of a value that is not as wanted.
func unless(ok bool, value any, want string) []fault {
	if ok {
		return nil
	}
	return []fault{{value: value, want: want}}
}

func oneOf(allowed ...string) check {
	return func(v any) []fault {
		return unless(slices.Contains(allowed, v.(string)), v,
			"one of "+strings.Join(allowed, ", "))
	}
}

// orDecider is oneOf, or a deciding model; whether there is one of this name, the program says.
func orDecider(allowed ...string) check {
	return func(v any) []fault {
		_, named := strings.CutPrefix(v.(string), DecidingModel+":")
		if named || v == DecidingModel {
			return nil
		}
		return unless(slices.Contains(allowed, v.(string)), v, strings.TrimPrefix(
			"one of "+strings.Join(append(allowed, DecidingModel, DecidingModel+":NAME"), ", "),
			", "))
	}
}

// DecidingModel is the model that decides, where a setting names a deciding model; a colon and the
// name of one of Models behind it is that one.
const DecidingModel = "model"

func between(low, high float64) check {
	return func(v any) []fault {
		number := "a number"
		f, is := v.(float64)
		if !is {
			number, f = "a whole number", float64(v.(int))
		}
		return unless(f >= low && f <= high, v, fmt.Sprintf("%s from %v to %v", number, low, high))
	}
}

func positive(v any) []fault {
	return unless(v.(time.Duration) > 0, v, "a duration above 0, such as 90s")
}

// orDefault takes also nothing, which leaves it to the program.
func orDefault(c check) check {
	return func(v any) []fault {
		if v == time.Duration(0) {
			return nil
		}
		return c(v)
	}
}

// orAuto takes what parse takes, and auto.
func orAuto[T any](parse func(string) (T, error)) check {
	return func(v any) []fault {
		_, err := parse(v.(string))
		if v == Auto || err == nil {
			return nil
		}
		return []fault{{value: v, want: "auto, or " + strings.TrimPrefix(err.Error(), "want ")}}
	}
}

func clientWaits(v any) (bad []fault) {
	for name, c := range v.(map[string]ClientCalls) {
		if c.Wait < 0 || c.MaxWait < 0 {
			bad = append(bad, fault{"." + name, c, "durations above 0, such as 20s"})
		}
	}
	return bad
}

func masks(v any) (bad []fault) {
	for _, m := range v.([]string) {
		_, err := screen.ParseMask(m)
		bad = append(bad, unless(err == nil, m, "status_bar, home_clock, or left, top, width and "+
			"height as fractions of the screen, such as 0 0.4 1 0.1")...)
	}
	return bad
}

func hosts(v any) (bad []fault) {
	for _, h := range v.([]string) {
		bad = append(bad, unless(!strings.ContainsAny(h, "/ "), h,
			"names with or without a port, such as phones.example or phones.example:8443")...)
	}
	return bad
}

func origins(v any) (bad []fault) {
	for _, o := range v.([]string) {
		u, err := url.Parse(o)
		bad = append(bad, unless(err == nil && u.Host != "" && u.Scheme+"://"+u.Host == o, o,
			"a scheme and a host without a path, such as https://app.example")...)
	}
	return bad
}

// web reports whether it is a whole address of an HTTP server.
func web(u *url.URL, err error) bool {
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func site(v any) []fault {
	text := v.(string)
	u, err := url.Parse(text)
	ok := text == "" ||
		web(u, err) && u.User == nil && u.Scheme+"://"+u.Host == strings.TrimSuffix(text, "/")
	return unless(ok, v, "a scheme and a host without a path, such as https://phones.example")
}

func page(v any) []fault {
	u, err := url.Parse(v.(string))
	return unless(v == "" || web(u, err) && u.RawQuery+u.Fragment == "", v,
		"an address that people's browsers reach, such as https://phones.example")
}
