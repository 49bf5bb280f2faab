package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

// AnyPhone is the serial that stands for whichever phone is free.
const AnyPhone = "any"

// ParseWanted reads a Wanted from an object of JSON.
func ParseWanted(raw json.RawMessage) (Wanted, error) {
	var values map[string]any
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	w := Wanted{}
	err := json.Unmarshal(raw, &values)
	for name, v := range values {
		switch v := v.(type) {
		case string:
			w[name] = v
		case float64:
			w[name] = strconv.FormatFloat(v, 'f', -1, 64)
		default:
			err = fmt.Errorf("the value of %q is neither a text nor a number", name)
		}
	}
	if err == nil {
		err = w.check()
	}
	if err != nil {
		return nil, invalid(
			`write it like {"model": "Pixel*", "api": ">=30", "app": "com.example"}`,
			"the phone that is wanted cannot be read: %w", err)
	}
	return w, nil
}

// wantedIn reads labels from the place of a serial: AnyPhone, or "api>=30,site=berlin". described
// is false for the name of a phone.
func wantedIn(serial string) (w Wanted, described bool, err error) {
	if serial == AnyPhone {
		return nil, true, nil
	}
	if !strings.ContainsAny(serial, "<>=") {
		return nil, false, nil
	}
	w = Wanted{}
	for part := range strings.SplitSeq(serial, ",") {
		at := strings.IndexAny(part, "<>=")
		if at < 0 {
			return nil, true, invalid(`write labels like "api>=30,site=berlin"`,
				"%q is neither a label with its value nor the name of a phone", part)
		}
		w[strings.TrimSpace(part[:at])] = strings.TrimSpace(strings.TrimPrefix(part[at:], "="))
	}
	return w, true, nil
}

func (w Wanted) check() error {
	for name, v := range w {
		if name == "" || v == "" {
			return fmt.Errorf("the label %q has the value %q", name, v)
		}
		if _, err := path.Match(v, ""); err != nil {
			return fmt.Errorf("the label %s: %q: %w", name, v, err)
		}
		if _, _, ok := compared(v); name == "api" && !ok {
			return fmt.Errorf("api is %q (want a number, or one behind >=, <=, >, < or =)", v)
		}
	}
	return nil
}

// compared splits a comparison with a number.
func compared(v string) (sign string, n int, ok bool) {
	number := strings.TrimLeft(v, "<>=")
	sign = v[:len(v)-len(number)]
	n, err := strconv.Atoi(strings.TrimSpace(number))
	return sign, n, err == nil && slices.Contains([]string{"", "=", "==", ">=", "<=", ">", "<"},
		sign)
}

// String lists the labels in the order of their names.
func (w Wanted) String() string {
	return strings.Join(text.Each(slices.Sorted(maps.Keys(w)), func(name string) string {
		return name + " " + strconv.Quote(w[name])
	}), ", ")
}

// fits reports whether the phone has all labels but that of an app.
func (w Wanted) fits(p PhoneInfo) bool {
	labels := p.AllLabels()
	for name, want := range w {
		have, known := labels[name]
		switch {
		case name == "app", name == "device_id" && slices.Contains(p.Addresses, want):
		case name == "api":
			sign, n, _ := compared(want)
			if !known || !holds(p.SDK, sign, n) {
				return false
			}
		default:
			if ok, _ := path.Match(want, have); !known || !ok && want != have {
				return false
			}
		}
	}
	return true
}

func holds(have int, sign string, n int) bool {
	switch sign {
	case ">=":
		return have >= n
	case "<=":
		return have <= n
	case ">":
		return have > n
	case "<":
		return have < n
	}
	return have == n
}

// AllLabels are the phone's labels, with what it says of itself.
func (p PhoneInfo) AllLabels() map[string]string {
	all := maps.Clone(p.Labels)
	if all == nil {
		all = map[string]string{}
	}
	all["device_id"] = p.Serial
	for name, v := range map[string]string{"model": p.Model, "android": p.Android,
		"worker": p.Worker} {
		if v != "" {
			all[name] = v
		}
	}
	if p.SDK > 0 {
		all["api"] = strconv.Itoa(p.SDK)
	}
	return all
}

// Choose returns the usable phones that the words mean: AnyPhone, labels ("api>=30,site=berlin") or
// names between commas. The error has the code DeviceNotFound if there are none.
func Choose(ctx context.Context, phones Phones, words string, log *slog.Logger) (
	chosen []PhoneInfo, err error) {
	w, described, err := wantedIn(words)
	if err != nil {
		return nil, err
	}
	if described {
		return picker{phones, log}.choose(ctx, w)
	}
	for name := range strings.SplitSeq(words, ",") {
		w := Wanted{"device_id": strings.TrimSpace(name)}
		fit, err := picker{phones, log}.choose(ctx, w)
		if err != nil {
			return nil, hint.Add(err, "taploop devices tells why")
		}
		chosen = append(chosen, slices.DeleteFunc(fit, func(p PhoneInfo) bool {
			return slices.ContainsFunc(chosen,
				func(o PhoneInfo) bool { return o.Serial == p.Serial })
		})...)
	}
	return chosen, nil
}

