package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/application/browsing"
	"plaza/application/paying"
	"plaza/application/pictures"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

// broken is a store of pictures whose disk is broken.
type broken struct{ media.Store }

func (broken) URL(media.Key, media.Audience, time.Time) string { return "" }

func (broken) Open(context.Context, media.Key) (media.File, error) {
	return media.File{}, errors.New("the disk is broken")
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestA_picture_that_cant_be_read_is_a_mistake_of_ours(t *testing.T) {
	addresses := media.NewAddresses("", secret.New("signing key"))
	router, err := newRouter(&api{UseCases: UseCases{Pictures: pictures.New(broken{}, addresses, func() time.Time { return noon })}}, table)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	router.ServeHTTP(w, newRequest(http.MethodGet, "/media/public/broken"))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
}

func TestGEN12_a_selection_without_a_version_is_rendered_each_time(t *testing.T) {
	a := &api{UseCases: UseCases{Browsing: browsing.New(nil, nil, nil, nil, time.Now)}, kept: transport.NewKeptReplies()}
	made := 0
	for _, s := range []feed.Selection{{Kinds: []feed.Kind{feed.Event}}, feed.Select([]feed.Kind{feed.Demand}, &feed.Area{})} {
		for range 2 {
			r, err := a.whileUnchanged(t.Context(), s, "a", func(context.Context, feed.Selection) (transport.Reply, bool, error) {
				made++
				return transport.Data("made"), true, nil
			})
			require.NoError(t, err)
			assert.True(t, r.Tagged)
		}
	}
	assert.Equal(t, 4, made)
}

func newRequest(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return r
}

// waitingGateway is a gateway that waits while it receives a notification.
type waitingGateway struct {
	payment.Gateway
	received, end chan struct{}
}

func (g *waitingGateway) Protocol() payment.Protocol { return "v3" }

func (g *waitingGateway) Receive(payment.Notification) (payment.Notice, error) {
	close(g.received)
	<-g.end
	return payment.Notice{}, payment.ErrForged
}

func (g *waitingGateway) Acknowledge(bool) payment.Acknowledgement {
	return payment.Acknowledgement{Status: http.StatusBadRequest}
}

func TestGEN_14_a_notification_that_waits_for_the_wallet_gives_up_its_slot(t *testing.T) {
	g := &waitingGateway{received: make(chan struct{}), end: make(chan struct{})}
	log := slog.New(slog.DiscardHandler)
	orders := paying.New(nil, nil, payment.Gateways{Current: g}, paying.Limits{}, time.Now, func(context.Context) *slog.Logger { return log })
	router, err := newRouter(&api{UseCases: UseCases{Paying: orders}}, table)
	require.NoError(t, err)
	server := transport.NewMiddleware(transport.LimitRequests(router, 1), transport.Config{Log: log})
	ask := func(method, path string) int {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
		return w.Code
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { assert.Equal(t, http.StatusBadRequest, ask("POST", "/api/pay/notify/wallet/v3/")) })
	<-g.received
	assert.Equal(t, http.StatusOK, ask("GET", documentPath))
	close(g.end)
	waiting.Wait()
	assert.Equal(t, http.StatusOK, ask("GET", documentPath), "it was given up once")
}
