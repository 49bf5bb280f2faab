package doctor

// Words are the words of the findings, by id.
func Words(lang string) (says, mends map[string]string) {
	t := textsIn(lang)
	return t.Says, t.Mends
}

// Warnings are the ids of the findings that are warnings.
func Warnings() []string { return warnings }
