package config

import (
	"cmp"
	"fmt"
	"os"

	"github.com/goccy/go-yaml"

	"github.com/taploop/taploop/internal/hint"
)

// gelabServer is the part of gelab-zero's mcp_server_config.yaml that taploop has a setting for.
type gelabServer struct {
	Loop struct {
		Model struct {
			Name     string `yaml:"model_name"`
			Provider string `yaml:"model_provider"`
			Args     struct {
				Temperature      *float64 `yaml:"temperature"`
				TopP             *float64 `yaml:"top_p"`
				FrequencyPenalty *float64 `yaml:"frequency_penalty"`
				MaxTokens        *int     `yaml:"max_tokens"`
			} `yaml:"args"`
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
	Name     string    `yaml:"model_name"`
	Provider string    `yaml:"model_provider"`
	Model    gelabName `yaml:"model_config"`
}

type gelabName struct {
	Name     string `yaml:"model_name"`
	Provider string `yaml:"model_provider"`
}

func (h gelabHelper) name() gelabName {
	return gelabName{cmp.Or(h.Model.Name, h.Name), cmp.Or(h.Model.Provider, h.Provider)}
}

// placeholder stands where gelab-zero's file has no value.
const placeholder = "EMPTY"

type gelabProvider struct {
	Base string `yaml:"api_base"`
	Key  string `yaml:"api_key"`
}

// ImportGelab reads gelab-zero's mcp_server_config.yaml and model_config.yaml and returns a taploop
// file with the same meaning. The second result lists what was not taken over, in words. The file
// holds the endpoint's key when model_config.yaml does: write it with mode 0600.
func ImportGelab(serverFile, modelFile string) (file []byte, notes []string, err error) {
	var server gelabServer
	if err := readYAML(serverFile, &server); err != nil {
		return nil, nil, err
	}
	providers := map[string]gelabProvider{}
	if err := readYAML(modelFile, &providers); err != nil {
		return nil, nil, err
	}
	m, err := server.model(providers, modelFile)
	if err != nil {
		return nil, nil, err
	}
	out := yaml.MapSlice{{Key: "model", Value: m}}
	caption, notes, err := server.caption(providers, modelFile)
	if err != nil {
		return nil, nil, err
	}
	if len(caption) > 0 {
		out = append(out, yaml.MapItem{Key: "caption", Value: caption})
	}
	if n := server.Loop.MaxSteps; n != nil {
		out = append(out, yaml.MapItem{Key: "loop", Value: yaml.MapSlice{{Key: "max_steps",
			Value: *n}}})
	}
	if p := server.Server.Port; p != nil {
		out = append(out, yaml.MapItem{Key: "http", Value: yaml.MapSlice{{Key: "addr",
			Value: fmt.Sprintf("127.0.0.1:%d", *p)}}})
		notes = append(notes,
			"the server listens on loopback only; gelab-zero listened on every interface")
	}
	file, err = yaml.Marshal(out)
	return file,
		append(notes,
			"log and image folders were not taken over: sessions are kept under data_dir"), err
}

func readYAML(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return hint.Add(fmt.Errorf("reading gelab-zero's configuration: %w", err),
			"name mcp_server_config.yaml and model_config.yaml")
	}
	return decode(b, path, v)
}

func (g *gelabServer) model(providers map[string]gelabProvider, file string) (yaml.MapSlice,
	error) {
	src := g.Loop.Model
	m, err := endpoint(providers, file, src.Provider, src.Name)
	if err != nil {
		return nil, err
	}
	set := func(key string, v any) { m = append(m, yaml.MapItem{Key: key, Value: v}) }
	if v := src.Args.Temperature; v != nil {
		set("temperature", *v)
	}
	if v := src.Args.TopP; v != nil {
		set("top_p", *v)
	}
	if v := src.Args.FrequencyPenalty; v != nil {
		set("frequency_penalty", *v)
	}
	if v := src.Args.MaxTokens; v != nil {
		set("max_tokens", *v)
	}
	switch resize := src.Image.Resize; {
	case resize != nil && !*resize:
		set("image_size", FullSize)
	case len(src.Image.Size) == 2:
		set("image_size", fmt.Sprintf("%dx%d", src.Image.Size[0], src.Image.Size[1]))
	}
	return m, nil
}

// caption takes over the model that captions, else the one that answers: taploop uses one for both.
func (g *gelabServer) caption(providers map[string]gelabProvider, file string) (yaml.MapSlice,
	[]string, error) {
	caption, reply := g.Loop.Caption.name(), g.Loop.Reply.name()
	if caption.Name == "" {
		caption = reply
	}
	if caption.Name == "" {
		return nil, nil, nil
	}
	m, err := endpoint(providers, file, caption.Provider, caption.Name)
	var notes []string
	if reply.Name != "" && reply != caption {
		notes = []string{fmt.Sprintf("reply_config names %q, caption_config %q: "+
			"one model does both here, the latter was taken", reply.Name, caption.Name)}
	}
	return m, notes, err
}

// endpoint is a model's name with its provider's address and key.
func endpoint(providers map[string]gelabProvider, file, provider, name string) (yaml.MapSlice,
	error) {
	p, ok := providers[provider]
	if !ok {
		return nil, hint.Add(fmt.Errorf("%s has no provider %q", file, provider),
			"add the provider there, or correct model_provider")
	}
	if p.Base == "" || p.Base == placeholder {
		return nil, hint.Add(fmt.Errorf("provider %q in %s has no api_base", provider, file),
			"fill in the endpoint's address")
	}
	m := yaml.MapSlice{{Key: "base_url", Value: p.Base}, {Key: "name", Value: name}}
	if p.Key != "" && p.Key != placeholder {
		m = append(m, yaml.MapItem{Key: "api_key", Value: p.Key})
	}
	return m, nil
}
