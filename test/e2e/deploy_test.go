package e2e

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

// deployed returns the content of a file of bootstrap/deploy.
func deployed(t *testing.T, name string) string {
	t.Helper()
	return readFile(t, filepath.Join("..", "..", "bootstrap", "deploy", filepath.FromSlash(name)))
}

// replaced returns the text with each old string, which must occur, replaced by the next one.
func replaced(t *testing.T, text string, oldNew ...string) string {
	t.Helper()
	for i := 0; i < len(oldNew); i += 2 {
		require.Contains(t, text, oldNew[i])
	}
	return strings.NewReplacer(oldNew...).Replace(text)
}

func server(t *testing.T, variable, tool string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not set: `test/tools.sh %s install` prints it", variable, tool)
	}
	_, err := os.Stat(path)
	require.NoError(t, err, variable)
	return path
}

// publicURL is the address that clients see, in the files of bootstrap/deploy.
const publicURL = "https://plaza.example.org"

// emptyDatabase returns the URL of an empty database, or "" for SQLite in the data directory.
func emptyDatabase(t *testing.T, store string) string {
	t.Helper()
	if store == "SQLite" {
		return ""
	}
	return postgres.Empty(t)
}

type site struct {
	etc, data, backups string
	database           string // its URL; empty: SQLite
}

func newSite(t *testing.T, database string) site {
	t.Helper()
	dir := t.TempDir()
	s := site{filepath.Join(dir, "etc"), filepath.Join(dir, "data"), filepath.Join(dir, "backups"), database}
	for _, folder := range []string{s.etc, s.data, s.backups} {
		require.NoError(t, os.Mkdir(folder, 0o700))
	}
	settings := replaced(t, deployed(t, "systemd/plaza.env"), "/etc/plaza", s.etc, "/var/lib/plaza", s.data)
	if database == "" {
		settings = replaced(t, settings, "PLAZA_DATABASE_URL_FILE=", "#PLAZA_DATABASE_URL_FILE=")
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.etc, "plaza.env"), []byte(settings), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(s.etc, "database-url"), []byte(database+"\n"), 0o600))
	return s
}

func (s site) environment(t *testing.T) []string {
	t.Helper()
	return regexp.MustCompile(`(?m)^PLAZA_.*$`).FindAllString(readFile(t, filepath.Join(s.etc, "plaza.env")), -1)
}

