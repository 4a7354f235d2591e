package people_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/domain/place"
)

// filesOf is the number of files of a stored picture: its own, and one of each size.
const filesOf = 3

// filesIn returns how many files the store has.
func filesIn(t *testing.T, s media.Store) (n int) {
	t.Helper()
	for _, err := range s.All(t.Context()) {
		require.NoError(t, err)
		n++
	}
	return n
}

// countedProcessor knows how many pictures it has processed.
type countedProcessor struct {
	media.Processor
	n int
}

func (c *countedProcessor) Process(ctx context.Context, by string, raw media.Raw, sizes ...media.SizeSpec) (media.Processed, error) {
	c.n++
	return c.Processor.Process(ctx, by, raw, sizes...)
}

// meddlingAnalyser calls meddle after each text that it has analysed, so that a test can change the event in between.
type meddlingAnalyser struct {
	place.Analyser
	meddle func()
}

func (m *meddlingAnalyser) Analyse(ctx context.Context, title, content string) (place.Place, error) {
	p, err := m.Analyser.Analyse(ctx, title, content)
	m.meddle()
	return p, err
}
