package memory_test

import (
	"testing"

	"plaza/adapters/memory"
	"plaza/domain/feed"
	"plaza/test/ports"
)

func open(*testing.T) ports.Stores {
	s := memory.New()
	return ports.Stores{
		Accounts: s.Accounts(), Directory: s.Accounts(), Tokens: s.Tokens(), Throttle: s.Throttle(),
		Categories: s.Categories(), Subscriptions: s.Subscriptions(),
		Events: s.Events(), EventReader: s.Events(), Discussion: s.Events(), News: s.News(),
		Listings: func(*testing.T) []feed.Listing { return s.Listings() },
	}
}

func TestAccounts(t *testing.T)      { ports.Accounts(t, open) }
func TestTokens(t *testing.T)        { ports.Tokens(t, open) }
func TestThrottle(t *testing.T)      { ports.Throttle(t, open) }
func TestCategories(t *testing.T)    { ports.Categories(t, open) }
func TestSubscriptions(t *testing.T) { ports.Subscriptions(t, open) }
func TestEvents(t *testing.T)        { ports.Events(t, open) }
func TestNews(t *testing.T)          { ports.News(t, open) }
func TestInside(t *testing.T)        { ports.Inside(t, open) }
