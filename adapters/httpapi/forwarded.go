package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
)

// untrustedForwarder returns the address of a peer that sends X-Forwarded-For and is not
// among the trusted proxies. It is zero for any other request.
func untrustedForwarder(r *http.Request, trusted []netip.Prefix) netip.Addr {
	if r.Header.Get("X-Forwarded-For") == "" {
		return netip.Addr{}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	addr := peer.Addr().Unmap()
	if err != nil || slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return netip.Addr{}
	}
	return addr
}

// carrierNetwork has the addresses of RFC 6598, which load balancers of some clouds use.
var carrierNetwork = netip.MustParsePrefix("100.64.0.0/10")

// isInternal reports whether the address can't be reached over the internet. A peer with
// such an address that sends X-Forwarded-For is most likely a proxy.
func isInternal(addr netip.Addr) bool {
	return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || carrierNetwork.Contains(addr)
}
