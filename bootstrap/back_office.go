package bootstrap

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"plaza/adapters/backoffice"
	"plaza/adapters/httpapi"
	"plaza/adapters/httpapi/transport"
	"plaza/bootstrap/settings"
	"plaza/domain/locale"
	"plaza/domain/media"
	"plaza/domain/user"
)

type backOffice struct{ http.Handler }

// newBackOffice returns the pages for staff within what every request passes. No page of another origin calls them.
func newBackOffice(c settings.Config, h httpapi.Config, pictures media.Store, u backoffice.UseCases) backOffice {
	config := h.Config
	if c.BackOffice != settings.BackOfficePublic {
		config.BasePath = "" // no proxy for clients is before the admin address
	}
	addresses := transport.NewAddressLimit(config)
	site := backoffice.New(backoffice.Config{
		BasePath: config.BasePath, Pictures: originsOf(c.PublicURL, pictures), Log: logOf(config.Log),
		IsSecure: c.BackOffice == settings.BackOfficePublic && strings.HasPrefix(c.PublicURL, "https:"),
		Client:   func(r *http.Request) netip.Addr { return transport.RequestLogOf(r.Context()).Client },
		Charge:   func(r *http.Request) error { return addresses.Charge(r.Context()) },
		Note:     func(r *http.Request, of user.ID) { transport.RequestLogOf(r.Context()).User = of },
		Language: func(r *http.Request) locale.Tag { return transport.PreferredLanguage(r.Header) },
	}, u)
	routed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		transport.RequestLogOf(r.Context()).Route = backoffice.Root
		site.ServeHTTP(w, r)
	})
	return backOffice{transport.NewMiddleware(transport.LimitRequests(routed, config.MaxRequests), config)}
}

// originsOf returns the origins of pictures. A request for one at the server's own address may be redirected to its store.
func originsOf(publicURL string, pictures media.Store) string {
	origins := []string{originOf(publicURL)}
	for _, to := range []media.Audience{media.Everyone, media.Viewers} {
		origins = append(origins, originOf(pictures.URL(media.KeyAt(to, "picture.png"), to, time.Now())))
	}
	slices.Sort(origins)
	return strings.TrimSpace(strings.Join(slices.Compact(origins), " "))
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// beside returns a handler that serves the pages for staff, and all else by the other one.
func (b backOffice) beside(other http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path+"/", backoffice.Root) {
			b.ServeHTTP(w, r)
			return
		}
		other.ServeHTTP(w, r)
	})
}
