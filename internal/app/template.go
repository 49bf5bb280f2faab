package app

import (
	"fmt"
	"path/filepath"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
)

// ReadTemplate reads a template of a prompt in that language.
func ReadTemplate(file, lang string) (*dialect.Template, error) {
	b, err := files.Read(file)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("reading the template of the prompt: %w", err),
			"model.prompt_template names a file; without it the dialect's own prompt is used")
	}
	t, err := dialect.ParseTemplate(filepath.Base(file), string(b), lang)
	if err != nil {
		return nil, TemplateError(file, err)
	}
	return t, nil
}

// TemplateError is err of the template in the file, with where to read about templates.
func TemplateError(file string, err error) error {
	return hint.Add(fmt.Errorf("the template %s: %w", file, err),
		"docs/prompts.md lists what a template may show; `taploop prompt check` says what it lacks")
}
