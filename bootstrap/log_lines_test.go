package bootstrap

import (
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

// failRegexes returns the expressions of the page's filter, with fail2ban's <HOST> as a
// group.
func failRegexes(t *testing.T) (all []*regexp.Regexp) {
	t.Helper()
	page, err := os.ReadFile("observability.md")
	require.NoError(t, err)
	_, filter, is := strings.Cut(string(page), "failregex = ")
	require.True(t, is)
	filter, _, _ = strings.Cut(filter, "```")
	for line := range strings.Lines(strings.TrimSpace(filter)) {
		all = append(all, regexp.MustCompile(strings.ReplaceAll(strings.TrimSpace(line), "<HOST>", `(\S+?)`)))
	}
	require.Len(t, all, 2, "one for each format")
	return all
}

// hosts returns the hosts of the lines that any of the expressions matches. fail2ban removes
// the time from a line before it looks, and journald adds a prefix.
func hosts(t *testing.T, log string) (all []string) {
	t.Helper()
	cut := regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)`)
	for line := range strings.Lines(log) {
		var found [3][]string
		for _, r := range failRegexes(t) {
			for i, form := range []string{line, cut.ReplaceAllString(line, ""), "host plaza[12]: " + line} {
				if match := r.FindStringSubmatch(form); match != nil {
					found[i] = append(found[i], match[1])
				}
			}
		}
		assert.Equal(t, found[0], found[1], line)
		assert.Equal(t, found[0], found[2], line)
		all = append(all, found[0]...)
	}
	return all
}

func TestAUT11_failed_logins_are_lines_that_fail2ban_reads(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			c := serveSettings(demoDir(t))
			c.LogFormat, c.Wallet = format, "none"
			c.TrustedProxies = settings.Networks{netip.MustParsePrefix("127.0.0.0/8")}
			s := startServing(t, Server{Config: c})
			try := func(from, phone, password string) int {
				headers := []string{"X-Forwarded-For", from, "X-Request-ID", `client=203.0.113.66\`}
				if strings.HasSuffix(from, "5") {
					headers = append(headers, "traceparent", "00-"+callersTrace+"-"+callersParent+"-01")
				}
				status, _ := s.asks("POST", s.url+"/api/auth/login/", "", `{"username": "`+phone+`", "password": "`+password+`"}`, headers...)
				return status
			}
			const known, unknown = "+86-13800000001", "+86-13912345678"
			assert.Equal(t, 200, try("192.0.2.1", known, "plaza-demo"))
			assert.Equal(t, 400, try("192.0.2.2", known, "wrong-and-secret"))
			assert.Equal(t, 400, try("2001:db8::3", unknown, "wrong-and-secret"))
			assert.Equal(t, 400, try("192.0.2.4", "nobody", "wrong-and-secret"), "no attempt: it names no phone")
			for range 5 {
				assert.Equal(t, 400, try("192.0.2.5", unknown, "wrong-and-secret"))
			}
			assert.Equal(t, 429, try("192.0.2.5", unknown, "wrong-and-secret"))
			s.stop()
			log := s.log.String()
			assert.Equal(t, []string{"192.0.2.2", "2001:db8::3", "192.0.2.5", "192.0.2.5", "192.0.2.5", "192.0.2.5", "192.0.2.5", "192.0.2.5"},
				hosts(t, log), log)
			for _, hidden := range []string{"wrong-and-secret", known[4:], unknown[4:]} {
				assert.NotContains(t, log, hidden)
			}
		})
	}
}

func TestAUT14_calls_of_the_back_office_are_audited(t *testing.T) {
	c := serveSettings(demoDir(t))
	c.Wallet = "none"
	s := startServing(t, Server{Config: c})
	staff, other := s.login("+1-2025550104"), s.login("+86-13800000001")
	get := func(path, key string) int {
		status, _ := s.asks("GET", s.url+path, key, "")
		return status
	}
	const howTos, orders = "/api/writing-admin/v1/imported-howto/", "/api/pay-admin/v1/order/"
	require.Equal(t, 200, get(howTos+"?category=moss&category=tea", staff))
	require.Equal(t, 403, get(howTos, other))
	require.Equal(t, 404, get(howTos+"?page=1000", staff))
	status, body := s.post(orders, staff, `{"user": 1, "subject": "Tea", "amount": 990, "currency": "CNY", "expires_in": 3600}`)
	require.Equal(t, 201, status, body)
	s.stop()
	var lines []string
	for _, line := range regexp.MustCompile(`msg=audit request_id=\S+ (.*)`).FindAllStringSubmatch(s.log.String(), -1) {
		lines = append(lines, regexp.MustCompile(`(user|order)=\d+`).ReplaceAllString(line[1], "$1=N"))
	}
	const who = "by=account user=N client=127.0.0.1 act="
	assert.Equal(t, []string{
		who + `"GET ` + howTos + `" categories="[moss tea]" page=1`,
		who + `"GET ` + howTos + `" categories=[] page=1000 code=RESOURCE_NOT_FOUND`,
		who + `"POST ` + orders + `" order=N payer=1`,
	}, lines, "one who is not staff does nothing there")
}
