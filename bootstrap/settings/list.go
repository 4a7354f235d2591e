package settings

import (
	"cmp"
	"encoding"
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"strings"

	"plaza/domain/secret"
)

// Setting is a setting as people see it, without secrets.
type Setting struct {
	Variable string  `json:"variable"`
	Value    *string `json:"value"` // null: none, or the program finds one out
	Source   string  `json:"source"`
}

// List returns the settings in the order of their fields.
func (c Config) List() []Setting { return settingsOf(reflect.ValueOf(c), c.origins) }

func settingsOf(config reflect.Value, origins map[string]origin) []Setting {
	var all []Setting
	for field, value := range config.Fields() {
		variable := field.Tag.Get("env")
		switch {
		case !field.IsExported():
		case field.Anonymous:
			all = append(all, settingsOf(value, origins)...)
		case variable != "":
			from := origins[variable]
			s := Setting{Variable: variable, Source: from.String()}
			if text := cmp.Or(from.text, displayed(value)); text != "" {
				s.Value = &text
			}
			all = append(all, s)
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
