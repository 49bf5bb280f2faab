package suite_test

import (
	"bytes"
	"image"
	"image/png"
)

// png1 is a picture.
var png1 = func() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		panic(err)
	}
	return b.Bytes()
}()
