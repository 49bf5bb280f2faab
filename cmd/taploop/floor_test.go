package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/adb"
)

// envFloor makes this binary the floor's loop.
const envFloor = "TAPLOOP_TEST_FLOOR"

// floorLoop captures, asks and taps, and reads nothing of it.
func floorLoop(how string) error {
	args := strings.Split(how, ",")
	steps, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	client, err := adb.New(&adb.Options{Server: args[0], Getenv: func(string) string { return "" }})
	if err != nil {
		return err
	}
	ctx, phone := context.Background(), client.Device(args[1])
	var picture []byte
	for i := range steps + 1 {
		if picture, err = phone.Exec(ctx, "screencap -p", picture, 64<<20, nil); err != nil {
			return err
		}
		body, err := json.Marshal(map[string]any{"messages": []any{map[string]any{
			"role": "user", "content": []any{map[string]any{"type": "image_url",
				"image_url": base64.StdEncoding.EncodeToString(picture)}}}}})
		if err != nil {
			return err
		}
		resp, err := http.Post(args[2]+"/chat/completions", "application/json",
			bytes.NewReader(body))
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return err
		}
		resp.Body.Close()
		if i == steps {
			break
		}
		if _, err := phone.Exec(ctx, "input tap "+args[4+i%2], nil, 1<<10, nil); err != nil {
			return err
		}
	}
	return nil
}
