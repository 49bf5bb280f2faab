// Command gendocs writes docs/configuration.md from the settings themselves, and docs/clients.md
// from what setup knows.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/taploop/taploop/config"
)

const head = `<!-- Made by go generate from package config; do not edit. -->

# Configuration

Layers, in rising order: the defaults, one YAML file, the environment, flags. The file is ` +
	"`--config FILE`, else `$TAPLOOP_CONFIG`,\nelse `taploop.yaml`" +
	` in the user's configuration folder. Unknown keys are errors. ` +
	"`taploop config show`" + ` prints every key with
its value and where that came from; ` + "`--set KEY=VALUE`" + ` sets any key for one command.

In the file, a dot is a level:

` + "```yaml" + `
model:
  base_url: https://models.example/v1
  name: some-vision-model
  api_key_file: /home/me/.secrets/models
  lang: en
  extra: {top_k: 1}
models:
  big: {base_url: https://other.example/v1, name: org/other-model, api_key_file: /home/me/.secrets/other}
  bold: {temperature: 1}
apps:
  My Bank: com.example.bank
calls:
  clients:
    cursor-vscode: {wait: 20s, max_wait: 40s}
notify:
  webhooks:
    - {url: https://hooks.example/taploop, secret_env: TAPLOOP_WEBHOOK_SECRET}
` + "```" + `

A name below ` + "`models`" + ` stands wherever a model is named (` +
	"`--model big`, `TAPLOOP_MODEL_NAME=big`" + `): its settings take the place of
those of ` + "`model`" + `, wherever these came from, and flags win over both. ` +
	"What it leaves out is taken from `model`, but a key\nnever goes to an endpoint " + `that it was not given for.

Durations have a unit: 90s, 30m. Keys of models come from the environment or a file, never from a flag, and are masked wherever
they are shown.

| key | default | what it is | environment |
| --- | --- | --- | --- |
`

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: gendocs CONFIGURATION CLIENTS")
	}
	for i, page := range []func() ([]byte, error){configuration, clientsPage} {
		b, err := page()
		if err == nil {
			err = os.WriteFile(os.Args[i+1], b, 0o644)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

func configuration() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(head)
	for _, k := range config.Keys() {
		def := k.Default
		if def != "" {
			def = "`" + def + "`"
		}
		env := "`" + k.Env + "`"
		if k.Env == "" {
			env = "(file only)"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Path, def,
			strings.ReplaceAll(k.Help, "|", `\|`), env)
	}
	return b.Bytes(), nil
}
