package app

import (
	"context"
	"errors"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// NewHost returns the ADB server of the configuration. With a store it remembers phones there, and
// writes to them only while the store's leases hold.
func NewHost(s *Settings, db *store.Store) (*device.Host, error) {
	o := &device.Options{
		Server: s.Conf.ADB.Server, ADB: s.Conf.ADB.Path, Timeout: s.Conf.ADB.Timeout,
		Getenv: s.Options.Getenv, Apps: s.Conf.Apps, Log: s.Log,
		StartsNone: s.Conf.ADB.Server != "", Machine: s.Conf.Farm.Name,
	}
	if db != nil {
		d := newLeasedDialer(db.Owner)
		if s.Dial != nil {
			d.dial = s.Dial
		}
		o.Memory, o.Dialer = db.Phones, d
	}
	return device.NewHost(o)
}

// NewServer returns the ADB server of the configuration, for calls that concern no phone.
func NewServer(s *Settings) (*adb.Client, error) {
	c, err := adb.New(&adb.Options{Server: s.Conf.ADB.Server, ADB: s.Conf.ADB.Path,
		Getenv: s.Options.Getenv, Log: s.Log, StartsNone: s.Conf.ADB.Server != ""})
	if err != nil {
		return nil, Usage(err, "")
	}
	return c, nil
}

// PhoneTrouble returns err with the code of its cause, or else that of trouble with a phone.
func PhoneTrouble(err error) error {
	if coded := withCode(err); err == nil || coded != err {
		return coded
	}
	return runs.Coded(runs.Code(agentloop.DeviceError), err)
}

// phones are those of one ADB server, for runs and for tools.
type phones struct{ host *device.Host }

// Open implements runs.Phones.
func (p phones) Open(ctx context.Context, serial string) (runs.Phone, error) {
	ph, err := p.host.Open(ctx, serial)
	if err != nil {
		return nil, withCode(err)
	}
	return adbPhone{ph}, nil
}

// withCode returns err with the code of its cause, if that has one.
func withCode(err error) error {
	for _, u := range unusable {
		if errors.Is(err, u.is) {
			return runs.Coded(u.code, err)
		}
	}
	return err
}

// unusable are the codes of phones that cannot be used, and of a missing server.
var unusable = []struct {
	is   error
	code runs.Code
}{
	{device.ErrWhichPhone, runs.DeviceAmbiguous},
	{adb.ErrNoServer, runs.ADBUnreachable},
	{adb.ErrOffline, runs.DeviceOffline},
	{adb.ErrNotStarted, runs.DeviceOffline},
	{adb.ErrClosed, runs.DeviceOffline},
	{adb.ErrUnauthorized, runs.DeviceUnauthorized},
	{adb.ErrNoPermissions, runs.DeviceUnauthorized},
}

// List implements runs.Phones.
func (p phones) List(ctx context.Context) ([]runs.PhoneInfo, error) {
	infos, err := p.host.List(ctx)
	if err != nil {
		return nil, withCode(err)
	}
	list := make([]runs.PhoneInfo, 0, len(infos))
	for _, i := range infos {
		list = append(list, runs.PhoneInfo{Serial: i.Serial, Addresses: i.Addresses,
			State: i.State, Usable: i.Usable(),
			Model: i.Model, Android: i.Android, SDK: i.SDK, Size: i.Size})
	}
	return list, nil
}

type adbPhone struct{ *device.Phone }

// Device implements runs.Phone.
func (p adbPhone) Device() store.Device {
	i := p.Info()
	return store.Device{ID: i.Serial, Size: i.Size, Model: i.Model, Android: i.Android}
}
