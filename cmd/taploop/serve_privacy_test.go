//go:build unix

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

// Whatever a client asks for, no pixel leaves a server whose pictures are private: not in a result,
// not in progress, not in the log. That the search finds pictures is seen at a server whose
// pictures are not.
func TestNoPixelLeavesAServerWhosePicturesArePrivate(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		for _, private := range []bool{false, true} {
			level := map[bool]string{false: "off", true: "captions"}[private]
			t.Run(level, func(t *testing.T) {
				b := newTestEnv(t, demoTask, "", "TAPLOOP_PRIVACY="+level)
				s, left := b.overheard(w, "-v")
				tellAll(t, b, s)
				said := append([]byte(left.String()), s.stderr.String()...)
				require.Greater(t, len(said), 10_000)
				if private {
					require.Empty(t, pixels(said))
				} else {
					require.NotEmpty(t, pixels(said))
				}
			})
		}
	})
}

// tellAll takes the task to its end and asks for every picture on the way.
func tellAll(t *testing.T, b *testEnv, s *clientProcess) {
	all := map[string]any{"enable_intermediate_screenshots": true, "enable_final_screenshot": true,
		"enable_intermediate_image_caption": false, "enable_final_image_caption": false}
	with := func(more map[string]any) map[string]any {
		for key, value := range all {
			more[key] = value
		}
		return more
	}
	st, err := s.ask(t.Context(), "ask_agent_start_new_task",
		with(map[string]any{"task": b.task.Goal}), "tok")
	require.NoError(t, err)
	asked := s.follow(st)
	require.Equal(t, store.WaitingReply, asked.State, "%s", asked.words)
	done := s.follow(s.call("ask_agent_continue", with(map[string]any{"session_id": asked.SessionID,
		"reply_from_client": "42"})))
	require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
	for _, tool := range []string{"ask_agent_wait", "ask_agent_stop"} {
		s.call(tool, map[string]any{"session_id": done.SessionID})
	}
	for _, tool := range []string{"list_sessions", "list_connected_devices", "get_screenshot"} {
		r := mcp.CallToolRequest{}
		r.Params.Name = tool
		_, err := s.c.CallTool(t.Context(), r)
		require.NoError(t, err)
	}
}

// overheard starts a server and connects a client to it. left is every byte that comes from the
// server.
func (b *testEnv) overheard(w route, args ...string) (s *clientProcess, left *transcript) {
	left = newTranscript()
	if w.http {
		p, url := b.serve(args...)
		host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
		wire := tap(b.t, host, b.life, left)
		return &clientProcess{p, connect(b.t, w.era, over(b.t, "http://"+wire.addr+"/mcp", nil)),
			url}, left
	}
	p := b.spawn(append([]string{"serve"}, args...)...)
	heard := io.TeeReader(p.stdout, left)
	return &clientProcess{p, connect(b.t, w.era, transport.NewIO(heard, p.stdin,
		io.NopCloser(strings.NewReader("")))), ""}, left
}

// huffman is a piece of every JPEG that Go writes: how many codes of each length there are, and the
// first of what they mean.
var huffman = []byte{0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
	10, 11}

// pixels lists the signs of pictures in what was said: as they are, or written in some way.
func pixels(said []byte) (found []string) {
	signs := map[string]string{
		"a data URL": "data:image", "the beginning of a JPEG": "\xff\xd8\xff",
		"of a PNG": "\x89PNG", "of a JPEG in base64": "/9j/",
		"of a PNG in base64": "iVBORw0KGgo", "the middle of a JPEG": string(huffman),
		"the middle of a JPEG in hex": hex.EncodeToString(huffman),
	}
	for before := range 3 { // base64 of the same bytes depends on where they stand
		piece := base64.StdEncoding.EncodeToString(append(make([]byte, before), huffman...))
		signs["the middle of a JPEG in base64, "+string(rune('0'+before))] = piece[4 : len(piece)-4]
	}
	for what, sign := range signs {
		if bytes.Contains(said, []byte(sign)) {
			found = append(found, what)
		}
	}
	return found
}
