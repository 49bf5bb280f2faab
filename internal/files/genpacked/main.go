// Command genpacked packs files for the program: genpacked ARCHIVE PATTERN... The names in the
// archive are those below this folder.
package main

import (
	"archive/tar"
	"bytes"
	"log"
	"os"
	"path/filepath"

	"github.com/taploop/taploop/internal/files"
)

func main() {
	b, err := archive(".", os.Args[2:])
	if err == nil {
		err = files.Pack(os.Args[1], b)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// archive is the files of the folder that fit the patterns.
func archive(dir string, patterns []string) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if err := add(w, dir, path); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), w.Close()
}

func add(w *tar.Writer, dir, path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	h := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(b))}
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
