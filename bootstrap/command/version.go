package command

import (
	"plaza/adapters/httpapi/view"
	"plaza/bootstrap"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the build. In JSON, what is unknown is null.
func (c versionCommand) Run(s streams) error {
	b := bootstrap.ThisBuild()
	if c.JSON {
		return printJSON(s.out, map[string]any{
			"version": view.OrNull(b.Version), "commit": view.OrNull(b.Commit), "date": view.OrNull(b.Date), "modified": b.Modified,
			"go": b.Go, "platform": b.Platform,
		})
	}
	return s.printf("plaza %s\n", b)
}
