package bootstrap

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"plaza/application/telemetry"
	"plaza/bootstrap/demo"
	"plaza/bootstrap/settings"
)

// isReachable reports whether other machines may reach the address. Tests replace it, because
// they listen on loopback only.
var isReachable = func(addr net.Addr) bool {
	tcp, isTCP := addr.(*net.TCPAddr)
	return !isTCP || !tcp.IP.IsLoopback()
}

// isPublished reports whether the settings lead other machines to the server: by a public address, or through
// proxies. The server may listen on loopback all the same.
func isPublished(c settings.Config) bool {
	u, err := url.Parse(c.PublicURL)
	if err != nil || len(c.TrustedProxies) > 0 {
		return true
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() != "localhost" && (err != nil || !addr.IsLoopback())
}

// warnOfRisks logs what is unsafe about the settings and the data of a server that starts.
func (a *App) warnOfRisks(ctx context.Context, l *Listeners, hasPublicURL, withDemo bool) {
	c, isPublished := a.Config, isPublished(a.Config)
	isExposed := isPublished || isReachable(l.public.Addr())
	for _, risk := range []struct {
		is    bool
		text  string
		attrs []any
	}{
		{c.Limits == settings.LimitsOff,
			"limits on writes of accounts and on requests without a token are off: PLAZA_LIMITS=off is for load tests", nil},
		{c.KeepsMessages() && isExposed && !withDemo, "codes are not sent to anybody, and everybody who reaches the sandbox can use them: " +
			"PLAZA_SMS=sandbox is for the demo and for tests", []any{"sandbox", c.SMSURL}},
		{isReachable(l.admin.Addr()), "other machines may reach PLAZA_ADMIN_ADDR, which speaks plain HTTP: " +
			"metrics and passwords of staff need a private network", []any{"address", l.admin.Addr().String()}},
		{c.BackOffice == settings.BackOfficePublic && isExposed && strings.HasPrefix(c.PublicURL, "http:"),
			"PLAZA_BACK_OFFICE=public without https in PLAZA_PUBLIC_URL: passwords of staff cross the network in the clear", nil},
		{c.SecondFactor == settings.SecondFactorOff && (isExposed || isReachable(l.admin.Addr())),
			"a password alone opens the back office to other machines: PLAZA_STAFF_SECOND_FACTOR=off is for the demo and for tests", nil},
		{isExposed && !hasPublicURL, "PLAZA_PUBLIC_URL is not set; clients may not reach the address in links to pictures",
			[]any{"address", c.PublicURL}},
	} {
		if risk.is {
			a.Log.WarnContext(ctx, risk.text, risk.attrs...)
		}
	}
	a.tellOfJoining(ctx)
	a.warnOfFormerWallet(ctx)
	if isPublished || !withDemo {
		a.warnOfDemo(ctx)
	}
}

// tellOfJoining logs why no stranger can join.
func (a *App) tellOfJoining(ctx context.Context) {
	switch {
	case a.Config.SMS == settings.NoSender:
		a.Log.InfoContext(ctx, "people can't join or reset a password: PLAZA_SMS names no sender of codes")
	case a.Config.SignUp == settings.SignUpClosed:
		a.Log.InfoContext(ctx, "people can't join: PLAZA_SIGN_UP=closed")
	}
}

// warnOfFormerWallet logs that the wallet of the oldest open prepayment is not asked about it any more.
func (a *App) warnOfFormerWallet(ctx context.Context) {
	sample, err := a.Stores.Telemetry.Sample(ctx, telemetry.Query{})
	if err != nil {
		a.Log.WarnContext(ctx, "looking for open prepayments failed", "error", err)
		return
	}
	if _, err := a.gateways.By(sample.OldestProtocol); sample.OldestProtocol != "" && err != nil {
		a.Log.WarnContext(ctx, "prepayments are open at a wallet that PLAZA_WALLET does not name any more, so nobody learns that they are paid: "+
			"go back to it until they have ended, or from wechatpay to wechatpayv3 set PLAZA_WALLET_V2_KEY",
			"protocol", sample.OldestProtocol, "oldest", sample.OldestPrepayment)
	}
}

// warnOfDemo logs which demo accounts are open, on loopback as well: a proxy may lead there that no setting names.
func (a *App) warnOfDemo(ctx context.Context) {
	open, err := demo.WithPassword(ctx, a.Stores.Accounts, a.Stores.Directory, a.hasher)
	switch {
	case err != nil:
		a.Log.WarnContext(ctx, "looking for demo accounts failed", "error", err)
	case len(open) > 0:
		a.Log.WarnContext(ctx, "demo accounts have their public password: "+
			"run plaza demo --remove, or set other passwords with plaza user passwd", "uids", open)
	}
}
