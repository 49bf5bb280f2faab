package model

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// The law: what can be read can be written and read again as the same, every exchange answers its
// own request, and the whole lines are exactly what was read.
func FuzzReadCassette(f *testing.F) {
	header := string(marshal(cassetteHeader{cassetteFormat, cassetteVersion, nil})) + "\n"
	f.Add([]byte(header))
	f.Add(
		[]byte(
			header + `{"request":{"method":"POST","path":"/chat/completions","body":{"model":"m",` +
				`"messages":[{"role":"user","content":[{"type":"text","text":"x"},` +
				`{"type":"image_url","image_url":{"url":"data:image/jpeg;sha256,` +
				`ab;bytes=3"}}]}]}},"response":{"status":200,` +
				`"header":{"Content-Type":"application/json"},"json":{"choices":[]}}}` + "\n",
		),
	)
	const asked = `{"request":{"method":"GET","path":"/models"},"response":`
	f.Add([]byte(header + asked + `{"status":502,"text":"<html>"}}` + "\n" +
		asked + `{"status":429,"base64":"//4="}}` + "\n{\"torn"))
	f.Add(
		[]byte(
			header + `{"request":{"method":"POST","path":"/x","body":"text"},` +
				`"response":{"status":100,"json":null}}` + "\n",
		),
	)
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, valid, err := readCassette(bytes.NewReader(b))
		if err != nil {
			return
		}
		require.Equal(t, bytes.LastIndexByte(b, '\n')+1, int(valid))
		again := []byte(header)
		for _, x := range all {
			again = append(append(again, marshal(x)...), '\n')
		}
		second, _, err := readCassette(bytes.NewReader(again))
		require.NoError(t, err)
		require.Len(t, second, len(all))
		for i, x := range all {
			require.Equal(t, saying(x.Request), saying(second[i].Request))
			require.Equal(t, string(marshal(x.Response)), string(marshal(second[i].Response)))
			require.Equal(t, x.Response.Status, x.Response.http(nil).StatusCode)
		}
	})
}

// The law: pixels and the key are gone from whatever body is recorded, what remains is JSON, and
// doing it again changes nothing.
func FuzzRecordedBody(f *testing.F) {
	const key = "sk-secret-key-0123"
	f.Add(
		[]byte(
			`{"messages":[{"content":"sk-secret-key-0123"},{"url":"data:image/jpeg;base64,YWJj"}]}`,
		),
	)
	f.Add([]byte(`sk-secret-key-0123`))
	f.Add([]byte(`{"sk-secret-key-0123":"\u0073k-secret-key-0123"}`))
	f.Add([]byte("\xff{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		out := withoutPixels(b, newScrubber(key))
		if len(b) == 0 {
			require.Nil(t, out)
			return
		}
		require.True(t, json.Valid(out), "%s", out)
		require.NotContains(t, string(out), key)
		require.Equal(t, string(out), string(withoutPixels(out, newScrubber(key))))
		var r recordedResponse
		r.setBody(b, newScrubber(key))
		require.NotContains(t, string(r.body()), key)
		require.True(t, json.Valid(marshal(r)))
		require.NotNil(t, r.http(&http.Request{}))
	})
}
