package model_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

// photo is a small JPEG of one colour.
func photo(t testing.TB, shade uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 16, 16))
	for i := range img.Pix {
		img.Pix[i] = shade
	}
	img.SetGray(3, 3, color.Gray{Y: 255 - shade})
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, img, nil))
	return b.Bytes()
}

func showing(text string, jpegs ...[]byte) model.Request {
	parts := []model.Part{{Text: text}}
	for _, j := range jpegs {
		parts = append(parts, model.Part{JPEG: j})
	}
	return model.Request{
		Messages: []model.Message{
			{Role: "system", Parts: []model.Part{{Text: "rules"}}},
			{Role: "user", Parts: parts},
		},
	}
}

// record runs the requests against the pages and returns the cassette's path.
func record(t *testing.T, pages []page, requests ...model.Request) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cassette.jsonl")
	e := serve(t, pages...)
	rec, err := model.NewRecorder(path, nil, nil)
	require.NoError(t, err)
	c := client(t, e.URL+"/v1", model.Options{Transport: rec})
	for _, r := range requests {
		_, _ = c.Complete(t.Context(), r) // refusals are recorded too
	}
	require.NoError(t, rec.Close())
	require.NoError(t, rec.Close())
	return path
}

func replay(t *testing.T, path string) *model.Client {
	t.Helper()
	rep, err := model.NewReplayer(path, nil)
	require.NoError(t, err)
	return client(t, "http://elsewhere.invalid/other/v2", model.Options{Transport: rep})
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestARecordedConversationIsReplayedOffline(t *testing.T) {
	path := record(
		t,
		[]page{
			saying("one <b>&\u2028"),
			{status: 429, header: map[string]string{"Retry-After": "0"}},
			saying("two"),
			saying("three"),
		},
		showing("same", photo(t, 1)),
		showing("same", photo(t, 2)),
		showing("other"),
	)
	c := replay(t, path)
	for _, want := range []struct{ ask, get string }{
		{"other", "three"}, {"same", "one <b>&\u2028"}, {"same", "two"},
	} {
		r := showing(want.ask)
		if want.ask == "same" {
			r = showing("same", photo(t, 99)) // the clock on the screen has moved on
		}
		got, err := c.Complete(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, want.get, got.Text)
		require.Zero(t, got.Usage, "nothing was spent")
	}
}

func TestACassetteIsSmallPrivateAndHasNoKey(t *testing.T) {
	pic := photo(t, 7)
	quoted, err := json.Marshal(secretKey)
	require.NoError(t, err)
	inner := string(quoted[1 : len(quoted)-1])
	escaped := strings.ReplaceAll(inner, "live", `\u006cive`)
	cookie := map[string]string{
		"Set-Cookie":          "session=" + secretKey,
		"Openai-Organization": "acme-corp",
		"Content-Type":        "text/html; x=" + secretKey,
	}
	path := record(t, []page{
		{
			body: `{"choices":[{"message":{"content":"` + inner +
				`"}}],"n":12345678901234567890}`,
			header: cookie,
		},
		{body: `{"choices":[{"message":{"content":"` + escaped + `"}}],"n":98765432109876543210}`},
		{status: 400, body: "wrong key " + secretKey},
		{status: 400, body: "\xff\xfe" + secretKey},
		{status: 400, body: `[` + inner + `]`},
	}, showing("my key is "+secretKey, pic), showing("b"), showing("c"), showing("d"), showing("e"))

	text := read(t, path)
	var decoded strings.Builder
	for line := range strings.Lines(text) {
		var v struct {
			Request  any
			Response map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(line), &v), line)
		fmt.Fprintln(&decoded, v)
		if coded, ok := v.Response["base64"].(string); ok {
			raw, err := base64.StdEncoding.DecodeString(coded)
			require.NoError(t, err)
			require.Contains(t, string(raw), "[secret]")
			decoded.Write(raw)
		}
	}
	for _, s := range []string{text, decoded.String()} {
		for _, gone := range []string{
			"sk-live", "do-not-show", "Bearer", "acme-corp", "session=", "base64,", "127.0.0.1",
		} {
			require.NotContains(t, s, gone)
		}
	}
	require.Equal(t, 6, strings.Count(text, "\n"), "a header and five exchanges")
	require.Contains(t, text, "my key is [secret]")
	require.Contains(t, text, fmt.Sprintf(";bytes=%d", len(pic)))
	require.Contains(t, text, "12345678901234567890")
	require.Contains(t, text, "98765432109876543210",
		"numbers are kept where a line is written anew")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	r, err := replay(t, path).Complete(t.Context(), showing("my key is "+secretKey, pic))
	require.NoError(t, err, "what was scrubbed still matches")
	require.Equal(t, "[secret]", r.Text)
}

