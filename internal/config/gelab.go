package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/taploop/taploop/internal/screen"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/userfile"
)

// gelabServer is the part of gelab-zero's mcp_server_config.yaml that taploop has a setting for.
type gelabServer struct {
	Loop struct {
		Model struct {
			Of    gelabName `yaml:",inline"`
			Args  sampling  `yaml:"args"`
			Image struct {
				Resize *bool `yaml:"is_resize"`
				Size   []int `yaml:"target_image_size"`
			} `yaml:"image_preprocess"`
		} `yaml:"model_config"`
		MaxSteps *int        `yaml:"max_steps"`
		Reply    gelabHelper `yaml:"reply_config"`
		Caption  gelabHelper `yaml:"caption_config"`
	} `yaml:"agent_loop_config"`
	Server struct {
		Port *int `yaml:"mcp_server_port"`
	} `yaml:"server_config"`
}

// gelabHelper is the model that captions frames or answers questions. Some versions nest its name
// in model_config.
type gelabHelper struct {
	Flat  gelabName `yaml:",inline"`
	Model gelabName `yaml:"model_config"`
}

type gelabName struct {
	Name     string `yaml:"model_name"`
	Provider string `yaml:"model_provider"`
}

func (h gelabHelper) name() gelabName {
	return gelabName{cmp.Or(h.Model.Name, h.Flat.Name), cmp.Or(h.Model.Provider, h.Flat.Provider)}
}

// helper is the one model that captions and answers here, with notes about the other one.
func (s gelabServer) helper() (caption gelabName, notes []string) {
	caption, reply := s.Loop.Caption.name(), s.Loop.Reply.name()
	switch {
	case caption.Name == "":
		return reply, nil
	case reply.Name != "" && reply != caption:
		notes = append(notes, fmt.Sprintf("reply_config names %q, caption_config %q: "+
			"one model does both here, the latter was taken", reply.Name, caption.Name))
	}
	return caption, notes
}

// placeholder stands where gelab-zero's file has no value.
const placeholder = "EMPTY"

// gelabProviders is model_config.yaml: where models are served, by the provider's name.
type gelabProviders map[string]struct {
	Base string `yaml:"api_base"`
	Key  string `yaml:"api_key"`
}

// imported is the part of a taploop file that gelab-zero has values for.
type imported struct {
	Model struct {
		Endpoint  endpoint `yaml:",inline"`
		Sampling  sampling `yaml:",inline"`
		ImageSize string   `yaml:"image_size,omitempty"`
	} `yaml:"model"`
	Caption endpoint `yaml:"caption,omitempty"`
	Loop    struct {
		MaxSteps *int `yaml:"max_steps,omitempty"`
	} `yaml:"loop,omitempty"`
	HTTP struct {
		Addr string `yaml:"addr,omitempty"`
	} `yaml:"http,omitempty"`
}

type endpoint struct {
	BaseURL string `yaml:"base_url"`
	Name    string `yaml:"name"`
	APIKey  string `yaml:"api_key,omitempty"`
}

// sampling has the same names in both programs.
type sampling struct {
	Temperature      *float64 `yaml:"temperature,omitempty"`
	TopP             *float64 `yaml:"top_p,omitempty"`
	FrequencyPenalty *float64 `yaml:"frequency_penalty,omitempty"`
	MaxTokens        *int     `yaml:"max_tokens,omitempty"`
}

