package model_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
)

// on is a request that was made on a screen.
func on(r model.Request, step int, picture string) model.Request {
	r.Sight = func() (model.Sight, error) {
		return model.Sight{Step: step, App: "app", PNG: []byte(picture)}, nil
	}
	return r
}

// byBytes compares pictures as they are.
func byBytes(was, now model.Sight) (string, error) {
	if string(was.PNG) == string(now.PNG) {
		return "", nil
	}
	return "another screen", nil
}

func TestAReplayOnAnotherScreenStopsAndKeepsBothPictures(t *testing.T) {
	path := record(t, []page{saying("one"), saying("two")},
		on(asking("same"), 1, "home"), on(asking("same"), 2, "list"))
	rep, err := model.NewReplayer(path, &model.ReplayOptions{Compare: byBytes})
	require.NoError(t, err)
	require.False(t, rep.Unseen())
	c := client(t, "http://x", model.Options{Transport: rep})
	_, err = c.Complete(t.Context(), on(asking("same"), 1, "home"))
	require.NoError(t, err)
	_, err = c.Complete(t.Context(), on(asking("same"), 2, "shop"))
	var div *model.Divergence
	require.ErrorAs(t, err, &div)
	was, now := path+".step2-recorded.png", path+".step2-seen.png"
	require.EqualError(t, div, "replaying "+path+": step 2: another screen; recorded: "+was+
		", seen: "+now)
	require.NotContains(t, err.Error(), "attempts", "it is not tried again")
	require.Contains(t, hint.Of(err), "--replay-or-model")
	require.Equal(t, "list", read(t, was))
	require.Equal(t, "shop", read(t, now))
}

// What a prompt says of a screen differs where the screen does: that is told alone. Where the screen
// is the recorded one, the cassette is at fault.
func TestARequestThatWasNotRecordedIsOnAnotherScreenOrOfAnotherCassette(t *testing.T) {
	path := record(t, []page{saying("one")}, on(asking("Cart, Pay"), 1, "shop"))
	replayed := func(picture string) error {
		rep, err := model.NewReplayer(path, &model.ReplayOptions{Compare: byBytes})
		require.NoError(t, err)
		_, err = client(t, "http://x", model.Options{Transport: rep}).
			Complete(t.Context(), on(asking("Apps, Clock"), 1, picture))
		return err
	}
	err := replayed("shop")
	require.ErrorContains(t, err, "step 1: the cassette does not fit: it has ")
	require.True(t, model.Unfit(err.Error()))
	require.Contains(t, hint.Of(err), "the same task, settings and answers")
	require.NoFileExists(t, path+".step1-seen.png")

	err = replayed("home")
	require.ErrorContains(t, err, "step 1: another screen; recorded: ")
	require.False(t, model.Unfit(err.Error()))
	require.Contains(t, hint.Of(err), "bring the phone to the recorded state")
	require.Equal(t, "shop", read(t, path+".step1-recorded.png"))
	require.Equal(t, "home", read(t, path+".step1-seen.png"))
}

// A recording is of its day, and is replayed on others. A task's own dates stay.
func TestAReplayIsForAnyDay(t *testing.T) {
	for _, c := range []struct {
		recorded, now string
		plays         bool
	}{
		{"Today is 2026-11-27, Friday. Task", "Today is 2027-01-01, Saturday. Task", true},
		{"今天是 2026-11-27，星期五。", "今天是 2026-12-06，星期日。", true},
		{"Wake me on 2026-11-27, please", "Wake me on 2026-11-28, please", false},
	} {
		rep, err := model.NewReplayer(record(t, []page{saying("one")}, asking(c.recorded)), nil)
		require.NoError(t, err)
		_, err = client(t, "http://x", model.Options{Transport: rep}).
			Complete(t.Context(), asking(c.now))
		require.Equal(t, c.plays, err == nil, "%s: %v", c.now, err)
	}
}

func TestAReplyRecordedWithoutItsScreenIsNoMatchBesideOthersThatHaveThem(t *testing.T) {
	path := record(t, []page{saying("one"), saying("two")}, on(asking("a"), 1, "home"), asking("b"))
	rep, err := model.NewReplayer(path, &model.ReplayOptions{Compare: byBytes})
	require.NoError(t, err)
	_, err = client(t, "http://x", model.Options{Transport: rep}).
		Complete(t.Context(), on(asking("b"), 1, "home"))
	var div *model.Divergence
	require.ErrorAs(t, err, &div)
	require.ErrorContains(t, err, "recorded without the screen")
}

func TestAnOldCassetteStillPlaysAndSaysThatNothingWasSeen(t *testing.T) {
	path := record(t, []page{saying("one")}, asking("a"))
	old := strings.Replace(read(t, path), `"version":3`, `"version":1`, 1)
	require.NoError(t, os.WriteFile(path, []byte(old), 0o600))
	rep, err := model.NewReplayer(path, &model.ReplayOptions{Compare: byBytes})
	require.NoError(t, err)
	require.True(t, rep.Unseen())
	_, err = client(t, "http://x", model.Options{Transport: rep}).
		Complete(t.Context(), on(asking("a"), 1, "home"))
	require.NoError(t, err)
}

