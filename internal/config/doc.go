// Package config is taploop's configuration: one struct with its defaults, a YAML file, the
// environment and flags.
//
// [Load] applies the layers in rising order: defaults, file, environment, flags. A key that does
// not exist is an error that names the nearest one. A value that cannot be read is an error that
// names the layer it came from. [Loaded] knows where each value came from. [ImportGelab] turns
// gelab-zero's two files into a taploop file.
//
// Keys of models are read from the environment or a file, never from a flag, and mask themselves
// wherever they are printed.
package config
