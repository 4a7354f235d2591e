package bootstrap

import (
	"cmp"
	"context"
	"encoding"
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"strings"

	"plaza/domain/secret"
)

type configCommand struct {
	Demo bool `help:"Print the settings of serve --demo."`
	JSON bool `name:"json" help:"Print a JSON array."`
	dataCommand
}

// setting is a setting as the command line shows it.
type setting struct {
	Variable string  `json:"variable"`
	Value    *string `json:"value"` // null: none, or the program finds one out
	Source   string  `json:"source"`
}

func (s setting) row() string {
	return s.Variable + "\t" + cmp.Or(orZero(s.Value), "-") + "\t" + s.Source
}

// Run prints the settings as serve would use them.
func (c configCommand) Run(_ context.Context, s streams) error {
	config, err := c.Check()
	if err != nil {
		return err
	}
	config.warnOfUnknown(NewLogger(config, s.err))
	config.choose(c.Demo)
	config.PublicURL = cmp.Or(config.PublicURL, "http://"+config.Addr)
	if config.MediaURL.Endpoint == "" {
		config.MediaURL.Dir = config.mediaDir()
	}
	return printList(s, c.JSON, "SETTING\tVALUE\tSOURCE", seqOf(settingsOf(reflect.ValueOf(config), config.origins)), setting.row)
}

// settingsOf returns the settings of the struct in the order of its fields.
func settingsOf(config reflect.Value, origins map[string]origin) []setting {
	var all []setting
	for field, value := range config.Fields() {
		variable := field.Tag.Get("env")
		switch {
		case !field.IsExported():
		case field.Anonymous:
			all = append(all, settingsOf(value, origins)...)
		case variable != "":
			from := origins[variable]
			all = append(all, setting{variable, nilIfZero(cmp.Or(from.text, displayed(value))), from.String()})
		}
	}
	return all
}

// displayed returns the value of a setting for people, without secrets. It is empty for none.
func displayed(value reflect.Value) string {
	switch v := value.Interface().(type) {
	case secret.String:
		if v.IsZero() {
			return ""
		}
		return v.String()
	case string:
		return withoutSecrets(v)
	case bool:
		return fmt.Sprint(v)
	case slog.Level:
		return strings.ToLower(v.String())
	case fmt.Stringer:
		return v.String()
	case encoding.TextMarshaler:
		if text, err := v.MarshalText(); err == nil {
			return string(text)
		}
	}
	if value.IsZero() { // none, or the program finds one out
		return ""
	}
	return fmt.Sprint(reflect.Indirect(value))
}

// withoutSecrets masks the parts of a URL that may contain secrets: its user and its query. It
// returns other texts unchanged.
func withoutSecrets(value string) string {
	if !strings.Contains(value, "://") {
		return value
	}
	u, err := url.Parse(value)
	if err != nil {
		return secret.String{}.String()
	}
	mask := secret.String{}.String()
	user, query := "", ""
	if u.User != nil {
		user = mask + "@"
		if _, hasPassword := u.User.Password(); hasPassword {
			user = u.User.Username() + ":" + user
		}
	}
	if u.RawQuery != "" {
		query = "?" + mask
	}
	return u.Scheme + "://" + user + u.Host + u.Path + query
}
