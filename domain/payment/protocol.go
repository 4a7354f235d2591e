package payment

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Protocol names a wallet's protocol in one of its versions, as the wallet's gateway does. It is stored with
// prepayments and payments, so that each is continued over the protocol that it began with.
type Protocol string

// Gateways are the gateways of one merchant. While a merchant moves to another protocol, the former one
// stays served until its prepayments have ended.
type Gateways struct {
	Current Gateway   // opens new prepayments; nil: no wallet is configured
	Others  []Gateway // of former protocols
}

// All returns every gateway, the current one first.
func (g Gateways) All() []Gateway {
	if g.Current == nil {
		return nil
	}
	return append([]Gateway{g.Current}, g.Others...)
}

// Protocols returns the protocols that the gateways speak.
func (g Gateways) Protocols() (all []Protocol) {
	for _, one := range g.All() {
		all = append(all, one.Protocol())
	}
	return all
}

// By returns the gateway that speaks the protocol, or ErrNoWallet.
func (g Gateways) By(p Protocol) (Gateway, error) {
	for _, one := range g.All() {
		if one.Protocol() == p {
			return one, nil
		}
	}
	return nil, fmt.Errorf("protocol %q: %w", p, ErrNoWallet)
}

// Ask calls the gateway that speaks the protocol, and gives up after the limit.
func Ask[T any](
	ctx context.Context, g Gateways, p Protocol, limit time.Duration, call func(context.Context, Gateway) (T, error),
) (answer T, err error) {
	gateway, err := g.By(p)
	if err != nil {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return call(ctx, gateway)
}

// Each calls do for each of the items, for at most so many at once, and returns the joined errors.
func Each[T any](items []T, atOnce int, do func(T) error) error {
	failures := make([]error, len(items))
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for n, item := range items {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			failures[n] = do(item)
		})
	}
	all.Wait()
	return errors.Join(failures...)
}
