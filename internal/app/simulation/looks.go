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

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/screen"
)

var mark = regexp.MustCompile(`\[([a-z0-9-]+) (\d+)/(\d+)\]`)

// looksFirst is the script's reply, or another one where the phone shows what the script cannot
// know: that a task is done before it begins, or that it is not done at its end.
func (s *Simulation) looksFirst(r *scripted.Request, reply string) string {
	asked, next := r.All(), mark.FindStringSubmatch(reply)
	task, known := s.taskOf(asked)
	if !known || next == nil || next[1] != task.ID {
		return inItsUnits(r, reply)
	}
	first, last := next[2] == "1", next[2] == next[3]
	n, _ := strconv.Atoi(next[2])
	problem := task.Check(s.Phone)
	secret := strings.Contains(asked, "{{secret") // what comes after it is not shown to models
	switch {
	case secret && last && problem != nil:
		return says("it is not done", "ABORT\tvalue:What was typed as the secret was not taken: "+
			strings.Join(strings.Fields(problem.Error()), " "))
	case secret, !s.shows(lastPicture(r)):
		return inItsUnits(r, reply)
	case first && problem == nil:
		return says("it is done already", "COMPLETE\treturn:The phone shows that this is done "+
			"already. Nothing was done now.")
	case first || !last || problem == nil || task.Reply != "": // a person may have said another
		return inItsUnits(r, reply)
	case !strings.Contains(asked, waiting):
		return fmt.Sprintf("<THINK> It is not there yet. </THINK>\nexplain:%s\taction:WAIT\t"+
			"value:2\tsummary:[%s %d/%s] %[1]s", waiting, task.ID, n-1, next[3])
	}
	return says("it is not done", "ABORT\tvalue:The phone does not show that it is done: "+
		strings.Join(strings.Fields(problem.Error()), " "))
}

const waiting = "wait until it shows"

// inItsUnits is a reply with its places in pixels of the picture where the model's family names
// them so. The script has thousandths.
func inItsUnits(r *scripted.Request, reply string) string {
	d, err := families.Known.New(dialect.Auto, &dialect.Options{Model: r.Model})
	picture := lastPicture(r)
	if err != nil || picture == nil {
		return reply
	}
	size := picture.Bounds().Size()
	if d.Profile().Coordinates.Unit != 0 {
		size = image.Pt(1000, 1000)
	}
	return place.ReplaceAllStringFunc(reply, func(p string) string {
		m := place.FindStringSubmatch(p)
		x, _ := strconv.Atoi(m[2])
		y, _ := strconv.Atoi(m[3])
		// with the names of both it is plain which comes first
		return fmt.Sprintf("%sx=%d, y=%d", m[1], x*size.X/1000, y*size.Y/1000)
	})
}

var place = regexp.MustCompile(`(point[12]?:)(\d+),(\d+)`)

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
