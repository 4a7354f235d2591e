package command

import (
	"cmp"
	"context"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
)

type configCommand struct {
	Demo bool `help:"Print the settings of serve --demo."`
	JSON bool `name:"json" help:"Print a JSON array."`
	dataCommand
}

// Run prints the settings as serve would use them.
func (c configCommand) Run(_ context.Context, s streams) error {
	config, err := bootstrap.Check(c.Config)
	if err != nil {
		return err
	}
	config.WarnOfUnknown(bootstrap.NewLogger(config, s.err))
	config.Choose(c.Demo)
	config.PublicURL = cmp.Or(config.PublicURL, "http://"+config.Addr)
	if config.MediaURL.Endpoint == "" {
		config.MediaURL.Dir = config.MediaDir()
	}
	return printList(s, c.JSON, "SETTING\tVALUE\tSOURCE", seqOf(config.List()), func(of settings.Setting) string {
		return of.Variable + "\t" + orDash(orZero(of.Value)) + "\t" + of.Source
	}, itself)
}