func TestAKeyOfDigitsIsScrubbedWithoutBreakingTheCassette(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	rec, err := model.NewRecorder(path, nil, nil)
	require.NoError(t, err)
	e := serve(t,
		page{body: `{"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":98765432}}`})
	_, err = ask(t, client(t, e.URL, model.Options{Transport: rec, APIKey: "98765432"}))
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	require.NotContains(t, read(t, path), "98765432")
	_, err = model.NewReplayer(path, nil)
	require.NoError(t, err)
}

func TestAMissSaysWhatDiffersAndHowToRerecord(t *testing.T) {
	path := record(t, []page{saying("a"), saying("b")},
		showing("Task: set an alarm for 7:30\nScreen now"),
		showing("Question: which size?\nAnswer: large"))
	c := replay(t, path)
	_, err := c.Complete(t.Context(), showing("Question: which size?\nAnswer: small"))
	require.ErrorContains(t, err, `which size?\nAnswer: large\n" where the model is now told "`)
	require.ErrorContains(t, err, `which size?\nAnswer: small\n"`)
	require.NotContains(t, err.Error(), "attempts", "a miss is not tried again")
	require.Equal(t, "run what was recorded, with the same task, settings and answers, or record "+
		"anew, with --record and another file, against a model", hint.Of(err))

	_, err = c.Complete(t.Context(), showing("Question: which size?\nAnswer: large", photo(t, 1)))
	require.ErrorContains(t, err, `(image_url)`, "a picture more is another request")

	_, err = c.Complete(t.Context(), showing("Question: which size?\nAnswer: large"))
	require.NoError(t, err)
	_, err = c.Complete(t.Context(), showing("Question: which size?\nAnswer: large"))
	require.ErrorContains(t, err, "recorded 1 times and is made once more")

	rep, err := model.NewReplayer(path, nil)
	require.NoError(t, err)
	other := client(t, "http://x", model.Options{Transport: rep, Name: "another"})
	_, err = other.Complete(t.Context(), showing("Question: which size?\nAnswer: large"))
	require.NoError(t, err, "whichever model is configured, what was recorded is replayed")
	_, err = other.Complete(t.Context(), showing("Question: which size?\nAnswer: small"))
	require.ErrorContains(t, err, "the cassette does not fit")
}

func TestAnEmptyCassetteSaysSo(t *testing.T) {
	_, err := ask(t, replay(t, record(t, []page{saying("")})))
	require.ErrorContains(t, err, "the cassette is empty")
}

func TestReplayedRefusalsDoNotMakeAnybodyWait(t *testing.T) {
	path := record(
		t,
		[]page{
			{status: 503, header: map[string]string{"Retry-After": "0"}},
			{status: 429, header: map[string]string{"Retry-After": "3000"}},
		},
		showing("x"),
	)
	text := read(t, path)
	require.Contains(t, text, `"3000"`)
	_, err := replay(t, path).Complete(t.Context(), showing("x"))
	require.ErrorContains(t, err, "the cassette ends early",
		"both refusals were played, then the third attempt found nothing")
}

