package sandbox

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/sandbox/apps"
)

// ClearData ends an app and empties what it has stored and been granted, as when it was new. The error wraps ErrNoPackage.
func (p *Phone) ClearData(pkg string) (err error) {
	p.do(func() {
		if p.sys.Find(pkg) == nil {
			err = fmt.Errorf("clearing %s: %w", pkg, ErrNoPackage)
			return
		}
		p.end(pkg)
		data := p.sys.Data
		switch pkg {
		case "com.android.deskclock":
			data.Alarms = nil
		case "com.android.messaging":
			data.Threads = nil
		case "com.taploop.sandbox.notes":
			data.Notes = nil
		case "com.taploop.sandbox.shop":
			data.Shop = apps.Shop{WalletPIN: data.Shop.WalletPIN} // the wallet is not the app's
		}
		for permission := range data.Granted {
			if strings.HasPrefix(permission, pkg+" ") {
				delete(data.Granted, permission)
			}
		}
	})
	return err
}
