package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

const (
	gelabLoop  = "agent_loop_config."
	gelabModel = gelabLoop + "model_config."
	gelabArgs  = gelabModel + "args." // the parameters of the model's requests
	gelabImage = gelabModel + "image_preprocess."
)

// placeholder stands where gelab-zero's file has no value.
const placeholder = "EMPTY"

// ImportGelab reads gelab-zero's mcp_server_config.yaml and model_config.yaml and returns a taploop
// file with the same meaning. The second result lists the keys without a counterpart, in words. The
// file holds the endpoint's key when model_config.yaml does: write it with mode 0600.
func ImportGelab(serverFile, modelFile string) (file []byte, notes []string, err error) {
	server, err := readGelab(serverFile)
	if err != nil {
		return nil, nil, err
	}
	providers, err := readGelab(modelFile)
	if err != nil {
		return nil, nil, err
	}
	deciding := gelabName{server.takeText(gelabModel + "model_name"),
		server.takeText(gelabModel + "model_provider")}
	model, err := providers.endpoint(modelFile, deciding)
	if err != nil {
		return nil, nil, err
	}
	server.modelSettings(model)
	out := map[string]any{"model": model}
	caption, notes := server.helper()
	if caption.name != "" {
		if out["caption"], err = providers.endpoint(modelFile, caption); err != nil {
			return nil, nil, err
		}
	}
	if steps := server.take(gelabLoop + "max_steps"); steps != nil {
		out["loop"] = map[string]any{"max_steps": steps}
	}
	if port := server.take("server_config.mcp_server_port"); port != nil {
		out["http"] = map[string]any{"addr": fmt.Sprintf("127.0.0.1:%v", port)}
		notes = append(notes,
			"the server listens on loopback only; gelab-zero listened on every interface")
	}
	if err := decodeValue(out, new(Config)); err != nil {
		return nil, nil, hint.Add(fmt.Errorf("in %s: %w", serverFile, err), "correct the value")
	}
	notes = append(notes, server.leftOut()...)
	notes = append(notes, providers.unused(deciding.provider, caption.provider)...)
	file, err = yaml.Marshal(out)
	return file, notes, err
}

// gelabFile has the values of a file by their paths, such as server_config.mcp_server_port.
type gelabFile map[string]any

func readGelab(path string) (gelabFile, error) {
	b, err := files.Read(path)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("reading gelab-zero's configuration: %w", err),
			"name mcp_server_config.yaml and model_config.yaml")
	}
	var content map[string]any
	if err := decode(b, path, &content); err != nil {
		return nil, err
	}
	g := gelabFile{}
	g.add("", content)
	return g, nil
}

// add adds a value with everything below it.
func (g gelabFile) add(path string, v any) {
	nested, is := v.(map[string]any)
	if !is || len(nested) == 0 {
		g[path] = v
		return
	}
	for name, below := range nested {
		name = text.Line(name)
		if path != "" {
			name = path + "." + name
		}
		g.add(name, below)
	}
}

// take removes a value and returns it. The values that remain are those without a counterpart.
func (g gelabFile) take(path string) any {
	v := g[path]
	delete(g, path)
	return v
}

func (g gelabFile) takeText(path string) string {
	if v := g.take(path); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// gelabName is a model as mcp_server_config.yaml names it.
type gelabName struct{ name, provider string }

// takeHelper takes the model that captions frames or answers questions. Some versions nest its
// name in model_config.
func (g gelabFile) takeHelper(group string) gelabName {
	nested, flat := gelabLoop+group+".model_config.", gelabLoop+group+"."
	return gelabName{cmp.Or(g.takeText(nested+"model_name"), g.takeText(flat+"model_name")),
		cmp.Or(g.takeText(nested+"model_provider"), g.takeText(flat+"model_provider"))}
}

// helper takes the one model that captions and answers here, with notes about the other one.
func (g gelabFile) helper() (caption gelabName, notes []string) {
	caption, reply := g.takeHelper("caption_config"), g.takeHelper("reply_config")
	switch {
	case caption.name == "":
		return reply, nil
	case reply.name != "" && reply != caption:
		notes = append(notes, fmt.Sprintf("reply_config names %q, caption_config %q: "+
			"one model does both here, the latter was taken", reply.name, caption.name))
	}
	return caption, notes
}

// modelSettings moves how the model is called. The parameters have the same names in both programs.
func (g gelabFile) modelSettings(model map[string]any) {
	for _, name := range []string{"temperature", "top_p", "frequency_penalty", "max_tokens"} {
		if v := g.take(gelabArgs + name); v != nil {
			model[name] = v
		}
	}
	resize := g.take(gelabImage + "is_resize")
	size, _ := g.take(gelabImage + "target_image_size").([]any)
	switch {
	case resize == false:
		model["image_size"] = screen.FullSize
	case len(size) == 2:
		model["image_size"] = fmt.Sprintf("%vx%v", size[0], size[1])
	}
}

// instead says what stands here in the place of a key that is not taken over.
var instead = map[string]string{
	"task_type":           "how the model is prompted and read is model.dialect",
	"delay_after_capture": "a run waits until the screen is still, at most loop.settle_timeout",
	"debug":               "-v logs what happens inside",
	"log_dir":             "sessions are kept under data_dir",
	"image_dir":           "sessions are kept under data_dir",
	"host":                "the address with its port is http.addr",
}

// leftOut says what to do about each key that was not taken. No value is shown: it may be a key.
func (g gelabFile) leftOut() (notes []string) {
	for _, path := range slices.Sorted(maps.Keys(g)) {
		why := cmp.Or(instead[path[strings.LastIndexByte(path, '.')+1:]],
			"there is no setting for it")
		if name, is := strings.CutPrefix(path, gelabArgs); is {
			why = "write it under model.extra as " + name
		}
		notes = append(notes, path+" was not taken over: "+why)
	}
	return notes
}

// unused says the same of the file of providers, of which some are used.
func (g gelabFile) unused(used ...string) (notes []string) {
	for _, path := range slices.Sorted(maps.Keys(g)) {
		provider, key, _ := strings.Cut(path, ".")
		taken := slices.Contains(used, provider)
		switch {
		case key == "api_base" && !taken:
			notes = append(notes, "provider "+provider+" was not taken over: no model is there")
		case taken && key != "api_base" && key != "api_key":
			notes = append(notes, path+" was not taken over: there is no setting for it")
		}
	}
	return notes
}

// endpoint is a model's name with its provider's address and key. The file is that of g, for
// errors.
func (g gelabFile) endpoint(file string, m gelabName) (map[string]any, error) {
	if m.provider == "" {
		return nil, hint.Add(errors.New("mcp_server_config.yaml names no model provider"),
			"set agent_loop_config.model_config.model_provider there")
	}
	at := m.provider + "."
	known := func(path string) bool { return strings.HasPrefix(path+".", at) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(g)), known) {
		return nil, hint.Add(fmt.Errorf("%s has no provider %q", file, m.provider),
			"add the provider there, or correct model_provider")
	}
	base, key := g[at+"api_base"], g[at+"api_key"]
	if base == nil || base == "" || base == placeholder {
		return nil, hint.Add(fmt.Errorf("provider %q in %s has no api_base", m.provider, file),
			"fill in the endpoint's address")
	}
	e := map[string]any{"base_url": base, "name": m.name}
	if key != nil && key != "" && key != placeholder {
		e["api_key"] = key
	}
	return e, nil
}
