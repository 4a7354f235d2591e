package bench

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// rival is a server that is measured in the same rounds as Plaza, and gives the same answers from the same rows.
type rival struct {
	name, about string
	running
	isAsked func(scenario) bool
	goal    func(scenario) float64 // the least ratio of Plaza's rate to its; zero: none
}

// startRivals starts the floor, Django if it is installed, and the variants over the database.
func startRivals(ctx context.Context, tb testing.TB, database string) []rival {
	tb.Helper()
	all := []rival{floorOver(tb, database)}
	if python := os.Getenv(djangoVariable); python != "" {
		all = append(all, djangoOver(ctx, tb, python, database))
	} else {
		fmt.Fprintf(os.Stderr, "%s is not set: Django is not measured\n", djangoVariable)
	}
	return append(all, startVariants(tb, database)...)
}

// floorOver starts this program once more, as a floor, which ends with its input.
func floorOver(tb testing.TB, database string) rival {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(withoutPlaza(os.Environ()), floorOf+"="+database)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	return rival{
		name: "floor", about: "a minimal server by hand", running: start(tb, cmd, in.Close),
		isAsked: func(s scenario) bool { return s.goal > 0 }, goal: func(s scenario) float64 { return s.goal },
	}
}

// djangoVariable names what test/tools.sh installs: a Python with Django REST framework and gunicorn.
const djangoVariable = "PLAZA_TEST_DJANGO"

// peered are the scenarios that Django answers.
var peered = []string{"A", "A1", "B", "D", "E", "event", "list", "timeline", "login", "comment", "like", "F"}

// djangoGoal is how many times the requests a second of Django Plaza must reach.
func djangoGoal(s scenario) float64 {
	switch {
	case s.isHeavy: // no server does without the hash
		return 0
	case s.isWriting:
		return 5
	}
	return 10
}

// djangoFiles are embedded so that Go's test cache knows of them.
//
//go:embed django/gunicorn.conf.py django/peer/*.py
var djangoFiles embed.FS

// djangoOver starts Django REST framework over Plaza's own tables, from a copy of its files, so that Python writes nothing beside the
// source.
func djangoOver(ctx context.Context, tb testing.TB, python, database string) rival {
	tb.Helper()
	const versions = `import django, gunicorn, rest_framework
print(f"Django {django.__version__}, REST framework {rest_framework.__version__}, gunicorn {gunicorn.__version__}")`
	about, err := exec.CommandContext(ctx, python, "-c", versions).Output()
	if err != nil {
		tb.Fatalf("%s: %v", python, err)
	}
	folder := tb.TempDir()
	files, err := fs.Sub(djangoFiles, "django")
	if err == nil {
		err = os.CopyFS(folder, files)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "peer", "places.json"), placesInJSON(), 0o644)
	}
	if err != nil {
		tb.Fatal(err)
	}
	to, err := pgx.ParseConfig(database)
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(python, "-m", "gunicorn", "peer.wsgi")
	cmd.Dir = folder
	cmd.Env = append(withoutPlaza(os.Environ()), "DJANGO_SETTINGS_MODULE=peer.settings", "GUNICORN_CMD_ARGS=",
		"PGHOST="+to.Host, "PGPORT="+strconv.Itoa(int(to.Port)), "PGUSER="+to.User, "PGPASSWORD="+to.Password, "PGDATABASE="+to.Database)
	return rival{
		name: "Django", about: strings.TrimSpace(string(about)) + " with 4 workers, over Plaza's own tables. It counts what it pages",
		running: start(tb, cmd, func() error { return cmd.Process.Signal(syscall.SIGTERM) }),
		isAsked: func(s scenario) bool { return slices.Contains(peered, s.name) }, goal: djangoGoal,
	}
}

// placesInJSON are the cities that texts of the dataset name.
func placesInJSON() []byte {
	var all []map[string]string
	for _, c := range cities {
		all = append(all, map[string]string{"name": c.name, "province": c.province, "city": c.city})
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts can always be encoded
	}
	return text
}
