package wechatpay

import (
	"fmt"
	"sync/atomic"

	"plaza/domain/payment"
)

// notificationCounts counts the notifications with a valid signature, by algorithm.
type notificationCounts map[string]*atomic.Int64

func newNotificationCounts(algorithms ...string) notificationCounts {
	counts := notificationCounts{}
	for _, a := range algorithms {
		counts[a] = &atomic.Int64{}
	}
	return counts
}

// Notifications returns how many notifications with a valid signature this process has received, by algorithm. In
// version 2 the wallet may sign with MD5, the protocol's weaker default. In version 3 it moves merchants from certificates
// to public keys.
func (g *gateway) Notifications() map[string]int64 {
	all := map[string]int64{}
	for algorithm, count := range g.notifications {
		all[algorithm] = count.Load()
	}
	return all
}

// paymentNotice returns what a notification reports of a completed payment.
func (g *gateway) paymentNotice(r reply) (payment.Notice, error) {
	receipt, err := g.receipt(r)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	return payment.Notice{Receipt: &receipt}, nil
}

func forged(why string) error { return fmt.Errorf("%w: %s", payment.ErrForged, why) }
