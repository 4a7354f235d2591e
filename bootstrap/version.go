package bootstrap

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Build describes the build of the program. Unknown fields are empty.
type Build struct {
	Version  string
	Commit   string // the full hash
	Date     string // of the commit, in RFC 3339
	Modified bool   // whether the tree had uncommitted changes
	Go       string
	Platform string // the operating system and the architecture, like linux/amd64
}

func ThisBuild() Build {
	info, found := debug.ReadBuildInfo()
	if !found {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	return buildOf(info)
}

func buildOf(info *debug.BuildInfo) Build {
	b := Build{Go: info.GoVersion, Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info.Main.Version != "(devel)" { // set by the go command for a build without git
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String returns for instance "v1.4.0 (commit 65d44ee, 2026-11-20T10:00:00Z, go1.26.8, linux/amd64)".
func (b Build) String() string {
	var details []string
	switch {
	case b.Commit != "":
		details = append(details, fmt.Sprintf("commit %.7s", b.Commit), b.Date)
	case b.Version == "":
		details = append(details, "built without git")
	}
	if b.Modified {
		details = append(details, "uncommitted changes")
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%s)", b.Version, strings.Join(append(details, b.Go, b.Platform), ", ")))
}
