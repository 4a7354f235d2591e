package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func (h hostility) mediaTypes(t *testing.T) []attack {
	var all []attack
	for _, to := range h.takers(t, h.ada, h.event) {
		for _, header := range []string{
			"Content-Type: text/plain", "Content-Type: text/html; charset=utf-7", "Content-Type: application/xml",
			"Content-Type: application/x-www-form-urlencoded",
			"Content-Type: multipart/form-data", "Content-Type: multipart/form-data; boundary=" + strings.Repeat("x", 1000),
			"Content-Type: application/octet-stream",
			"Content-Type: ;;;", "Content-Type: /", "Content-Type: application/", "Content-Type: application/json/xml", "Content-Type: \xff",
			"Content-Type: application/json\r\nContent-Encoding: gzip", "Content-Type: application/json\r\nContent-Encoding: br, gzip",
			"Content-Type: application/json\r\nContent-Encoding: x",
		} {
			name := fmt.Sprintf("type %s %s %q", to.method, to.path, header[:min(len(header), 90)])
			all = append(all, attack{name: name, method: to.method, raw: h.asAda(to.method, to.path, zipped(t), header)})
		}
	}
	return all
}

// framing is bodies whose ends are not where they should be.
func (h hostility) framing() []attack {
	chunked := func(name, chunks string, isCutOff bool) attack {
		raw := h.asAda("POST", simpleInfo, "", jsonType, "Transfer-Encoding: chunked") + chunks
		return attack{name: "framing " + name, method: "POST", raw: raw, isCutOff: isCutOff}
	}
	return []attack{
		chunked("no chunk length", "zz\r\n{}\r\n0\r\n\r\n", false),
		chunked("a negative chunk", "-1\r\n{}\r\n0\r\n\r\n", false),
		chunked("a chunk without end", "ffffffffffffffff\r\n{}", true),
		chunked("a chunk longer than said", "1\r\n{\"uid\": []}\r\n0\r\n\r\n", false),
		chunked("a chunk shorter than said", "ff\r\n{\"uid\": []}", true),
		chunked("no last chunk", "b\r\n{\"uid\": []}\r\n", true),
		chunked("a long extension", "2;"+strings.Repeat("x", 10_000)+"\r\n{}\r\n0\r\n\r\n", false),
		chunked("nothing at all", "0\r\n\r\n", false),
		{name: "framing a body cut off", method: "POST", isCutOff: true, raw: h.asAda("POST", simpleInfo, "", jsonType, "Content-Length: 100") + `{"uid": [1]`},
		{name: "framing no body at all", method: "POST", isCutOff: true, raw: h.asAda("POST", simpleInfo, "", jsonType, "Content-Length: 100")},
		{name: "framing a length and chunks", method: "POST",
			raw: h.asAda("POST", simpleInfo, "", jsonType, "Content-Length: 11", "Transfer-Encoding: chunked") + "2\r\n{}\r\n0\r\n\r\n"},
		{name: "framing a body that waits to be asked for", method: "POST", isCutOff: true,
			raw: h.asAda("POST", simpleInfo, "", jsonType, "Expect: 100-continue", fmt.Sprintf("Content-Length: %d", 1<<40))},
	}
}

func (h hostility) paths() []attack {
	var all []attack
	add := func(method, target string) {
		name := fmt.Sprintf("path %s %s", method, target[:min(len(target), 80)])
		all = append(all, attack{name: name, method: method, raw: h.asAda(method, target, "")})
	}
	for _, target := range []string{
		"/", "//", "/.", "/..", "/api", "/api/", "/api/user/", "/api/../api/user/profile/", "/api/user/./profile/", "/api/user/..;/profile/",
		"/../../../etc/passwd",
		"/api/user/profile/..%2f..%2f..%2fetc%2fpasswd", "/api/user/%2e%2e/user/profile/", "/%2e%2e%2f%2e%2e%2fetc/passwd", "/api/user//profile/",
		"//api/user/profile/",
		"///evil.example/..", "/api/user/profile//", "/API/USER/PROFILE/", "/api/user/profile/%00", "/api/user/profile%00/",
		"/api/user%2Fprofile%2F", "/api\\user\\profile\\",
		"/api/user/profile/index.html", "/api/user/profile.json", "/api/user/profile;x=1/", "/api/xfile/event/1/2/", "/api/xfile/event/1%2F",
		"/api/xfile/event/1/view-list/x/",
		"/media/portrait/", "/media/portrait/..", "/media/portrait/..%2f..%2fgo.mod", "/media/portrait/0-md.png", "/media/portrait/-1-md.png",
		"/media/portrait/1-xl.png",
		"/media/portrait/1-md.PNG", "/media/portrait/01-md.png", "/media/portrait/9223372036854775808-md.png", "/media/portrait/1-md.png%00.jpg",
		"/media/", "/.git/config",
		"/debug/pprof/", "/metrics", "/livez", "/readyz", "/openapi.json", "/api/openapi.yaml", "/favicon.ico/", "/\u00e9/", "/%ff%fe/",
		"/" + strings.Repeat("x", 20_000), "/" + strings.Repeat("a/", 10_000), "/api/xfile/event/" + strings.Repeat("9", 20_000) + "/",
		"/api/user/profile/" + strings.Repeat("/", 5000),
		"/" + strings.Repeat("%2e%2e%2f", 2000), "/api/xfile/event/?ordering=" + strings.Repeat("event_time,", 1500) + "x", "*",
		"/api/xfile/event/?ordering=event_time;drop", "/api/xfile/event/?ordering=%00", "/api/xfile/event/?ordering=-",
		"/api/xfile/event/?ordering=--event_time",
		"/api/subscription/user-subscription/?entity_type=150", "/api/subscription/user-subscription/?entity_type=%FF",
		"/api/subscription/user-subscription/?subscription_type=%00",
		"/api/activity/comment/", "/api/activity/comment/?event=0", "/api/activity/comment/?event=-1",
		"/api/activity/comment/?event=9223372036854775808", "/api/activity/comment/?event[]=1",
		"/api/activity/comment/?event=%00", "/api/activity/comment/?event=1%20OR%201=1", "http://evil.example/api/user/profile",
	} {
		add("GET", target)
	}
	for _, id := range []string{
		"0", "-1", "9223372036854775807", "9223372036854775808", "abc", "%00", "1%00", "%20", "1.0", "1e0", "0x1", "%D9%A1", "1%2F2", "..",
		"%2e%2e", "null", "undefined", "NaN",
		"%3Cscript%3E", "1%27%20OR%201=1", strings.Repeat("9", 10_000),
	} {
		for _, method := range []string{"GET", "PATCH", "DELETE", "HEAD"} {
			add(method, events+id+"/")
		}
		add("GET", events+id+"/view-list/")
		add("DELETE", comments+id+"/")
		add("DELETE", subscriptions+id+"/")
		add("PUT", "/api/activity/like/"+id+"/")
		add("DELETE", "/api/activity/like/"+id+"/")
	}
	return all
}

