package bench

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

//go:generate go test -tags nomsgpack,nodynamic -vet=off -run TestPicture . -args -draw

var drawFlag = flag.Bool("draw", false, "draw RESULTS.svg from RESULTS.md")

// picture draws the ratios of a report as SVG on a logarithmic scale: a line from the least to the most of a round, a dot
// at the median, and a stroke at the goal.
func picture(report string) string {
	const left, rowHeight = 400, 18
	at := func(cell string) float64 {
		ratio, err := strconv.ParseFloat(strings.Trim(cell, "≥× "), 64)
		if err != nil {
			return -9 // outside: no number
		}
		return left + 160*math.Log10(ratio)
	}
	var grid, b strings.Builder
	rows := map[string]int{} // where each is
	for line := range strings.Lines(report) {
		cells := strings.Split(line, " | ")
		name := strings.TrimPrefix(cells[0], "| ")
		for i, spread := range cells {
			least, most, isSpread := strings.Cut(spread, "–")
			if !isSpread || at(least) < 0 || strings.Contains(name, " ") { // a row without a name compares Plaza with itself
				continue
			}
			colour := "#1f77b4"
			if cells[2] == "Django" {
				colour = "#e07b00"
			}
			if rows[name] == 0 {
				rows[name] = 40 + rowHeight*len(rows)
				fmt.Fprintf(&b, "<text x='8' y='%d'>%s: %s</text>\n", rows[name]+4, name, cells[1])
			}
			y := rows[name]
			fmt.Fprintf(&b, "<g stroke='%s' fill='%[1]s'><path stroke-width='3' d='M%.1f %d H%.1f'/><circle cx='%.1f' cy='%d' r='3'/>"+
				"<path d='M%.1f %d v10'/></g>\n", colour, at(least), y, at(most), at(cells[i-1]), y, at(cells[i+1]), y-5)
		}
	}
	height := 40 + rowHeight*len(rows)
	for _, ratio := range []string{"0.5", "1", "2", "5", "10", "20", "50"} {
		fmt.Fprintf(&grid, "<path stroke='#bbb' d='M%.1f 28 V%d'/><text x='%.1[1]f' y='24' text-anchor='middle'>× %[3]s</text>\n",
			at(ratio), height, ratio)
	}
	return fmt.Sprintf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 740 %d' font-family='sans-serif' font-size='11'>\n"+
		"<rect width='100%%' height='100%%' fill='white'/>\n<text x='8' y='12'>Plaza's requests a second "+
		"<tspan fill='#1f77b4'>to the floor's</tspan> and <tspan fill='#e07b00'>to Django's</tspan>. "+
		"Dot: the median; line: least to most of a round; stroke: the goal</text>\n%s%s</svg>\n", height, grid.String(), b.String())
}

func TestPicture_is_that_of_the_results(t *testing.T) {
	results, err := os.ReadFile("RESULTS.md")
	require.NoError(t, err)
	drawn := picture(string(results))
	if *drawFlag {
		require.NoError(t, os.WriteFile("RESULTS.svg", []byte(drawn), 0o644))
	}
	stored, err := os.ReadFile("RESULTS.svg")
	require.NoError(t, err)
	assert.Equal(t, drawn, string(stored), "run go generate ./test/bench")
}
