package suite

// Parsed reads a suite's text as if it were in the file.
func Parsed(file string, b []byte, o Options) ([]*Item, error) {
	o.secrets = map[string]bool{}
	return o.parse(file, b, true)
}
