package bench

import (
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// djangoFiles are embedded so that Go's test cache knows of them.
//
//go:embed django/gunicorn.conf.py django/peer/*.py
var djangoFiles embed.FS

// startDjango starts the peer in Django REST framework over Plaza's own tables.
func startDjango(ctx context.Context, tb testing.TB, python, database string) peer {
	tb.Helper()
	const versions = `import django, gunicorn, rest_framework
print(f"Django {django.__version__}, REST framework {rest_framework.__version__}, gunicorn {gunicorn.__version__}")`
	about, err := exec.CommandContext(ctx, python, "-c", versions).Output()
	if err != nil {
		tb.Fatalf("%s: %v", python, err)
	}
	cmd := djangoCommand(tb, python, database)
	return peer{
		name: "Django", about: strings.TrimSpace(string(about)) + " with 4 workers, over Plaza's own tables in Postgres",
		running: start(tb, cmd, func() error { return cmd.Process.Signal(syscall.SIGTERM) }),
	}
}

// djangoCommand runs a copy of the peer, so that Python writes nothing beside the source.
func djangoCommand(tb testing.TB, python, database string) *exec.Cmd {
	tb.Helper()
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
	return cmd
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
