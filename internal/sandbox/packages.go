package sandbox

import (
	"fmt"
	"maps"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// Install installs a package without a screen, or again one that is there.
func (stack *Apps) Install(pkg string) {
	stack.do(func() {
		if stack.sys.Find(pkg) == nil {
			stack.sys.Apps = append(stack.sys.Apps[:len(stack.sys.Apps):len(stack.sys.Apps)],
				&apps.App{Package: pkg, EN: pkg, ZH: pkg})
		}
	})
}

// Clear ends an app and puts what it stores back as on a new phone. What it was granted is taken
// away.
func (stack *Apps) Clear(pkg string) error {
	return ask(stack.core, func() error {
		if stack.sys.Find(pkg) == nil {
			return fmt.Errorf("clearing %s: it is not installed", pkg)
		}
		stack.end(pkg)
		data, fresh := stack.sys.Data, apps.Seed(stack.sys.Now(), stack.sys.Lang)
		switch {
		case strings.HasSuffix(pkg, ".shop"):
			data.Shop = fresh.Shop
		case strings.HasSuffix(pkg, ".notes"):
			data.Notes = fresh.Notes
		case strings.HasSuffix(pkg, "clock"):
			data.Alarms = fresh.Alarms
		case strings.HasSuffix(pkg, ".messaging"):
			data.Threads = fresh.Threads
		}
		maps.DeleteFunc(data.Granted, func(key string, _ bool) bool {
			return strings.HasPrefix(key, pkg+" ")
		})
		return nil
	})
}

// Grant gives an app a permission, or takes it away. A permission of Android is named without its
// prefix.
func (stack *Apps) Grant(pkg, permission string, given bool) error {
	return ask(stack.core, func() error {
		if stack.sys.Find(pkg) == nil {
			return fmt.Errorf("granting to %s: it is not installed", pkg)
		}
		name := strings.TrimPrefix(permission, "android.permission.")
		stack.sys.Data.Granted[pkg+" "+name] = given
		return nil
	})
}
