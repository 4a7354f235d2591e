package bootstrap

import (
	"context"
	"net"

	"plaza/bootstrap/demo"
)

// isReachable reports whether other machines may reach the address. Tests, which listen on
// this machine only, put another function in its place.
var isReachable = func(addr net.Addr) bool {
	tcp, isTCP := addr.(*net.TCPAddr)
	return !isTCP || !tcp.IP.IsLoopback()
}

// warnOfExposure logs what is wrong with the settings and the data of a server that other
// machines may reach.
func (a *App) warnOfExposure(ctx context.Context, hasPublicURL, withDemo bool) {
	if !hasPublicURL {
		a.Log.WarnContext(ctx, "PLAZA_PUBLIC_URL is not set: links to pictures lead to an address that clients may not reach",
			"address", a.Config.PublicURL)
	}
	if withDemo {
		return
	}
	open, err := demo.WithPassword(ctx, a.Stores.Accounts, a.Stores.Directory)
	switch {
	case err != nil:
		a.Log.WarnContext(ctx, "could not look for accounts of the demo data", "error", err)
	case len(open) > 0:
		a.Log.WarnContext(ctx, "accounts of the demo data have the password that stands in its source: "+
			"run plaza demo --remove, or give each another password with plaza user passwd", "uids", open)
	}
}
