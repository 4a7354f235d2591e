// Command release builds the archives of a release: for each platform the program with its licences and
// documents, and a file of checksums over all archives. The same commit built
// by the same Go gives the same bytes.
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// platforms are the operating systems and architectures of a release.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// program is the package of the program.
const program = "./bootstrap/cmd/plaza"

func main() {
	r := release{dir: "."}
	flag.StringVar(&r.out, "out", "dist", "folder of the archives, which must be empty or missing")
	chosen := flag.String("platforms", strings.Join(platforms, ","), "comma-separated `platforms`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: release [flags] [-- flags of go build]")
		flag.PrintDefaults()
	}
	flag.Parse()
	r.platforms, r.flags = strings.Split(*chosen, ","), flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.build(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is what to build.
type release struct {
	dir       string // the repository
	out       string // the folder of the archives
	platforms []string
	flags     []string // of go build
}

// documents are the files of the repository that every archive has: the guides of those who operate a server or
// call one. The image of bootstrap/deploy is built from the sources, so its files are left out.
var documents = []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "bootstrap/README.md",
	"adapters/httpapi/README.md", "adapters/translator/README.md", "adapters/wallet/README.md",
	"application/importing/README.md", "migrations/README.md", "test/tour.sh",
	"bootstrap/deploy/README.md", "bootstrap/deploy/nginx/plaza.conf",
	"bootstrap/deploy/systemd/plaza@.service", "bootstrap/deploy/systemd/plaza.env",
	"bootstrap/deploy/prometheus/prometheus.yml", "bootstrap/deploy/prometheus/alerts.yml", "bootstrap/deploy/prometheus/targets.yml",
	"bootstrap/deploy/cluster/README.md", "bootstrap/deploy/cluster/cluster.env", "bootstrap/deploy/cluster/etcd.env",
	"bootstrap/deploy/cluster/haproxy.cfg", "bootstrap/deploy/cluster/patroni.yml", "bootstrap/deploy/cluster/pgbouncer.ini",
	"bootstrap/deploy/cluster/plaza.env", "bootstrap/deploy/cluster/plaza.sql", "bootstrap/deploy/cluster/userlist.txt",
	"bootstrap/deploy/grafana/plaza.json", "bootstrap/deploy/grafana/provisioning/dashboards/plaza.yaml",
	"bootstrap/deploy/grafana/provisioning/datasources/plaza.yaml"}

// checksums is the name of the file with the checksums of the archives, as sha256sum -c reads it.
const checksums = "SHA256SUMS"

// build writes the archives, one after the other, and then their checksums.
func (r release) build(ctx context.Context) error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if old, err := os.ReadDir(r.out); err != nil || len(old) > 0 {
		return cmp.Or(err, fmt.Errorf("%s is not empty", r.out))
	}
	var sums bytes.Buffer
	for _, platform := range r.platforms {
		name, content, err := r.archive(ctx, platform)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		if err := os.WriteFile(filepath.Join(r.out, name), content, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
		fmt.Printf("%s  %.1f MiB\n", name, float64(len(content))/(1<<20))
	}
	return os.WriteFile(filepath.Join(r.out, checksums), sums.Bytes(), 0o644)
}

// archive returns the archive of a platform and its name.
func (r release) archive(ctx context.Context, platform string) (name string, content []byte, err error) {
	system, _, _ := strings.Cut(platform, "/")
	temporary, err := os.MkdirTemp("", "plaza-release-")
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	executable := filepath.Join(temporary, "plaza")
	if system == "windows" {
		executable += ".exe"
	}
	if _, err := r.run(ctx, platform, append(append([]string{"build", "-buildvcs=true"}, r.flags...), "-o", executable, program)...); err != nil {
		return "", nil, err
	}
	version, date, err := stamp(executable)
	if err != nil {
		return "", nil, err
	}
	notices, err := r.notices(ctx, platform)
	if err != nil {
		return "", nil, err
	}
	binary, err := os.ReadFile(executable)
	if err != nil {
		return "", nil, err
	}
	files := []file{{filepath.Base(executable), binary, 0o755}, {"THIRD_PARTY_LICENSES", notices, 0o644}}
	texts, err := r.documents()
	if err != nil {
		return "", nil, err
	}
	files = append(files, texts...)
	name = "plaza_" + version + "_" + strings.ReplaceAll(platform, "/", "_")
	if system == "windows" {
		content, err = zipped(name, date, files)
		return name + ".zip", content, err
	}
	content, err = tarred(name, date, files)
	return name + ".tar.gz", content, err
}

// documents returns the documents of an archive.
func (r release) documents() (files []file, err error) {
	for _, name := range documents {
		text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if path.Ext(name) == ".md" {
			text = linkedWithin(text, path.Dir(name))
		}
		files = append(files, file{name, text, 0o644})
	}
	return files, nil
}

// link is a link of Markdown to a file: its text, the path, and the heading.
var link = regexp.MustCompile(`\[([^\]]+)\]\(([^)#:\s]+)(#[^)]*)?\)`)

// linkedWithin returns the text of a document in the folder. Links to files that no archive has become their text.
func linkedWithin(text []byte, folder string) []byte {
	return link.ReplaceAllFunc(text, func(found []byte) []byte {
		parts := link.FindSubmatch(found)
		to := path.Join(folder, string(parts[2]))
		if slices.ContainsFunc(documents, func(name string) bool { return name == to || strings.HasPrefix(name, to+"/") }) {
			return found
		}
		return parts[1]
	})
}

// run runs the go command for the platform and returns what it printed. The environment of the caller
// changes nothing in the result.
func (r release) run(ctx context.Context, platform string, args ...string) ([]byte, error) {
	system, architecture, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOAMD64=v1", "GOARM64=v8.0",
		"GOOS="+system, "GOARCH="+architecture)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return out, nil
}

// stamp returns the version of the program and the time of its commit, which Go took from git.
func stamp(executable string) (version string, date time.Time, err error) {
	info, err := buildinfo.ReadFile(executable)
	if err != nil {
		return "", time.Time{}, err
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			date, err = time.Parse(time.RFC3339, s.Value)
			return info.Main.Version, date, err
		}
	}
	return "", time.Time{}, errors.New("the program has no commit: a release is built in a clone of the repository, which a worktree is not")
}
