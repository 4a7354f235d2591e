package bootstrap

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBuildOf(t *testing.T) {
	const commit, date = "65d44ee0123456789abcdef0123456789abcdef0", "2026-11-20T10:00:00Z"
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	revision, at := setting("vcs.revision", commit), setting("vcs.time", date)
	const platform = runtime.GOOS + "/" + runtime.GOARCH
	for name, c := range map[string]struct {
		version  string
		settings []debug.BuildSetting
		want     Build
		text     string
	}{
		"a release": {"v1.4.0", []debug.BuildSetting{setting("-tags", "nomsgpack,nodynamic"), revision, at, setting("vcs.modified", "false")},
			Build{Version: "v1.4.0", Commit: commit, Date: date}, "v1.4.0 (commit 65d44ee, 2026-11-20T10:00:00Z, go1.26.8, " + platform + ")"},
		"a modified tree": {"v1.4.0+dirty", []debug.BuildSetting{revision, at, setting("vcs.modified", "true")},
			Build{Version: "v1.4.0+dirty", Commit: commit, Date: date, Modified: true},
			"v1.4.0+dirty (commit 65d44ee, 2026-11-20T10:00:00Z, uncommitted changes, go1.26.8, " + platform + ")"},
		"a commit without a version": {"(devel)", []debug.BuildSetting{revision, at},
			Build{Commit: commit, Date: date}, "(commit 65d44ee, 2026-11-20T10:00:00Z, go1.26.8, " + platform + ")"},
		"no git": {"(devel)", nil, Build{}, "(built without git, go1.26.8, " + platform + ")"},
	} {
		t.Run(name, func(t *testing.T) {
			got := buildOf(&debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: c.version}, Settings: c.settings})
			c.want.Go, c.want.Platform = "go1.26.8", platform
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.text, got.String())
		})
	}
}
