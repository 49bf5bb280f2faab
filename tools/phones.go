package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// The codes that only these tools have.
const (
	privacyMode        runs.Code = "PRIVACY_MODE"
	secureScreen       runs.Code = "SECURE_SCREEN"
	deviceDisconnected runs.Code = "DEVICE_DISCONNECTED"
)

// phones lists the phones, with what they say of themselves.
func (e edge) phones(ctx context.Context, c *call, _ struct{}) (*toolResult, error) {
	found, err := e.cases.ListPhones(ctx, c.who, !c.gelab)
	if err != nil {
		return nil, err
	}
	if c.gelab {
		return serials(found), nil
	}
	body := &result.Phones{Devices: make([]result.ListedPhone, len(found))}
	for i, p := range found {
		body.Devices[i] = listedPhone(p)
	}
	said := func() string { return phonesSaid(body, c.messages) }
	return &toolResult{body: body, text: said}, nil
}

func listedPhone(p usecase.Phone) result.ListedPhone {
	d := result.ListedPhone{ID: p.Serial, Addresses: p.Addresses, State: p.State, Usable: p.Usable,
		Model:   p.Model,
		Android: p.Android, SDK: p.SDK, Worker: p.Worker, Labels: p.Labels}
	if p.Size.Valid() {
		d.Size = &[2]int{p.Size.W, p.Size.H}
	}
	if p.Held != nil {
		d.HeldBy = result.NewHolder(*p.Held)
	}
	if s := p.Screen; s != nil {
		d.On, d.Locked, d.App = &s.On, &s.Locked, s.App
	}
	return d
}

type screenshotArgs struct {
	Device   string `json:"device_id,omitempty" max:"200"`
	Elements bool   `json:"elements,omitempty"`
}

// screenshot looks at a phone. Where pictures are private, the screen is given in words
// alone, and only when that is asked for.
func (e edge) screenshot(ctx context.Context, c *call, a screenshotArgs) (*toolResult, error) {
	private := e.opts.Privacy == usecase.PrivacyCaptions
	if private && !a.Elements {
		return nil, runs.Refuse(privacyMode,
			"pass elements: true for the screen in words, read screenshot_caption in the results "+
				"of the task, or have your user look at the phone",
			"this server keeps pictures private")
	}
	p, err := e.opts.Phones.Open(ctx, a.Device)
	if err != nil {
		return nil, runs.NoPhone(err)
	}
	serial := p.Device().ID
	defer func() {
		if err := p.Close(); err != nil {
			e.opts.Log.WarnContext(ctx, "closing the phone", "serial", serial, "err", err)
		}
	}()
	if err := e.mayLook(ctx, c, serial); err != nil {
		return nil, err
	}
	seen, err := p.Look(ctx)
	if err != nil {
		return nil, unseen(err)
	}
	unlisted := ""
	if a.Elements && seen.State.On {
		if seen.Elements, err = p.Elements(ctx); err != nil {
			unlisted = "no elements: " + text.Line(err.Error())
		}
	}
	switch {
	case errors.Is(err, screen.ErrSecure), ctx.Err() != nil, errors.Is(err, screen.ErrDisconnected):
		return nil, unseen(err) // another window came to the front
	case private:
		seen.Frame = nil
	}
	if err := e.mayLook(ctx, c, serial); err != nil { // somebody has taken the phone meanwhile
		return nil, err
	}
	return screenshotReply(c, serial, seen, unlisted)
}

// mayLook refuses while a session of somebody else has the phone, and with it the screen, and while
// a person has it, who may type a secret.
func (e edge) mayLook(ctx context.Context, c *call, serial string) error {
	h, held, err := e.opts.Leases.Holder(ctx, serial)
	switch {
	case err != nil, !held:
		return err
	case h.State == store.WaitingTakeover:
		return runs.Refuse(runs.DeviceBusy, "wait until the person has handed the phone back",
			"a person has phone %q, and what is on its screen is the person's alone", serial)
	case c.who.Owners().Has(h.Client):
		return nil
	}
	return runs.Refuse(runs.DeviceBusy, "wait until it is done, or use another phone",
		"phone %q is held by a session of somebody else, which is %s", serial, h.State)
}

func unseen(err error) error {
	code := usecase.DeviceError
	switch {
	case errors.Is(err, screen.ErrSecure):
		code = secureScreen
	case errors.Is(err, screen.ErrDisconnected):
		code = deviceDisconnected
	}
	if hint.Of(err) == "" {
		err = hint.Add(err, "have your user look at the phone, then try again")
	}
	return runs.Coded(code, err)
}

