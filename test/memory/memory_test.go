package memory_test

import (
	"testing"

	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/test/memory"
	"plaza/test/ports"
)

func open(*testing.T) ports.Stores { return within(memory.New(), quota.Limits{}) }

func within(s *memory.Store, l quota.Limits) ports.Stores {
	return ports.Stores{
		Ports:    s.WithQuotas(l),
		Within:   func(l quota.Limits) ports.Stores { return within(s, l) },
		Listings: func(*testing.T) []feed.Listing { return s.Listings() },
	}
}

func TestPorts(t *testing.T) { ports.All(t, open) }

func TestMedia(t *testing.T) {
	ports.Media(t, func(*testing.T) media.Store {
		return memory.NewMedia("https://plaza.example/base", []byte("0123456789abcdef"))
	})
}
