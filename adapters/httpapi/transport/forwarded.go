package transport

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddr returns the caller's address: the peer's, or, if the peer is a trusted proxy,
// the last address of X-Forwarded-For that is not one (AUT-11). If all are, it returns the
// first. A header that names something else before that counts as none. The address is zero
// when the peer has none, as on a Unix socket.
func clientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer, ok := peerOf(r)
	if !ok || !isAmong(trusted, peer) {
		return peer
	}
	rest := strings.Join(r.Header["X-Forwarded-For"], ",")
	for {
		comma := strings.LastIndexByte(rest, ',')
		addr, err := netip.ParseAddr(strings.TrimSpace(rest[comma+1:]))
		if err != nil || addr.Zone() != "" {
			return peer
		}
		if addr = addr.Unmap(); comma < 0 || !isAmong(trusted, addr) {
			return addr
		}
		rest = rest[:comma]
	}
}

// peerOf returns the address of the request's peer.
func peerOf(r *http.Request) (addr netip.Addr, ok bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, false
	}
	return peer.Addr().Unmap().WithZone(""), true
}

func isAmong(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// untrustedForwarder returns the address of a peer that sends X-Forwarded-For and is not
// among the trusted proxies. It is zero for any other request.
func untrustedForwarder(r *http.Request, trusted []netip.Prefix) netip.Addr {
	if HeaderOf(r.Header, "X-Forwarded-For") == "" {
		return netip.Addr{}
	}
	peer, ok := peerOf(r)
	if !ok || isAmong(trusted, peer) {
		return netip.Addr{}
	}
	return peer
}

// carrierNetwork has the addresses of RFC 6598, which load balancers of some clouds use.
var carrierNetwork = netip.MustParsePrefix("100.64.0.0/10")

// isInternal reports whether the address can't be reached over the internet. A peer with
// such an address that sends X-Forwarded-For is most likely a proxy.
func isInternal(addr netip.Addr) bool {
	return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() || carrierNetwork.Contains(addr)
}
