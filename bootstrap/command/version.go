package command

import (
	"plaza/adapters/httpapi/view"
	"plaza/bootstrap"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// version is a build as the command line shows it. What is unknown is null.
type version struct {
	Version  *string `json:"version"`
	Commit   *string `json:"commit"`
	Date     *string `json:"date"`
	Modified bool    `json:"modified"`
	Go       string  `json:"go"`
	Platform string  `json:"platform"`
}

func versionOf(b bootstrap.Build) version {
	return version{view.OrNull(b.Version), view.OrNull(b.Commit), view.OrNull(b.Date), b.Modified, b.Go, b.Platform}
}

func (c versionCommand) Run(s streams) error {
	if c.JSON {
		return printJSON(s.out, versionOf(bootstrap.ThisBuild()))
	}
	return s.printf("plaza %s\n", bootstrap.ThisBuild())
}
