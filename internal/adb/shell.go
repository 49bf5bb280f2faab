package adb

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Result is what a command on the phone gave.
type Result struct {
	Stdout string
	Stderr string // "" on phones without shell_v2: there both streams are in Stdout
	Code   int
}

// Text is all that the command said, on both streams.
func (r Result) Text() string { return r.Stdout + r.Stderr }

// outputLimit bounds what a command may say. A whole dumpsys of a busy phone stays well under it.
const outputLimit = 8 << 20

// Shell runs a command line and waits for its end. A command that ran and failed is a Result with
// its code, not an error. An error means that the phone was not reached, the stream broke off, or
// the output exceeded 8 MiB. The command's input stays open and empty, because closing it while a
// quick command ends would reset the connection and lose the output.
func (d *Device) Shell(ctx context.Context, line string) (Result, error) {
	v2, err := d.Has(ctx, "shell_v2")
	if err != nil {
		return Result{}, err
	}
	if !v2 {
		return d.legacyShell(ctx, line)
	}
	conn, err := d.Open(ctx, "shell,v2,raw:"+line)
	if err != nil {
		return Result{}, err
	}
	defer conn.Close()
	r, err := readPackets(conn, outputLimit)
	if err != nil {
		return Result{}, fmt.Errorf("adb shell,v2:%s: %w", brief(line), err)
	}
	return r, nil
}

// Packets of the shell protocol: an id, a little-endian length, the data.
const (
	packetStdout = 1
	packetStderr = 2
	packetExit   = 3
)

// readPackets reads to the exit packet. A stream that ends before it is ErrCut.
func readPackets(r io.Reader, limit int64) (Result, error) {
	var out, errs bytes.Buffer
	for {
		var head [5]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return Result{}, cut(err)
		}
		size := int64(binary.LittleEndian.Uint32(head[1:]))
		if size > limit-int64(out.Len()+errs.Len()) {
			return Result{}, fmt.Errorf("%w: over %d bytes of output", ErrTooMuch, limit)
		}
		into := io.Writer(io.Discard)
		switch head[0] {
		case packetStdout:
			into = &out
		case packetStderr:
			into = &errs
		case packetExit:
			return exit(r, size, &out, &errs)
		}
		if _, err := io.CopyN(into, r, size); err != nil {
			return Result{}, cut(err)
		}
	}
}

func exit(r io.Reader, size int64, out, errs *bytes.Buffer) (Result, error) {
	if size != 1 {
		return Result{}, fmt.Errorf("%w: an exit code of %d bytes", ErrProtocol, size)
	}
	var code [1]byte
	if _, err := io.ReadFull(r, code[:]); err != nil {
		return Result{}, cut(err)
	}
	return Result{out.String(), errs.String(), int(code[0])}, nil
}

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