func TestRecordingGoesOnInAFileThatIsThere(t *testing.T) {
	path := record(t, []page{saying("one")}, showing("x"))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"request":{"method":"POST","pa`) // a crash in the middle of a line
	require.NoError(t, err)
	require.NoError(t, f.Close())

	_, err = replay(t, path).Complete(t.Context(), showing("x"))
	require.NoError(t, err)
	rec, err := model.NewRecorder(path, nil, nil)
	require.NoError(t, err)
	_, err = client(
		t, serve(t, saying("two")).URL, model.Options{Transport: rec},
	).Complete(t.Context(), showing("x"))
	require.NoError(t, err)
	require.NoError(t, rec.Close())

	c := replay(t, path)
	for _, want := range []string{"one", "two"} {
		r, err := c.Complete(t.Context(), showing("x"))
		require.NoError(t, err)
		require.Equal(t, want, r.Text)
	}
}

func TestFilesThatAreNoCassettesAreLeftAlone(t *testing.T) {
	header := `{"format":"taploop model cassette","version":1}` + "\n"
	for text, want := range map[string]string{
		"export PATH=/bin\n":                 "this is not a cassette",
		"{}\n":                               "this is not a cassette",
		"no line break":                      "this is not a cassette",
		strings.Replace(header, "1", "9", 1): "a cassette of version 9",
		header + "{}\n":                      "line 2: a request without method or path",
		header + "\n":                        "line 2: an empty line",
		header + `{"request":{"method":"POST","path":"/x"},"response":{"status":7}}` +
			"\n": "line 2: status 7",
		header + `{"request":{"method":"POST","path":"/x"},"reply":1}` +
			"\n": `line 2: json: unknown field "reply"`,
	} {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := model.NewRecorder(path, nil, nil)
		require.ErrorContains(t, err, "recording to "+path+": "+want)
		require.NotEmpty(t, hint.Of(err))
		_, err = model.NewReplayer(path, nil)
		require.ErrorContains(t, err, "replaying "+path+": "+want)
		require.NotEmpty(t, hint.Of(err))
		require.Equal(t, text, read(t, path))
	}
	_, err := model.NewReplayer(filepath.Join(t.TempDir(), "none"), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Contains(t, hint.Of(err), "--record")
	_, err = model.NewRecorder(t.TempDir(), nil, nil)
	require.ErrorContains(t, err, "recording:")
}

func TestManyMayRecordAndReplayAtOnce(t *testing.T) {
	const callers, calls = 8, 5
	path := filepath.Join(t.TempDir(), "c")
	rec, err := model.NewRecorder(path, nil, nil)
	require.NoError(t, err)
	everybody := func(c *model.Client) {
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				for range calls {
					r, err := c.Complete(t.Context(), asking(fmt.Sprintf("caller %d", i)))
					if err != nil || r.Text != "ok" {
						t.Errorf("caller %d: %q, %v", i, r.Text, err)
					}
				}
			})
		}
		wg.Wait()
	}
	everybody(client(t, serve(t, saying("ok")).URL, model.Options{Transport: rec}))
	require.NoError(t, rec.Close())
	c := replay(t, path)
	everybody(c)
	_, err = c.Complete(t.Context(), asking("caller 0"))
	require.ErrorContains(t, err, "the cassette ends early")
}

func TestAnExchangeThatCannotBeWrittenFailsTheCall(t *testing.T) {
	rec, err := model.NewRecorder(filepath.Join(t.TempDir(), "c"), nil, nil)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	e := serve(t, saying("ok"))
	_, err = ask(t, client(t, e.URL, model.Options{Transport: rec}))
	require.ErrorContains(t, err, "the recorder is closed")
	require.Len(t, e.requests(), 1, "and is not asked again")
}

func TestErrorsOfTheNetworkAreNotRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	cut := transport(
		func(*http.Request) (*http.Response, error) { return nil, errors.New("cable pulled") },
	)
	rec, err := model.NewRecorder(path, nil, cut)
	require.NoError(t, err)
	_, err = ask(t, client(t, "http://x", model.Options{Transport: rec, Retries: -1}))
	require.ErrorContains(t, err, "cable pulled")
	require.NoError(t, rec.Close())
	require.Equal(t, 1, strings.Count(read(t, path), "\n"))
}

func TestARecorderLeavesItsCallersRequestAsItWas(t *testing.T) {
	rec, err := model.NewRecorder(
		filepath.Join(t.TempDir(), "c"), nil,
		transport(func(r *http.Request) (*http.Response, error) {
			b, err := io.ReadAll(r.Body)
			return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(b))}, err
		}),
	)
	require.NoError(t, err)
	defer rec.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://x/v1/chat/completions",
		strings.NewReader("not json"))
	require.NoError(t, err)
	body := req.Body
	resp, err := rec.RoundTrip(req)
	require.NoError(t, err)
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "not json", string(b))
	require.True(t, body == req.Body)
}