// ImportGelab reads gelab-zero's mcp_server_config.yaml and model_config.yaml and returns a taploop
// file with the same meaning. The second result lists what was not taken over, in words. The file
// holds the endpoint's key when model_config.yaml does: write it with mode 0600.
func ImportGelab(serverFile, modelFile string) (file []byte, notes []string, err error) {
	var server gelabServer
	if err := readYAML(serverFile, &server); err != nil {
		return nil, nil, err
	}
	var providers gelabProviders
	if err := readYAML(modelFile, &providers); err != nil {
		return nil, nil, err
	}
	var out imported
	loop := server.Loop
	if out.Model.Endpoint, err = providers.endpoint(modelFile, loop.Model.Of); err != nil {
		return nil, nil, err
	}
	out.Model.Sampling = loop.Model.Args
	switch image := loop.Model.Image; {
	case image.Resize != nil && !*image.Resize:
		out.Model.ImageSize = screen.FullSize
	case len(image.Size) == 2:
		out.Model.ImageSize = fmt.Sprintf("%dx%d", image.Size[0], image.Size[1])
	}
	caption, notes := server.helper()
	if caption.Name != "" {
		if out.Caption, err = providers.endpoint(modelFile, caption); err != nil {
			return nil, nil, err
		}
	}
	out.Loop.MaxSteps = loop.MaxSteps
	if p := server.Server.Port; p != nil {
		out.HTTP.Addr = fmt.Sprintf("127.0.0.1:%d", *p)
		notes = append(notes,
			"the server listens on loopback only; gelab-zero listened on every interface")
	}
	used := map[string]bool{loop.Model.Of.Provider: true, caption.Provider: true}
	left, err := leftOut(serverFile, modelFile, server, used)
	if err != nil {
		return nil, nil, err
	}
	file, err = yaml.Marshal(out)
	return file, append(notes, left...), err
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

// samplingPath is where gelab-zero's file has the parameters of the model's requests.
const samplingPath = "agent_loop_config.model_config.args."

// leftOut says of every key of the two files that it is not taken over, and what to do about it.
// taken is what was read of the first one. No value is shown: it may be a key.
func leftOut(serverFile, modelFile string, taken gelabServer, used map[string]bool) (
	notes []string, err error) {
	var known, server, models map[string]any
	b, err := yaml.Marshal(taken)
	if err = errors.Join(err, yaml.Unmarshal(b, &known), readYAML(serverFile, &server),
		readYAML(modelFile, &models)); err != nil {
		return nil, err
	}
	read := keysOf("", known)
	for _, path := range keysOf("", server) {
		if !slices.Contains(read, path) {
			why := cmp.Or(instead[path[strings.LastIndexByte(path, '.')+1:]],
				"there is no setting for it")
			if name, is := strings.CutPrefix(path, samplingPath); is {
				why = "write it under model.extra as " + name
			}
			notes = append(notes, path+" was not taken over: "+why)
		}
	}
	for _, path := range keysOf("", models) {
		provider, key, _ := strings.Cut(path, ".")
		switch {
		case key == "api_base" && !used[provider]:
			notes = append(notes, "provider "+provider+" was not taken over: no model is there")
		case used[provider] && key != "api_base" && key != "api_key":
			notes = append(notes, path+" was not taken over: there is no setting for it")
		}
	}
	return notes, nil
}

// keysOf are the keys below path that have a value, as the file nests them.
func keysOf(path string, v any) (keys []string) {
	nested, is := v.(map[string]any)
	if !is || len(nested) == 0 {
		return []string{path}
	}
	for _, name := range slices.Sorted(maps.Keys(nested)) {
		below := text.Line(name)
		if path != "" {
			below = path + "." + below
		}
		keys = append(keys, keysOf(below, nested[name])...)
	}
	return keys
}

func readYAML(path string, v any) error {
	b, err := userfile.Read(path)
	if err != nil {
		return hint.Add(fmt.Errorf("reading gelab-zero's configuration: %w", err),
			"name mcp_server_config.yaml and model_config.yaml")
	}
	return decode(b, path, v)
}

// endpoint is a model's name with its provider's address and key. The file is that of g, for
// errors.
func (g gelabProviders) endpoint(file string, m gelabName) (endpoint, error) {
	if m.Provider == "" {
		return endpoint{}, hint.Add(errors.New("mcp_server_config.yaml names no model provider"),
			"set agent_loop_config.model_config.model_provider there")
	}
	p, ok := g[m.Provider]
	if !ok {
		return endpoint{}, hint.Add(fmt.Errorf("%s has no provider %q", file, m.Provider),
			"add the provider there, or correct model_provider")
	}
	if p.Base == "" || p.Base == placeholder {
		return endpoint{}, hint.Add(fmt.Errorf("provider %q in %s has no api_base", m.Provider,
			file), "fill in the endpoint's address")
	}
	e := endpoint{p.Base, m.Name, p.Key}
	if e.APIKey == placeholder {
		e.APIKey = ""
	}
	return e, nil
}
