package bench

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// peer is a server written with another framework. It gives the same answers to the
// scenarios of peered from the same rows.
type peer struct {
	name  string
	about string // what it is made of, and where its rows are
	running
	isVariant bool
}

// isAsked reports whether the peer is asked what the scenario asks.
func (p peer) isAsked(sc scenario) bool { return p.isVariant || isPeered(sc) }

// peered are the scenarios that Django answers.
var peered = []string{"A", "A1", "B", "D", "E", "event", "list", "timeline", "login", "comment", "like", "F"}

func isPeered(sc scenario) bool { return slices.Contains(peered, sc.name) }

// peerGoal is how many times the requests a second of Django Plaza must reach; zero: there is no goal.
func (s scenario) peerGoal() float64 {
	switch {
	case s.isHeavy: // no server does without the hash
		return 0
	case s.isWriting:
		return 5
	}
	return 10
}

// asksPeers reports whether a scenario with peers is wanted.
func asksPeers() bool {
	return slices.ContainsFunc(scenarios, func(sc scenario) bool { return isPeered(sc) && wanted(sc.name) })
}

// djangoVariable names what test/tools.sh installs: a Python with Django REST framework and gunicorn.
const djangoVariable = "PLAZA_TEST_DJANGO"

// startDjangos starts Django over the database if it is installed and asked.
func startDjangos(ctx context.Context, tb testing.TB, s benchedStore) []peer {
	python := installed(djangoVariable)
	if python == "" || !asksPeers() {
		return nil
	}
	return []peer{startDjango(ctx, tb, python, s.full)}
}

func installed(variable string) string {
	path := os.Getenv(variable)
	if path == "" {
		fmt.Fprintf(os.Stderr, "%s is not set: that peer is not measured\n", variable)
	}
	return path
}

// peerWarmUp is longer than the others': each thread of Django opens a connection first.
const peerWarmUp = 500 * time.Millisecond

// peersOf are the peers that are asked what the scenario asks. It fails unless they answer
// as Plaza does.
func peersOf(sc scenario, d *dataset, plaza string, peers []peer, requests []request) (asked []contender, err error) {
	for _, p := range peers {
		if !p.isAsked(sc) {
			continue
		}
		_, own, err := sc.prepare(requests, d, plaza, p.at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		c := sc.contender(p.name, p.at, d, own)
		asked = append(asked, contender{p.name, func(ctx context.Context, l load) (measurement, error) {
			l.warmUp = max(l.warmUp, peerWarmUp)
			return c.measure(ctx, l)
		}})
	}
	return asked, nil
}

func TestPeers_are_measured_in_the_same_rounds(t *testing.T) {
	var order []string
	contenderOf := func(name string, rate float64) contender {
		return contender{name, func(context.Context, load) (measurement, error) {
			order = append(order, name)
			return measurement{rate: rate}, nil
		}}
	}
	o, err := rounds{count: 3}.duel(t.Context(), contenderOf("floor", 100), contenderOf("Plaza", 120), contenderOf("peer", 10))
	require.NoError(t, err)
	assert.Equal(t, []string{"floor", "Plaza", "peer", "Plaza", "peer", "floor", "peer", "floor", "Plaza"}, order)
	assert.Equal(t, []float64{1.2, 1.2, 1.2}, o.ratios)
	require.Len(t, o.peers, 1)
	assert.Equal(t, "peer", o.peers[0].name)
	assert.Equal(t, []float64{10, 10, 10}, o.peers[0].floor)
	assert.Equal(t, []float64{12, 12, 12}, o.peers[0].plaza)
}
