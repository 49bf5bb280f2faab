package doctor

// Words are the words of the findings, by id.
func Words(lang string) (says, mends map[string]string) {
	t := textsIn(lang)
	return t.Says, t.Mends
}

// Levels are all findings that there are.
func Levels() map[string]level { return levels }
