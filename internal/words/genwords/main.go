// Command genwords packs the texts of all languages into the file that it is given.
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
	b, err := texts()
	if err == nil {
		err = files.Pack(os.Args[1], b)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func texts() ([]byte, error) {
	names, err := filepath.Glob("*/*.yaml")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		h := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(text))}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), w.Close()
}
