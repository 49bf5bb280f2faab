package config

// SettingPaths are the paths of the rows of settings.
func SettingPaths() (paths []string) {
	for _, s := range settings {
		paths = append(paths, s.path)
	}
	return paths
}
