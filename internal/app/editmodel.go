package app

import "github.com/taploop/taploop/internal/config"

// EditModel is a change of the configuration file that sets keys of a model: of the model that the
// file has, of the profile that was named, or of a new profile for a model that was named
// otherwise.
func (s *Settings) EditModel(set map[string]string) (*config.Edit, error) {
	path, _ := config.Path(&s.Options)
	m := s.Conf.Model
	passing := func(key string) bool { // from the environment or the command line
		from := s.Conf.Origin(key)
		return from != config.ByDefault && from != s.Conf.File
	}
	switch {
	case s.Conf.Profile != "":
		return config.NewEdit(path, []string{"models", s.Conf.Profile}, set)
	case passing("model.name"):
		set["name"] = m.Name
		if passing("model.base_url") {
			set["base_url"] = m.BaseURL
		}
		return config.NewEdit(path, []string{"models", m.Name}, set)
	}
	return config.NewEdit(path, []string{"model"}, set)
}
