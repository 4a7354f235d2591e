package jsonlines_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/domain/imported"
)

// mixed are lines of all kinds, about as long as those of a crawler.
func mixed(b *testing.B) (lines [][]byte) {
	summary := strings.Repeat("桂花糕 is steamed for \"twenty\" minutes.\n", 8)
	for _, draft := range full(b) {
		switch d := draft.(type) {
		case imported.PublicationDraft:
			d.Summary = summary
			draft = d
		case imported.NodeDraft:
			d.Summary = summary
			draft = d
		case imported.DemandDraft:
			d.Description = summary
			draft = d
		case imported.NewsDraft:
			d.HTML = "<p>" + strings.Repeat(summary, 4) + "</p>"
			draft = d
		}
		line, err := jsonlines.Encode(draft)
		require.NoError(b, err)
		lines = append(lines, line)
	}
	return lines
}

func perSecond(b *testing.B) { b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s") }

func BenchmarkDecode(b *testing.B) {
	lines := mixed(b)
	b.SetBytes(int64(len(bytes.Join(lines, nil)) / len(lines)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := (jsonlines.Decoder{}).Decode(lines[i%len(lines)]); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b)
}

func BenchmarkNext(b *testing.B) {
	content := append(bytes.Join(mixed(b), []byte("\n")), '\n')
	content = bytes.Repeat(content, 2000)
	for name, packed := range map[string][]byte{"plain": content, "gzip": zipped(b, string(content))} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			f := jsonlines.Standard(bytes.NewReader(packed), "")
			for b.Loop() {
				_, err := f.Next(context.Background())
				if err == io.EOF {
					f = jsonlines.Standard(bytes.NewReader(packed), "")
				} else if err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b)
		})
	}
}