func TestWhereAReplayPartsTheModelIsAskedAndTheWholeIsANewCassette(t *testing.T) {
	path := record(t, []page{saying("one"), saying("two"), saying("three")},
		on(asking("a"), 1, "home"), on(asking("b"), 2, "list"), on(asking("c"), 3, "end"))
	fresh := filepath.Join(t.TempDir(), "new")
	var parted []string
	rep, err := model.NewReplayer(path, &model.ReplayOptions{Compare: byBytes, OrModel: fresh,
		Parted: func(why error) { parted = append(parted, why.Error()) }})
	require.NoError(t, err)
	e := serve(t, saying("live two"), saying("live three"))
	c := client(t, e.URL, model.Options{Transport: rep})
	var replayed *model.Client
	said := func(c *model.Client, text string, step int, picture string) string {
		r, err := c.Complete(t.Context(), on(asking(text), step, picture))
		require.NoError(t, err)
		require.Equal(t, strings.HasPrefix(r.Text, "live") && c != replayed,
			r.Usage.PromptTokens > 0, "what is asked is spent, and nothing else")
		return r.Text
	}
	require.Equal(t, "one", said(c, "a", 1, "home"))
	require.NoFileExists(t, fresh, "nothing has parted yet")
	require.Equal(t, "live two", said(c, "b", 2, "shop"))
	require.Equal(t, "live three", said(c, "c", 3, "end"), "there is no way back")
	require.Len(t, e.requests(), 2)
	require.Len(t, parted, 1)
	require.Contains(t, parted[0], "step 2: another screen")
	require.NoError(t, rep.Close())

	again, err := model.NewReplayer(fresh, &model.ReplayOptions{Compare: byBytes})
	require.NoError(t, err)
	c = client(t, "http://x", model.Options{Transport: again})
	replayed = c
	require.Equal(t, "one", said(c, "a", 1, "home"))
	require.Equal(t, "live two", said(c, "b", 2, "shop"))
	require.Equal(t, "live three", said(c, "c", 3, "end"))
}

func TestACaptionThatWasOffWhenTheCassetteWasMadePartsNothing(t *testing.T) {
	path := record(t, []page{saying("one"), saying("two")}, on(asking("a"), 1, "home"),
		on(asking("b"), 2, "shop"))
	fresh := filepath.Join(t.TempDir(), "fresh")
	rep, err := model.NewReplayer(path, &model.ReplayOptions{Compare: byBytes, OrModel: fresh})
	require.NoError(t, err)
	e := serve(t, saying("a home screen"))
	c := client(t, e.URL, model.Options{Transport: rep})
	for i, ask := range []model.Request{on(asking("a"), 1, "home"), asking("describe it"),
		on(asking("b"), 2, "shop")} {
		r, err := c.Complete(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, []string{"one", "a home screen", "two"}[i], r.Text)
	}
	require.Len(t, e.requests(), 1)
	require.NoFileExists(t, fresh)
	require.NoError(t, rep.Close())
}

func TestPicturesGoElsewhereWhenNothingCanBeWrittenBesideTheCassette(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := record(t, []page{saying("one")}, on(asking("a"), 1, "home"))
	// A folder in the picture's place is in the way for every user, root too.
	require.NoError(t, os.Mkdir(path+".step1-seen.png", 0o700))
	rep, err := model.NewReplayer(path, &model.ReplayOptions{Compare: byBytes})
	require.NoError(t, err)
	_, err = client(t, "http://x", model.Options{Transport: rep}).
		Complete(t.Context(), on(asking("a"), 1, "shop"))
	require.ErrorContains(t, err, "seen: "+os.TempDir())
}

// A request of another task is told as such, whatever is on the screen, and one behind the end of
// the cassette as that.
func TestAReplayTellsAnotherTaskAndAnEndThatIsTooEarly(t *testing.T) {
	about := func(task string, step int, picture string) model.Request {
		r := asking("Do this: " + task + "\nOn the screen: Notes")
		r.Sight = func() (model.Sight, error) {
			return model.Sight{Step: step, Task: task, PNG: []byte(picture)}, nil
		}
		return r
	}
	path := record(t, []page{saying("one"), saying("two"), saying("three")}, about("Open Notes", 1, "home"),
		on(asking("more"), 2, "list"), asking("a caption that is not asked for again"))
	for _, c := range []struct {
		task, picture, want string
	}{
		{"Open Note", "home", "step 1: the cassette does not fit: the task, or what is judged, is another one"},
		{"Open Notes now", "shop", "step 1: the cassette does not fit: the task, or what is judged, is another one"},
		{"Notes", "home", "step 1: the cassette does not fit: the task, or what is judged, is another one"},
		{"t", "home", "step 1: the cassette does not fit: the task, or what is judged, is another one"},
	} {
		rep, err := model.NewReplayer(path, &model.ReplayOptions{Compare: byBytes})
		require.NoError(t, err)
		rc := client(t, "http://x", model.Options{Transport: rep})
		_, err = rc.Complete(t.Context(), about(c.task, 1, c.picture))
		require.ErrorContains(t, err, c.want)
		require.True(t, model.Unfit(err.Error()))
	}
	rep, err := model.NewReplayer(path, &model.ReplayOptions{Compare: byBytes})
	require.NoError(t, err)
	c := client(t, "http://x", model.Options{Transport: rep})
	for _, r := range []model.Request{about("Open Notes", 1, "home"), on(asking("more"), 2, "list")} {
		_, err = c.Complete(t.Context(), r)
		require.NoError(t, err)
	}
	_, err = c.Complete(t.Context(), on(asking("yet more"), 3, "shop"))
	require.ErrorContains(t, err, "step 3: the cassette ends early")
	require.True(t, model.Unfit(err.Error()))
}
