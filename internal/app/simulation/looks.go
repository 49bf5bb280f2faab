package simulation

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/screen"
)

var mark = regexp.MustCompile(`\[([a-z0-9-]+) (\d+)/(\d+)\]`)

// sees answers where the phone shows what the script cannot know: that a task is done before it
// begins, or that it is not done at its end.
func (s *Simulation) sees(r *scripted.Request) (reply string, ok bool) {
	if reply, ok := sight(r); ok {
		return reply, true
	}
	asked := r.All()
	task, known := s.taskOf(asked)
	if !known || !s.shows(lastPicture(r)) {
		return "", false
	}
	did, all := 0, 0
	for _, m := range mark.FindAllStringSubmatch(asked, -1) {
		if m[1] == task.ID {
			did, _ = strconv.Atoi(m[2])
			all, _ = strconv.Atoi(m[3])
		}
	}
	problem := task.Check(s.Phone)
	switch {
	case did == 0 && problem == nil:
		return says("it is done already", "COMPLETE\treturn:The phone shows that this is done "+
			"already. Nothing was done now."), true
	case did == 0 || did < all-1 || problem == nil || task.Reply != "",
		strings.Contains(asked, "{{secret"): // a person may have said something else
		return "", false
	case !strings.Contains(asked, waited):
		return fmt.Sprintf("<THINK> It is not there yet. </THINK>\nexplain:wait for it\t"+
			"action:WAIT\tvalue:2\tsummary:[%s %d/%d] %s", task.ID, did, all, waited), true
	}
	return says("it is not done", "ABORT\tvalue:The phone does not show that it is done: "+
		strings.Join(strings.Fields(problem.Error()), " ")), true
}

const waited = "waited for it"

// shows reports whether the picture is of the phone as it is now, but for its status bar and a
// toast that has come or gone since. One of another phone, or of an earlier screen, is not.
func (s *Simulation) shows(picture image.Image) bool {
	if picture == nil {
		return false
	}
	const statusBar, alike = 0.05, 0.05
	opaque := image.NewRGBA(picture.Bounds())
	draw.Draw(opaque, opaque.Rect, picture, picture.Bounds().Min, draw.Src)
	asked, err := screen.NewFrame(opaque)
	now, err2 := screen.NewFrame(s.Phone.Screenshot())
	return err == nil && err2 == nil && asked.Fingerprint().Below(statusBar).
		Distance(now.Fingerprint().Below(statusBar)) <= alike
}

// taskOf returns the task whose goal is in the text, as it is or quoted.
func (s *Simulation) taskOf(text string) (t sandbox.Task, ok bool) {
	plain := strings.ReplaceAll(text, `\`, "")
	for _, t := range s.Phone.Tasks() {
		if strings.Contains(plain, t.Goal) || strings.Contains(plain, t.GoalZH) {
			return t, true
		}
	}
	return t, false
}

// says is a reply of the scripted model.
func says(why, action string) string {
	return fmt.Sprintf("<THINK> I look: %s. </THINK>\nexplain:%[1]s\taction:%s\tsummary:%[1]s", why,
		action)
}

// resetPath is where the phone is put back as new, at the model's address. The header keeps pages
// in browsers from it.
const resetPath, resetHeader = "/sandbox/reset", "X-Taploop-Sandbox"

func (s *Simulation) resetting(model http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", model)
	mux.HandleFunc("POST "+resetPath, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(resetHeader) == "" {
			http.Error(w, "the header "+resetHeader+" is missing", http.StatusForbidden)
			return
		}
		s.Phone.Reset()
	})
	return mux
}

// Reset puts the phone back as new that runs with its model at the address.
func Reset(ctx context.Context, modelAddr string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+modelAddr+resetPath, nil)
	if err != nil {
		return err
	}
	r.Header.Set(resetHeader, "reset")
	resp, err := http.DefaultClient.Do(r)
	if err == nil {
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("it answers %s", resp.Status)
		}
	}
	if err != nil {
		return hint.Add(fmt.Errorf("no sandbox runs with its model at %s: %w", modelAddr, err),
			"start one with taploop sandbox, or name its --model-addr")
	}
	return nil
}

// Ready returns nil once phone and model answer.
func (s *Simulation) Ready(ctx context.Context) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	const version, okay = "000chost:version", "OKAY"
	status := make([]byte, len(okay))
	if _, err = io.WriteString(conn, version); err == nil {
		_, err = io.ReadFull(conn, status)
	}
	if err != nil || string(status) != okay {
		return fmt.Errorf("the ADB server at %s answers %q: %w", s.Addr, status, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Model.BaseURL+"/models", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the model at %s answers %s", s.Model.BaseURL, resp.Status)
	}
	return nil
}
