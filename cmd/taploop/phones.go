package main

import (
	"context"
	"errors"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/adb"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// phones are those of one ADB server, for runs and for tools.
type phones struct{ host *device.Host }

// Open implements runs.Phones.
func (p phones) Open(ctx context.Context, serial string) (runs.Phone, error) {
	ph, err := p.host.Open(ctx, serial)
	for _, u := range unusable {
		if errors.Is(err, u.is) {
			return nil, runs.Coded(u.code, err)
		}
	}
	if err != nil {
		return nil, err
	}
	return phone{ph}, nil
}

// unusable are the codes of phones that are there, and that cannot be used.
var unusable = []struct {
	is   error
	code runs.Code
}{
	{device.ErrWhichPhone, runs.DeviceAmbiguous},
	{adb.ErrOffline, runs.DeviceOffline},
	{adb.ErrNotStarted, runs.DeviceOffline},
	{adb.ErrUnauthorized, runs.DeviceUnauthorized},
	{adb.ErrNoPermissions, runs.DeviceUnauthorized},
}

// List implements runs.Phones.
func (p phones) List(ctx context.Context) ([]runs.PhoneInfo, error) {
	infos, err := p.host.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]runs.PhoneInfo, 0, len(infos))
	for _, i := range infos {
		list = append(list, runs.PhoneInfo{Serial: i.Serial, State: i.State, Usable: i.Usable(),
			Model: i.Model, Android: i.Android, SDK: i.SDK, Size: i.Size})
	}
	return list, nil
}

type phone struct{ *device.Phone }

// Device implements runs.Phone.
func (p phone) Device() session.Device {
	i := p.Info()
	return session.Device{ID: i.Serial, Size: i.Size, Model: i.Model, Android: i.Android}
}
