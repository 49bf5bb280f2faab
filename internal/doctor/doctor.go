// Package doctor finds out what keeps a set-up from working. Run looks at the ADB server and each
// phone, the model, the data folder, the clock, the server's address and the settings of MCP
// clients, all at the same time and each within a limit, and says of each what it found and how to
// mend it. A Report can be written as a page that shows no one's keys, names or places.
package doctor

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Options are the parts to look at. Parts that are nil or empty are left out.
type Options struct {
	Lang    string // of the findings, "" means the default one
	ADB     *ADB
	Model   *Model
	Data    *Data
	HTTP    *HTTP
	Clients *Clients
	// Broken is why the configuration cannot be read, or nil
	Broken error
	Now    func() time.Time // nil means time.Now
	Within time.Duration    // how long all takes at most, 0 means just under ten seconds
}

// Run looks at everything and returns within o.Within.
func Run(ctx context.Context, o Options) Report {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(o.Within, 9500*time.Millisecond))
	defer cancel()
	if o.Now == nil {
		o.Now = time.Now
	}
	var server, asked, data, served, settings ledger
	var seen, urls []string
	clock := watch{now: o.Now}
	var wg sync.WaitGroup
	begin := func(there bool, check func()) {
		if there {
			wg.Go(check)
		}
	}
	begin(o.ADB != nil, func() { seen = o.ADB.check(ctx, &server, &clock) })
	begin(o.Model != nil, func() { o.Model.check(ctx, &asked) })
	begin(o.Model != nil, func() { clock.ask(ctx, o.Model.BaseURL) })
	begin(o.Data != nil, func() { o.Data.check(ctx, &data) })
	begin(o.HTTP != nil, func() { o.HTTP.check(&served) })
	begin(o.Clients != nil, func() { urls = o.Clients.check(ctx, &settings) })
	wg.Wait()
	// so are the tokens in it
	if len(data) > 0 && !data.has("data.ready") && !data.has("data.scarce") {
		served = slices.DeleteFunc(served, func(f found) bool { return f.id == "http.tokens" })
	}
	if served.has("http.taken") { // a client of that address is answered by the wrong one
		settings = slices.DeleteFunc(settings,
			func(f found) bool { return f.id == "client.address" })
	}
	var all ledger
	if o.Broken != nil {
		all.add("config.broken", "config", "why", o.Broken.Error())
	}
	clock.check(&data)
	all = slices.Concat(all, server, asked, data, served, settings)
	r := all.report(o.Lang)
	r.Phones, r.Clients = seen, urls
	return r
}
