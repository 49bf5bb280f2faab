package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"

	"github.com/taploop/taploop/internal/adb"
)

// envFloor makes this binary the floor's loop; its value is a floor as JSON.
const envFloor = "TAPLOOP_TEST_FLOOR"

// floor is a loop of nothing but one capture, one request and one tap.
type floor struct {
	Server, Serial, Model string

	Steps  int
	Places [2]string
	ADB    []string // the program that is called; nil asks the server itself
}

func floorLoop(how string) error {
	var f floor
	if err := json.Unmarshal([]byte(how), &f); err != nil {
		return err
	}
	client, err := adb.New(&adb.Options{Server: f.Server})
	if err != nil {
		return err
	}
	phone := client.Device(f.Serial)
	var picture []byte
	for i := range f.Steps + 1 {
		if picture, err = f.call(phone, picture, "exec-out", "screencap -p"); err != nil {
			return err
		}
		if err := f.ask(picture); err != nil {
			return err
		}
		if i == f.Steps {
			break
		}
		if _, err := f.call(phone, nil, "shell", "input tap "+f.Places[i%2]); err != nil {
			return err
		}
	}
	return nil
}

// call runs a command on the phone, as a process of adb with that subcommand or over the socket.
func (f *floor) call(phone *adb.Device, buf []byte, subcommand, line string) ([]byte, error) {
	if f.ADB == nil {
		return phone.Exec(context.Background(), line, buf, 64<<20, nil)
	}
	return exec.Command(f.ADB[0], append(f.ADB[1:], "-s", f.Serial, subcommand, line)...).Output()
}

func (f *floor) ask(picture []byte) error {
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(picture)
	body, err := json.Marshal(map[string]any{"messages": []any{map[string]any{
		"role": "user", "content": []any{map[string]any{
			"type": "image_url", "image_url": map[string]any{"url": url}}}}}})
	if err != nil {
		return err
	}
	resp, err := http.Post(f.Model+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// envCounted has the test binary be the program, and say in the end how much it has allocated.
const envCounted = "TAPLOOP_TEST_COUNTED"

// runCounted is the program, with that number in bytes as the last line of stderr.
func runCounted() int {
	collectSeldom(os.LookupEnv)
	code := run(context.Background(), os.Args[1:], os.Environ(),
		streams{os.Stdin, os.Stdout, os.Stderr})
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintln(os.Stderr, m.TotalAlloc)
	return code
}
