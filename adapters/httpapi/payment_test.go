package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/application/paying"
	"plaza/domain/payment"
)

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
