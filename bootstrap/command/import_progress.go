package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"

	"plaza/application/importing"
	"plaza/domain/imported"
)

// How often an import prints its progress: on a terminal, and elsewhere.
const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 10 * time.Second
)

// barLength is the value of a bar at its end.
const barLength = 1000

// importWatcher prints the progress of an import: a bar on a terminal, a line per lineEvery
// elsewhere.
type importWatcher struct {
	out     io.Writer
	bar     *progressbar.ProgressBar // nil: not a terminal
	began   time.Time
	printed time.Time
	rejects map[string]bool // the labels of files that have rejects
}

func newImportWatcher(s streams, sources []importing.Source) *importWatcher {
	w := &importWatcher{out: s.err, began: time.Now(), printed: time.Now(), rejects: map[string]bool{}}
	if isTerminal(s.err) {
		length := barLength
		for _, source := range sources {
			if _, size := source.Size(); size == 0 {
				length = -1 // unknown
			}
		}
		w.bar = progressbar.NewOptions(length, progressbar.OptionSetWriter(s.err), progressbar.OptionThrottle(barEvery),
			progressbar.OptionSetPredictTime(length > 0), progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish(),
			progressbar.OptionFullWidth())
	}
	return w
}

func (w *importWatcher) Progressed(s importing.Source, summary importing.Summary) {
	rate := float64(summary.Records()) / max(time.Since(w.began).Seconds(), 0.001)
	now := fmt.Sprintf("%s, %s a second, %s rejected", amount(summary.Records(), "record"), humanize.Comma(int64(rate)),
		humanize.Comma(summary.Rejected))
	if w.bar != nil {
		w.bar.Describe(now)
		_ = w.bar.Set(int(barLength * summary.Done)) // a failure to draw the bar must not stop the import
	} else if time.Since(w.printed) >= lineEvery {
		w.printed = time.Now()
		w.say("%s: %s", s.Label, now)
	}
}

func (w *importWatcher) Rejected(s importing.Source, r imported.Reject) {
	w.rejects[s.Label] = true
	w.say("%s:%d: %s", s.Label, r.Number, oneLine(reasons(r)))
}

func (w *importWatcher) Resumed(s importing.Source, behind int64) {
	w.say("%s: resuming after line %s", s.Label, humanize.Comma(behind))
}

func (w *importWatcher) say(format string, args ...any) {
	if w.bar != nil {
		_ = w.bar.Clear()
	}
	fmt.Fprintf(w.out, format+"\n", args...)
}

func (w *importWatcher) end() {
	if w.bar != nil {
		_ = w.bar.Exit()
		_ = w.bar.Clear()
	}
}

// reasons returns the reasons of the reject, those of fields prefixed with the field's name.
func reasons(r imported.Reject) string {
	all := []string{r.Reason}
	for _, field := range slices.Sorted(maps.Keys(r.Fields)) {
		all = append(all, field+": "+strings.Join(r.Fields[field], " "))
	}
	return strings.TrimSpace(strings.Join(all, " "))
}
