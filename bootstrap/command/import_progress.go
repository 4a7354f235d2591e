package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"plaza/application/importing"
	"plaza/domain/imported"
)

// How often an import prints its progress: on a terminal, and elsewhere.
const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 10 * time.Second
)

// importWatcher prints the progress of an import: a bar on a terminal, a line per lineEvery
// elsewhere.
type importWatcher struct {
	out     io.Writer
	sources []importing.Source
	bar     *progressbar.ProgressBar // nil: not a terminal
	began   time.Time
	printed time.Time
	rejects map[imported.File]bool // the files that have rejects
}

func newImportWatcher(s streams, sources []importing.Source) *importWatcher {
	w := &importWatcher{out: s.err, sources: sources, began: time.Now(), printed: time.Now(), rejects: map[imported.File]bool{}}
	if isTerminal(s.err) {
		_, size := w.read()
		w.bar = progressbar.NewOptions64(size, progressbar.OptionSetWriter(s.err), progressbar.OptionThrottle(barEvery),
			progressbar.OptionSetPredictTime(size > 0), progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish(),
			progressbar.OptionFullWidth())
	}
	return w
}

// read returns how many bytes have been read of all files, and their total size. A negative
// size is unknown.
func (w *importWatcher) read() (read, size int64) {
	for _, source := range w.sources {
		r, of := source.Size()
		read += r
		if of == 0 || size < 0 {
			size = -1
		} else {
			size += of
		}
	}
	return read, size
}

func (w *importWatcher) Progressed(s importing.Source, summary importing.Summary) {
	rate := float64(summary.Records()) / max(time.Since(w.began).Seconds(), 0.001)
	now := fmt.Sprintf("%s, %s a second, %s rejected", amount(summary.Records(), "record"), grouped(int64(rate)), grouped(summary.Rejected))
	if w.bar != nil {
		read, _ := w.read()
		w.bar.Describe(now)
		_ = w.bar.Set64(read) // a failure to draw the bar must not stop the import
		return
	}
	if time.Since(w.printed) >= lineEvery {
		w.printed = time.Now()
		fmt.Fprintf(w.out, "%s: %s\n", s.Label, now)
	}
}

func (w *importWatcher) Rejected(s importing.Source, r imported.Reject) {
	w.rejects[s.File] = true
	w.say("%s:%d: %s", s.Label, r.Number, oneLine(reasons(r)))
}

func (w *importWatcher) Resumed(s importing.Source, behind int64) {
	w.say("%s: resuming after line %s", s.Label, grouped(behind))
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
	var all []string
	if r.Reason != "" {
		all = append(all, r.Reason)
	}
	for _, field := range slices.Sorted(maps.Keys(r.Fields)) {
		all = append(all, field+": "+strings.Join(r.Fields[field], " "))
	}
	return strings.Join(all, " ")
}

// rejectFiles returns the files to which rejects were written.
func (w *importWatcher) rejectFiles(c importCommand) []string {
	files := []string{}
	for n, source := range w.sources {
		if w.rejects[source.File] && !c.DryRun {
			files = append(files, rejectsOf(c.Files[n]))
		}
	}
	return files
}
