package files

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"sync"
)

// Pack writes b, compressed, into a file that is compiled into the program. A file that holds b
// already stays: one in the repository may have been compressed better, with zopfli.
func Pack(path string, b []byte) error {
	if old, err := os.ReadFile(path); err == nil {
		if old, err = unpack(old); err == nil && bytes.Equal(old, b) {
			return nil
		}
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = z.Write(b)
	if err = errors.Join(err, z.Close()); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o644)
}

// Unpack returns what Pack has compressed. It panics when packed is anything else.
func Unpack(packed []byte) []byte {
	b, err := unpack(packed)
	if err != nil {
		panic("files: what is compiled in cannot be read: " + err.Error())
	}
	return b
}

// Packed returns a function that returns the files of an archive of genpacked, by their names. The
// archive is read when they are first wanted.
func Packed(archive *[]byte) func() map[string][]byte {
	return sync.OnceValue(func() map[string][]byte {
		all, r := map[string][]byte{}, tar.NewReader(bytes.NewReader(Unpack(*archive)))
		for {
			h, err := r.Next()
			if err == io.EOF {
				return all
			}
			if err == nil {
				all[h.Name], err = io.ReadAll(r)
			}
			if err != nil {
				panic("files: what is compiled in cannot be read: " + err.Error())
			}
		}
	})
}

func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(make([]byte, 0, 6*len(packed))) // texts become that large at most
	_, err = b.ReadFrom(z)
	return b.Bytes(), err
}
