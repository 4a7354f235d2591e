package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/secret"
)

// spoofRows show that headers and other places count for no more than the interface says.
var spoofRows = []row{
	{"AUT-05 a key counts in its header alone", keysElsewhere, oneStore},
	{"AUT-10 a disabled account opens nothing and its keys open again with it", disabledAndEnabled, everyStore},
	{"AUT-11 no header makes another address", spoofedAddresses, oneStore},
	{"AUT-11 no way of writing a phone makes another username", writtenOtherwise, oneStore},
	{"GEN-07 a method is not overridden", overriddenMethods, oneStore},
	{"GEN-09 the host and the path that a header names count for nothing", otherHosts, oneStore},
}

func keysElsewhere(t *testing.T, s *server) {
	ada := s.member(t)
	for _, name := range []string{"token", "key", "access_token", "api_key", "auth", "Authorization", "authorization", "HTTP_AUTHORIZATION"} {
		s.anyone().get(t, profile+"?"+name+"="+ada.key).fails(401, "NOT_AUTHENTICATED")
		s.anyone().get(t, profile+"?"+name+"=Token%20"+ada.key).fails(401, "NOT_AUTHENTICATED")
		s.anyone().saying("Cookie", name+"="+ada.key+"; sessionid="+ada.key).get(t, profile).fails(401, "NOT_AUTHENTICATED")
		s.anyone().post(t, events, object{name: ada.key, "title": "x"}).fails(401, "NOT_AUTHENTICATED")
	}
	for _, name := range []string{"X-Auth-Token", "X-Api-Key", "X-Token", "Proxy-Authorization", "X-Authorization", "Authentication", "Token",
		"X-Forwarded-Authorization", "X-User-ID", "X-Remote-User", "Remote-User", "X-Forwarded-User"} {
		for _, value := range []string{ada.key, "Token " + ada.key, fmt.Sprint(ada.id)} {
			s.anyone().saying(name, value).get(t, profile).fails(401, "NOT_AUTHENTICATED")
		}
	}
	// of several the first counts
	for _, first := range []string{"Authorization: Token x", "Authorization: Basic x", "Authorization:", "authorization: token"} {
		a := s.dial(t).say(request("GET", profile, []string{first, "Authorization: Token " + ada.key}, "")).answer("GET")
		assert.Equal(t, 401, a.status, first)
	}
	assert.Empty(t, ada.get(t, events).is(200).list("data"))
}

func disabledAndEnabled(t *testing.T, s *server) {
	ada, staff := s.member(t), s.staff(t)
	ada.writes(t, object{"title": "x"})
	full, narrow := s.with(s.anyone().gets(t, ada)), s.with(s.anyone().gets(t, ada, "xfile_event"))
	opens := func(c *client, may bool) {
		for _, path := range []string{profile, events, subscriptions, categories, reference, imagesOf(ada)} {
			if a := c.get(t, path); may {
				a.is(200)
			} else {
				a.fails(401, "AUTHENTICATION_FAILED")
			}
		}
	}
	for range 2 {
		require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, true))
		for _, c := range []*client{ada.client, full, narrow} {
			opens(c, false)
			c.post(t, logout, nil).fails(401, "AUTHENTICATION_FAILED")
			c.changesPassword(t, password, newPassword).fails(401, "AUTHENTICATION_FAILED")
		}
		s.anyone().logsIn(t, ada.phone, password).invalid("non_field_errors")
		opens(staff.client, true)
		require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, false))
		for _, c := range []*client{ada.client, full, narrow} {
			opens(c, true)
		}
	}
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, true))
	require.NoError(t, s.app.Signin.SetPassword(t.Context(), ada.id, secret.New(newPassword)))
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, false))
	for _, c := range []*client{ada.client, full, narrow} {
		opens(c, false) // another password ends them for good
	}
	s.anyone().logsIn(t, ada.phone, newPassword).is(200)
}