// Choose returns the usable phones that are wanted. The error is as that of the function.
func (w Wanted) Choose(ctx context.Context, phones Phones, log *slog.Logger) ([]PhoneInfo, error) {
	return picker{phones, log}.choose(ctx, w)
}

// picker finds phones by what is wanted of them.
type picker struct {
	phones Phones
	log    *slog.Logger
}

// choose returns the usable phones that are wanted. The error has the code DeviceNotFound if there
// are none, and says which labels there are.
func (k picker) choose(ctx context.Context, w Wanted) ([]PhoneInfo, error) {
	if err := w.check(); err != nil {
		return nil, invalid(`write labels like "api>=30,site=berlin"`, "%w", err)
	}
	all, err := k.phones.List(ctx)
	if err != nil {
		return nil, NoPhone(err)
	}
	var fit []PhoneInfo
	for _, p := range all {
		if !p.Usable || p.Closed || !w.fits(p) {
			continue
		}
		has, err := k.hasApp(ctx, p, w["app"])
		if err != nil {
			k.log.WarnContext(ctx, "listing the apps of a phone", "serial", p.Serial, "err", err)
		}
		if has {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		return nil, noneFits(w, all)
	}
	return fit, nil
}

func (k picker) hasApp(ctx context.Context, p PhoneInfo, app string) (bool, error) {
	if app == "" {
		return true, nil
	}
	apps := p.Apps
	if lister, ok := k.phones.(appLister); ok && apps == nil && p.Worker == "" {
		var err error
		if apps, err = lister.Apps(ctx, p.Serial); err != nil {
			return false, err
		}
	}
	return slices.Contains(apps, app), nil
}

// appLister is a Phones that knows which packages are installed.
type appLister interface {
	Apps(ctx context.Context, serial string) ([]string, error)
}

func noneFits(w Wanted, all []PhoneInfo) error {
	there := map[string][]string{}
	for _, p := range all {
		if !p.Usable || p.Closed {
			continue
		}
		for name, v := range p.AllLabels() {
			if !slices.Contains(there[name], v) {
				there[name] = append(there[name], v)
			}
		}
	}
	if len(there) == 0 {
		return Refuse(DeviceNotFound, "connect a phone, or wait until one is back",
			"no phone can be used now")
	}
	var labels []string
	for _, name := range slices.Sorted(maps.Keys(there)) {
		slices.Sort(there[name])
		labels = append(labels, name+": "+strings.Join(there[name], " or "))
	}
	return Refuse(DeviceNotFound, "want labels that there are: "+strings.Join(labels, "; "),
		"no phone has %s", w)
}

// beginOnAny begins the run on a wanted phone that is free. If none is, it queues for one, or
// refuses with who has them.
func (m *Manager) beginOnAny(ctx context.Context, r StartRequest) (Status, error) {
	if r.Serial != "" && r.Serial != AnyPhone {
		return Status{}, invalid("leave one of the two out",
			"the phone %q is named, and another one is described", r.Serial)
	}
	fit, err := picker{m.opts.Phones, m.log}.choose(ctx, r.Phone)
	if err != nil {
		return Status{}, err
	}
	queue := r.Queue
	r.Queue, r.Phone = false, nil
	var busy []string
	var last error
	var line []PhoneInfo
	for _, p := range fit {
		r.Serial = p.Serial
		st, err := m.begin(ctx, r)
		e, refused := errors.AsType[*Error](err)
		switch {
		case err == nil, !refused, ctx.Err() != nil:
			return st, err
		case e.Code == DeviceBusy:
			busy, line = append(busy, e.Error()), append(line, p)
		case e.Code != DeviceNotFound && e.Code != DeviceOffline:
			return st, err
		}
		last = err
	}
	if len(busy) == 0 {
		return Status{}, last
	}
	if !queue {
		e := Refuse(DeviceBusy, "wait until one is free, or start with queue to wait in line",
			"all phones that fit are busy: %s", strings.Join(busy, "; "))
		if first, ok := errors.AsType[*Error](last); ok {
			e.Holder = first.Holder
		}
		return Status{}, e
	}
	r.Queue = true
	r.Serial = m.shortest(ctx, line).Serial
	return m.begin(ctx, r)
}

// shortest returns the phone for which the fewest runs wait.
func (m *Manager) shortest(ctx context.Context, line []PhoneInfo) PhoneInfo {
	waiting, err := m.store.Farm.Waiting(ctx, false)
	if err != nil {
		m.log.WarnContext(ctx, "counting the runs that wait", "err", err)
	}
	lengths := map[string]int{}
	for _, h := range waiting {
		lengths[h.Serial]++
	}
	return slices.MinFunc(line, func(a, b PhoneInfo) int {
		return lengths[a.Serial] - lengths[b.Serial]
	})
}
