package people_test

import (
	"context"

	"plaza/domain/admission"
	"plaza/domain/media"
	"plaza/domain/place"
)

// countedMedia knows how many pictures it holds.
type countedMedia struct {
	media.Store
	held int
}

func (c *countedMedia) Put(ctx context.Context, u media.Upload, a media.Audience) (media.Key, error) {
	c.held++
	return c.Store.Put(ctx, u, a)
}

func (c *countedMedia) Remove(ctx context.Context, key media.Key) error {
	c.held--
	return c.Store.Remove(ctx, key)
}

// countedProcessor knows how many pictures it has processed.
type countedProcessor struct {
	media.Processor
	n int
}

func (c *countedProcessor) Process(ctx context.Context, by admission.Key, raw media.Raw, sizes ...media.SizeSpec) (media.Processed, error) {
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