func (h hostility) methods() []attack {
	var all []attack
	for _, target := range []string{login, logout, simpleInfo, profile, events, "/nowhere/", "*"} {
		for _, method := range []string{"OPTIONS", "TRACE", "CONNECT", "PROPFIND", "PURGE", "FOO", "post", "Get", "HEADER",
			strings.Repeat("X", 5000), "M-SEARCH", "!#$%&'*+"} {
			if method == "CONNECT" && target == "*" {
				continue // that is no HTTP
			}
			name := fmt.Sprintf("method %s %s", method[:min(len(method), 20)], target)
			all = append(all, attack{name: name, method: method, raw: h.asAda(method, target, "")})
		}
	}
	return append(all, attack{name: "method CONNECT elsewhere", method: "CONNECT", raw: h.asAda("CONNECT", "evil.example:443", "")})
}

func (h hostility) authorizations() []attack {
	var all []attack
	for _, value := range []string{
		"", "Token", "Token ", "token", "Token x", "Token  ", "Token \t", "Token " + h.ada.key + "x", "Token " + h.ada.key + " x", "Token " +
			h.ada.key + "," + h.ada.key,
		"Token " + h.ada.key[:10], "Token plz_", "Token plz_" + strings.Repeat("A", 43), "Token plz_" + strings.Repeat("é", 20), "Token " +
			strings.Repeat("x", 25_000),
		"Token \xff\xfe", "Token ../../etc/passwd", "Token ' OR 1=1--", "Token null", "Token " + strings.ToLower(h.ada.key), "Bearer " +
			h.ada.key + "x", "Basic Og==", "Basic",
		"Digest username=\"x\"", "Negotiate x", ",", "\"", "Token=" + h.ada.key, "Token:" + h.ada.key, h.ada.key, "Token\u00a0" + h.ada.key,
		strings.Repeat("Token ", 4000),
	} {
		shown := strings.ReplaceAll(value, h.ada.key, "KEY")
		name := fmt.Sprintf("authorization %q", shown[:min(len(shown), 60)])
		all = append(all, attack{name: name, method: "GET", raw: request("GET", profile, []string{"Authorization: " + value}, "")})
	}
	return append(all, attack{name: "authorization a bad one first", method: "GET",
		raw: request("GET", profile, []string{"Authorization: Token x", "Authorization: Token " + h.ada.key}, "")})
}

// headers are added to a request that is refused anyway, for want of a key.
func (h hostility) headers() []attack {
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("X-Many-%d: x", i))
	}
	var all []attack
	for name, headers := range map[string][]string{
		"many": many, "the same many times": slices.Repeat([]string{"X-Same: x"}, 500), "a long one": {"X-Long: " + strings.Repeat("x", 25_000)},
		"an odd request id": {"X-Request-ID: \"><script>"}, "two request ids": {"X-Request-ID: a b", "X-Request-ID: \xff"},
		"a prefix": {"X-Forwarded-Prefix: //evil.example"}, "an address": {"X-Forwarded-For: ' OR 1=1, ::1, 999.999.999.999"},
		"many addresses": {"X-Forwarded-For: " + strings.Repeat("1.1.1.1,", 3000)},
		"another host":   {"X-Forwarded-Host: evil.example", "X-HTTP-Method-Override: DELETE"}, "no such range": {"Range: bytes=9-1,-,x"},
		"an odd tag":       {"If-None-Match: " + strings.Repeat("\"x\",", 5000)},
		"no such language": {"x-language-locale: " + strings.Repeat("zh-", 5000)},
		"nothing accepted": {"Accept: x/y;q=NaN", "Accept-Encoding: ;;;"}, "cookies": {"Cookie: " + strings.Repeat("a=b;", 5000)},
		"an upgrade": {"Connection: Upgrade", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"}, "an empty name's value": {"X-Empty:"},
	} {
		for _, target := range []string{profile, "/api/user/profile", "/nowhere/"} {
			all = append(all, attack{name: "header " + name + " " + target, method: "GET", raw: request("GET", target, headers, "")})
		}
	}
	return all
}