func spoofedAddresses(t *testing.T, s *server) {
	names := []string{
		"X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP", "X-Cluster-Client-IP",
		"Fastly-Client-IP", "X-Originating-IP", "X-Remote-Addr", "X-Remote-IP", "X-Appengine-Remote-Addr", "Fly-Client-IP", "Client-IP", "Via",
		"X-Forwarded",
	}
	ada, bob := s.member(t), s.member(t)
	s.anyone().failsTimes(t, 5, ada.phone)
	for i, name := range names {
		for _, value := range []string{"192.0.2.%d", "for=192.0.2.%d", "127.0.0.1, 192.0.2.%d", "127.0.0.%d", "::%d"} {
			s.anyone().saying(name, fmt.Sprintf(value, i+1)).logsIn(t, ada.phone, password).throttled()
		}
	}
	s.anyone().gets(t, bob)

	trusting := s.on.behindProxy(t) // the proxy's header counts, and no other
	ada = trusting.member(t)
	trusting.from("192.0.2.1").failsTimes(t, 5, ada.phone)
	for i, name := range names[1:] {
		trusting.from("192.0.2.1").saying(name, fmt.Sprintf("198.51.100.%d", i)).logsIn(t, ada.phone, password).throttled()
	}
	for _, said := range []string{"198.51.100.7, 192.0.2.1", "198.51.100.7,192.0.2.1, 10.9.9.9", " 192.0.2.1 ", "x, 192.0.2.1",
		"::ffff:192.0.2.1"} {
		trusting.from(said).logsIn(t, ada.phone, password).throttled()
	}
	raw := request("POST", login, []string{"X-Forwarded-For: 198.51.100.8", "X-Forwarded-For: 192.0.2.1", jsonType}, fmt.Sprintf(`{"username": %q, "password": %q}`, ada.phone, password))
	trusting.dial(t).say(raw).answer("POST").throttled() // the header that the proxy added comes last
}

func writtenOtherwise(t *testing.T, s *server) {
	ada := s.member(t)
	for _, written := range []string{" " + ada.phone, ada.phone + "\n", "\u00a0" + ada.phone + "\u3000", "\t" + ada.phone, "\u2003" +
		ada.phone} {
		s.anyone().wrongly(t, written).invalid("non_field_errors")
	}
	for _, written := range []string{ada.phone, " " + ada.phone + " ", "\u2009" + ada.phone} {
		s.anyone().logsIn(t, written, password).throttled()
	}
	for _, other := range []string{strings.Replace(ada.phone, "-", "-0", 1) + "0000000", strings.Replace(ada.phone, "+", "+0", 1),
		strings.Replace(ada.phone, "-", "", 1), "00" + ada.phone[1:], ada.phone + "\u200b", strings.Replace(ada.phone, "1", "１", 1)} {
		s.anyone().logsIn(t, other, password).invalid("username")
	}
}

func overriddenMethods(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	for _, name := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-Method"} {
		for _, method := range []string{"DELETE", "delete", "PATCH"} {
			ada.saying(name, method).get(t, eventPath(id)).is(200)
			ada.saying(name, method).post(t, eventPath(id), object{"title": "y", "_method": method}).fails(405, "METHOD_NOT_ALLOWED")
			ada.saying(name, method).get(t, eventPath(id)+"?_method="+method+"&method="+method).is(200)
			ada.saying(name, method).sendsTo(t, "POST", eventPath(id), form{texts: [][2]string{{"_method", method}}}).fails(405,
				"METHOD_NOT_ALLOWED")
		}
	}
	ada.reads(t, id).shows(object{"title": "x"})
}

func otherHosts(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	ada.attaches(t, id)
	ada.keeps(t)
	const evil = "evil.example"
	for _, path := range []string{
		profile, eventPath(id), imagesOf(ada), events, "/api/user/profile", "/nowhere/", reference, "/media/private/x?expires=1&signature=x",
		itemsOf("uncategory"), events + "?page=0", "http://" + evil + "/api/user/profile", "http://" + evil + profile,
	} {
		for _, more := range [][]string{
			nil, {"X-Forwarded-Host: " + evil}, {"X-Forwarded-Host: " + evil, "X-Forwarded-Proto: https", "X-Forwarded-Port: 1"},
			{"Forwarded: host=" + evil + ";proto=https"}, {"X-Host: " + evil}, {"X-Forwarded-Server: " + evil},
			{"X-Forwarded-Prefix: //" + evil}, {"Referer: https://" + evil + "/"}, {"Origin: https://" + evil},
		} {
			raw := request("GET", path, append([]string{"Authorization: Token " + ada.key}, more...), "")
			raw = strings.Replace(raw, "Host: plaza.example", "Host: "+evil, 1)
			a := s.dial(t).say(raw).answer("GET")
			assert.Less(t, a.status, 500)
			assert.NotContains(t, string(a.body), evil, "%s %v", path, more)
			for name, values := range a.header {
				assert.NotContains(t, strings.Join(values, " "), evil, "%s: %s %v", name, path, more)
			}
		}
	}
	for _, name := range []string{"X-Original-URL", "X-Rewrite-URL", "X-Original-URI", "X-Forwarded-URI", "X-Override-URL"} {
		a := ada.saying(name, profile).get(t, "/nowhere/")
		assert.Equal(t, 404, a.status, name)
		a = s.anyone().saying(name, reference).get(t, profile)
		assert.Equal(t, 401, a.status, name)
	}
}