// screenshotReply tells what was seen; unlisted is why there are no elements, "" for nothing.
func screenshotReply(c *call, serial string, seen screen.Observation, unlisted string) (*toolResult,
	error) {
	body, in := result.NewScreenshot(serial, seen), c.messages
	list, left, err := result.NewElements(seen.Elements, seen.State.Size)
	if err != nil {
		return nil, fmt.Errorf("phone %s: %w", serial, err)
	}
	body.Elements = list
	if unlisted != "" {
		body.Notes = append(body.Notes, unlisted)
	}
	if left > 0 {
		body.Notes = append(body.Notes, fmt.Sprintf("%d more elements are left out", left))
	}
	said := fmt.Sprintf(in.ScreenOf, quote(serial), quoted(body.App, 100))
	out := &toolResult{}
	switch {
	case !seen.State.On:
		body.Notes = append(body.Notes, "the screen is off, so there is no picture")
		said = fmt.Sprintf(in.ScreenIsOff, quote(serial))
	case seen.Frame == nil:
		body.Notes = append(body.Notes, "this server keeps pictures private, so there is none")
	default:
		small := seen.Frame.Within(longSide)
		jpeg, err := small.JPEG(quality)
		if err != nil {
			return nil, fmt.Errorf("phone %s: %w", serial, err)
		}
		body.Picture = [2]int{small.Size().W, small.Size().H}
		out.pictures = [][]byte{jpeg}
	}
	out.body = body
	out.text = func() string { return said + elementsSaid(body) }
	return out, nil
}

// elementsSaid is the elements, a line each, and why some are missing.
func elementsSaid(body result.Screenshot) string {
	var b strings.Builder
	if len(body.Elements) > 0 {
		fmt.Fprintf(&b, "\nElements, at [left top right bottom] in pixels of the screen (%dx%d):",
			body.Size[0], body.Size[1])
	}
	for _, e := range body.Elements {
		kind := e.Class[strings.LastIndexByte(e.Class, '.')+1:]
		fmt.Fprintf(&b, "\n%v %s", e.Bounds, text.Line(kind))
		for _, s := range []string{e.Text, e.ContentDesc, e.Hint} {
			if s != "" {
				b.WriteString(" " + quoted(s, 200))
			}
		}
	}
	if len(body.Elements) > 0 {
		for _, n := range body.Notes {
			b.WriteString("\n" + n)
		}
	}
	return b.String()
}

const (
	longSide  = 1280 // of a picture that leaves
	smallSide = 640  // of one of an earlier step
	quality   = 80
	// bytes of all pictures of a result. Many clients refuse results above a megabyte.
	maxPictures = 300_000
)

// pictures are the screens of the result's steps, as long as there is room: the last one is chosen
// first, then the earlier ones from the end. They are in the order of the steps.
func (e edge) pictures(ctx context.Context, body *result.Result, st runs.Status,
	o usecase.Shown) (list [][]byte, err error) {
	var wanted []store.StepRecord
	if o.FinalScreenshot && st.Last != nil {
		wanted = append(wanted, *st.Last)
	}
	if o.Screenshots {
		earlier := slices.Clone(result.Earlier(st))
		slices.Reverse(earlier)
		wanted = append(wanted, earlier...)
	}
	recorded, err := e.recorded(ctx, st)
	if err != nil {
		return nil, err
	}
	if recorded != nil && !o.FinalScreenshot && st.Last != nil {
		wanted = append([]store.StepRecord{*st.Last}, wanted...)
	}
	room, missing := maxPictures-len(recorded), 0
	for i, step := range wanted {
		if step.FrameID == "" { // the display was off
			continue
		}
		sides := []int{smallSide}
		if i == 0 && o.FinalScreenshot {
			sides = []int{longSide, smallSide}
		}
		jpeg, err := e.picture(ctx, step.FrameID, sides, room, touchedOn(step.FrameID, st))
		if err != nil {
			return nil, err
		}
		if jpeg == nil {
			missing++
			continue
		}
		room -= len(jpeg)
		list, body.Pictures = append(list, jpeg), append(body.Pictures, step.Index)
	}
	slices.Reverse(list)
	slices.Reverse(body.Pictures)
	if recorded != nil {
		list = append(list, recorded)
		body.Notes = append(body.Notes, "the last picture is the screen as it was recorded")
	}
	if missing > 0 {
		body.Notes = append(body.Notes, fmt.Sprintf("%d pictures are left out: "+
			"they are not kept any more, or the result would be too large", missing))
	}
	return list, nil
}

// recorded is the screen on which the step was recorded that a skill could not repeat, or nil.
func (e edge) recorded(ctx context.Context, st runs.Status) ([]byte, error) {
	if e.opts.Privacy == usecase.PrivacyCaptions {
		return nil, nil
	}
	id, err := export.Recorded(ctx, e.opts.Store, st.Session, st.Run)
	if id == "" || err != nil {
		return nil, err
	}
	return e.picture(ctx, id, []int{longSide, smallSide}, maxPictures/2, nil)
}

// touchedOn are the places of a frame that the open question is about.
func touchedOn(frameID string, st runs.Status) []screen.Point {
	if st.Question == nil || st.Question.Frame != frameID {
		return nil
	}
	return export.Touched(*st.Question)
}

// picture is a frame in the first of the sizes that fits into room; nil when none does, or when the
// frame is not kept any more.
func (e edge) picture(ctx context.Context, frameID string, sides []int, room int,
	touched []screen.Point) ([]byte, error) {
	frame, err := e.opts.Store.Frame(ctx, frameID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, side := range sides {
		small, err := export.Shrink(frame, side, quality, touched...)
		if err != nil {
			return nil, fmt.Errorf("frame %s: %w", frameID, err)
		}
		if len(small) <= room {
			return small, nil
		}
	}
	return nil, nil
}