// serve starts a server of the site on free ports, and returns it when it is ready.
func (s site) serve(t *testing.T, args ...string) *running {
	t.Helper()
	return begin(t, s.command(t, append([]string{"serve", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--log-format=text"}, args...)...))
}

func (s site) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := command(t, context.Background(), args...)
	cmd.Env = append(cmd.Env, s.environment(t)...)
	return cmd
}

// shellBlock matches a block of shell commands below a heading of the guide.
var shellBlock = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$")

// commands returns the commands of the guide's section that contain the word.
func commands(t *testing.T, section, word string) string {
	t.Helper()
	_, text, found := strings.Cut(deployed(t, "README.md"), "\n"+section+"\n")
	require.True(t, found, section)
	text, _, _ = strings.Cut(text, "\n## ")
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		if strings.Contains(block[1], word) {
			return block[1]
		}
	}
	t.Fatalf("%s has no commands with %s", section, word)
	return ""
}

// run runs commands of the guide in a shell, in the site instead of the machine, and returns what
// they print. Changes of owners are left out, because tests may run without the rights.
func (s site) run(t *testing.T, script, input string) string {
	t.Helper()
	program, err := plaza()
	require.NoError(t, err)
	define, _, _ := strings.Cut(commands(t, "### The program", "plaza()"), "\n")
	script = replaced(t, "set -eu\n"+define+"\n"+script, "runuser -u plaza -- ", "", "/usr/local/bin/plaza", program, "/etc/plaza", s.etc)
	script = strings.NewReplacer("/var/lib/plaza", s.data, "/var/backups/plaza", s.backups, "chown", ": chown", "-o plaza ",
		"").Replace(script)
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Env = command(t, t.Context()).Env
	if bin := os.Getenv("PG_BIN"); bin != "" {
		cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	}
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", script, out)
	return string(out)
}

// staffPassword is the password of the first staff user.
const staffPassword = "heron-gravel-tuba"

// open prepares the database and makes the first staff user, by the commands of the guide. It returns the user's token.
func (s site) open(t *testing.T) (key string) {
	t.Helper()
	out := s.run(t, commands(t, "### The program", "plaza migrate up"), "")
	assert.Contains(t, out, "PLAZA_PUBLIC_URL")
	assert.Contains(t, out, "is up to date")
	s.run(t, commands(t, "### The first staff user", "plaza user create"), staffPassword+"\n")
	out = s.run(t, "plaza token issue --user 1 --ttl 1h\n", "")
	key = regexp.MustCompile(`plz_\S+`).FindString(out)
	require.NotEmpty(t, key, out)
	return key
}

// backUp runs the guide's backup as on that day, and returns its folder.
func (s site) backUp(t *testing.T, script, day string) string {
	t.Helper()
	s.run(t, replaced(t, script, "$(date +%F)", day), "")
	return filepath.Join(s.backups, day)
}

func TestRestore(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for store, word := range map[string]string{"SQLite": "The embedded database", "Postgres": "# Postgres"} {
		t.Run(store, func(t *testing.T) {
			before := newSite(t, emptyDatabase(t, store))
			key := before.open(t)
			r := before.serve(t, unlimited)
			l := &load{t: t, key: key, stop: make(chan struct{})}
			u := uploader{url: r.url, key: key}
			upload := func() {
				assert.Equal(t, http.StatusCreated, u.sendJSON(t, http.MethodPost, "/api/user/user-image/", "img", noisy(t, 200, 100)).status)
			}
			upload()
			l.on(newCaller(r.url))
			l.all.Go(func() { // pictures arrive while the backup runs
				for pace := time.NewTicker(loadPace); ; {
					select {
					case <-l.stop:
						return
					case <-pace.C:
						upload()
					}
				}
			})
			l.more()
			backup := commands(t, "## Backup", word)
			old := time.Now().AddDate(0, 0, -32)
			require.NoError(t, os.Chtimes(before.backUp(t, backup, "2026-10-01"), old, old))
			var day string
			for _, date := range []string{"2026-11-01", "2026-11-02", "2026-11-02"} { // also twice on a day
				day = before.backUp(t, backup, date)
			}
			kept, err := filepath.Glob(filepath.Join(before.backups, "*"))
			require.NoError(t, err)
			assert.Equal(t, []string{filepath.Join(before.backups, "2026-11-01"), day}, kept, "the day of a month ago is gone")
			close(l.stop)
			l.all.Wait()

			after := newSite(t, emptyDatabase(t, store))
			if store == "SQLite" {
				after.run(t, "plaza migrate up", "") // a server has run here: the database has an id beside it
			}
			restore := "BACKUP=" + day + "\n" + commands(t, "## Restore", word)
			t.Log(after.run(t, restore, ""))
			restored := after.serve(t)
			c := newCaller(restored.url)
			images := all[struct{ Img string }](t, c, key, imagesPath+"?uid=1")
			require.NotEmpty(t, images, "tokens are restored, too")
			for _, i := range images {
				c.fetch(t, replaced(t, i.Img, publicURL, restored.url))
			}
			assert.NotEmpty(t, all[eventShown](t, c, key, eventsPath+"?"))

			tried := newSite(t, emptyDatabase(t, store))
			t.Log(tried.run(t, "BACKUP="+day+"\n"+commands(t, "## Restore", word)+commands(t, "## Restore", "media adopt")+"plaza check\n", ""))
			_, errOut, status := run(t, append(tried.environment(t), "PLAZA_MEDIA_URL=file:"+filepath.Join(after.data, "media")), "check")
			assert.Equal(t, 1, status)
			assert.Contains(t, errOut, "plaza media adopt", "the copy refuses the pictures of the original")
		})
	}
}
