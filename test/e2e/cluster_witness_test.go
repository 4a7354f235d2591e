//go:build soak

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// witness is a member who looks at once, through any server, for what was written last.
type witness struct {
	*writer
	event int64
	looks int
}

// takeWitness returns a witness, who writes nothing with the others any more.
func (w *shared) takeWitness() *witness {
	last := len(w.writers) - 1
	taken := &witness{writer: w.writers[last]}
	w.writers = w.writers[:last]
	return taken
}

// openEvent writes the event on which the witness comments.
func (w *witness) openEvent(t *testing.T, url string) {
	t.Helper()
	c := newCaller(url)
	defer c.client.CloseIdleConnections()
	it := w.known(anEvent, w.mark())
	e := diaryEntry{Title: it.mark, Publish: true}
	require.True(t, w.change(c, it, e.look(), http.MethodPost, eventsPath, e), w.wrong)
	w.event = it.id
}

// writesAndReads comments, and takes each comment back, until it is to stop or something is wrong.
func (w *witness) writesAndReads(c caller, isStopped func() bool) {
	for !isStopped() && w.wrong == "" {
		it := w.known(aComment, w.mark())
		said := w.change(c, it, it.mark, http.MethodPost, commentsPath, map[string]any{"event": w.event, "content": it.mark})
		if !said || !w.looksFor(c, it.id, true) {
			continue
		}
		if w.change(c, it, gone, http.MethodDelete, path(commentsPath, it.id), nil) {
			w.looksFor(c, it.id, false)
		}
	}
}

// looksFor reports whether the comments were answered. It notes what is wrong with them.
func (w *witness) looksFor(c caller, comment int64, wanted bool) (answered bool) {
	status, raw, err := c.send(w.key, http.MethodGet, fmt.Sprintf("%s?event=%d", commentsPath, w.event), nil)
	if err != nil {
		return false
	}
	var list struct{ Data []commentShown }
	if err := json.Unmarshal(raw, &list); status != http.StatusOK || err != nil {
		w.wrong = fmt.Sprintf("the comments: %d %s", status, raw)
		return false
	}
	w.looks++
	if slices.ContainsFunc(list.Data, func(one commentShown) bool { return one.ID == comment }) != wanted {
		w.wrong = fmt.Sprintf("comment %d is there: %v, and the opposite was acknowledged; %s", comment, !wanted, raw)
	}
	return true
}
