package bootstrap

import (
	"fmt"
	"strings"

	"plaza/application/reading"
	"plaza/domain/locale"
)

// Languages are the languages that readers are offered; none: any.
type Languages []locale.Tag

// UnmarshalText parses language tags, comma separated.
func (l *Languages) UnmarshalText(text []byte) error {
	for name := range strings.SplitSeq(string(text), ",") {
		tag, known := locale.Parse(name)
		if !known {
			return fmt.Errorf("%q is not a language like en, pt-BR or zh-Hans", name)
		}
		*l = append(*l, tag)
	}
	return nil
}

func offer(c Config) reading.Offer {
	o := reading.Offer{Languages: c.TranslatorLanguages}
	if c.TranslatorBudget != nil {
		o.Budget = *c.TranslatorBudget
	}
	return o
}
