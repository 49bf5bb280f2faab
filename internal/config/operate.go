package config

// Log says what is logged, and how.
type Log struct {
	Format string `koanf:"format"`
	Level  string `koanf:"level"`
}

var operateSettings = []setting{
	{"log.format", "text", oneOf("text", "json"),
		"how lines are logged on stderr: text, or json with an object a line"},
	{"log.level", Auto, oneOf(Auto, "debug", "info", "warn", "error"),
		"from which level on: debug, info, warn or error; auto is info for serve, which has a line " +
			"for each call, run, question and phone, and warn for other commands; --verbose is debug"},
}
