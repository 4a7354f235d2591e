package contract

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

// statements are the texts of all statements that servers have sent to a Postgres, without their parameters.
type statements struct {
	mu    sync.Mutex
	texts map[string]bool
}

// onWatchedPostgres is onPostgres with a proxy before it, which reads the statements. When all tests on it have ended, none may have had
// a text of a client in it: such a text belongs into a parameter, or else a setting of the server could change what it means.
func onWatchedPostgres(all *testing.T) fresh {
	seen, lent := &statements{texts: map[string]bool{}}, onPostgres(all)
	watch := sync.OnceFunc(func() { all.Cleanup(func() { seen.assertOwn(all) }) })
	return func(t *testing.T) string {
		watch()
		line, at := postgres.Behind(t, lent(t))
		line.Tap(seen.open)
		return at
	}
}

// open returns where to write what a client sends on a connection.
func (s *statements) open() io.WriteCloser {
	sent, into := io.Pipe()
	go func() { // until the connection ends
		defer io.Copy(io.Discard, sent)
		messages := pgproto3.NewBackend(sent, io.Discard)
		_, err := messages.ReceiveStartupMessage()
		for err == nil {
			var m pgproto3.FrontendMessage
			m, err = messages.Receive()
			switch m := m.(type) {
			case *pgproto3.Parse:
				s.note(m.Query)
			case *pgproto3.Query:
				s.note(m.String)
			}
		}
	}()
	return into
}

func (s *statements) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[text] = true
}

var (
	literal = regexp.MustCompile(`'((?:[^']|'')*)'`)
	made    = regexp.MustCompile(`^([0-9:. +TZ-]+|[a-z_]+_id_seq)$`) // instants and names of sequences
)

// assertOwn asserts that each text within a statement stands in the program, as the scopes of an account do, or is made by it.
func (s *statements) assertOwn(t *testing.T) {
	var program strings.Builder
	for _, pattern := range []string{"../../adapters/bunstore/*.go", "../../adapters/bunstore/*/*.go",
		"../../adapters/bunstore/internal/engine/*.go", "../../migrations/postgres/*.sql", "../../domain/*/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			if !strings.HasSuffix(name, "_test.go") {
				program.Write(text)
			}
		}
	}
	own := program.String()
	assert.NotEmpty(t, s.texts)
	for text := range s.texts {
		for _, found := range literal.FindAllStringSubmatch(text, -1) {
			for word := range strings.SplitSeq(strings.Trim(found[1], "{}"), ",") {
				assert.True(t, strings.Contains(own, word) || made.MatchString(word), "%s in %s", found[0], text)
			}
		}
	}
	t.Logf("%d statements", len(s.texts))
}
