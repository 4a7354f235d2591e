package transport

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddr returns the caller's address: the peer's, or, if the peer is a trusted proxy,
// the last address of X-Forwarded-For that is not one (AUT-11). If all are, it returns the
// first. A header that names something else before that counts as none, and isReadable is false. The address is zero
// when the peer has none, as on a Unix socket.
func clientAddr(r *http.Request, trusted []netip.Prefix) (client netip.Addr, isReadable bool) {
	peer := peerOf(r)
	if !isAmong(trusted, peer) {
		return peer, true
	}
	rest, client := strings.Join(r.Header["X-Forwarded-For"], ","), peer
	for comma := len(rest); comma >= 0; {
		rest = rest[:comma]
		comma = strings.LastIndexByte(rest, ',')
		text := strings.TrimSpace(rest[comma+1:])
		if text == "" {
			continue
		}
		addr, err := forwardedAddr(text)
		switch {
		case err != nil || addr.Zone() != "":
			return peer, false
		case !isAmong(trusted, addr.Unmap()):
			return addr.Unmap(), true
		}
		client = addr.Unmap()
	}
	return client, true
}

// forwardedAddr reads an address that may have quotes, brackets and a port, as some proxies write it.
func forwardedAddr(text string) (netip.Addr, error) {
	text = strings.Trim(text, `"`)
	for _, port := range []string{"", ":0"} { // an address of IPv6 in brackets needs one
		if withPort, err := netip.ParseAddrPort(text + port); err == nil {
			return withPort.Addr(), nil
		}
	}
	return netip.ParseAddr(text)
}

// peerOf returns the address of the request's peer. It is zero when the peer has none.
func peerOf(r *http.Request) netip.Addr {
	peer, _ := netip.ParseAddrPort(r.RemoteAddr)
	return peer.Addr().Unmap().WithZone("")
}

func isAmong(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// untrustedForwarder returns the address of a peer that sends X-Forwarded-For and is not
// among the trusted proxies. It is zero for any other request.
func untrustedForwarder(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer := peerOf(r)
	if r.Header.Get("X-Forwarded-For") == "" || isAmong(trusted, peer) {
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
