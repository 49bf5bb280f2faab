package adb

import (
	"context"
	"crypto/rand"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// legacyShell serves phones before Android 7: one stream on a terminal that turns \n into \r\n, and
// no exit code. The code is printed behind a mark that the command cannot know.
func (d *Device) legacyShell(ctx context.Context, line string) (Result, error) {
	mark := "taploop-" + rand.Text() + ":"
	service := "shell:(" + line + "\n); echo " + mark + "$?"
	conn, err := d.Open(ctx, service)
	if err != nil {
		return Result{}, err
	}
	defer conn.Close()
	b, err := readAll(conn, "shell:"+line, nil, outputLimit, nil)
	if err != nil {
		return Result{}, err
	}
	r, err := splitTrailer(string(b), mark)
	if err != nil {
		return Result{}, fmt.Errorf("adb shell:%s: %w", brief(line), err)
	}
	return r, nil
}

var terminalNewline = regexp.MustCompile(`\r+\n`)

// splitTrailer takes the exit code off the end of what a terminal shell printed.
func splitTrailer(output, mark string) (Result, error) {
	output = terminalNewline.ReplaceAllString(output, "\n")
	i := strings.LastIndex(output, mark)
	if i < 0 {
		return Result{}, ErrCut
	}
	code, err := strconv.ParseUint(strings.TrimSpace(output[i+len(mark):]), 10, 8)
	if err != nil {
		return Result{}, ErrCut
	}
	return Result{Stdout: output[:i], Code: int(code)}, nil
}
