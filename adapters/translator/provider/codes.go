package provider

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"

	"plaza/domain/locale"
)

// Table holds a provider's codes that differ from ISO 639, by language and script (zh-Hant),
// language and region (pt-BR), or language (no).
type Table map[string]string

// Code returns the provider's code of the language: the table's, else that of ISO 639. A
// language in an unusual script has a code only in the table: a reader of sr does not expect
// Serbian in Latin letters.
func (t Table) Code(tag locale.Tag) (string, error) {
	base, _, _ := strings.Cut(tag.Language(), "-")
	if base == "" {
		return "", fmt.Errorf("%w: no language", ErrUnsupportedLanguage)
	}
	if code, there := t[tag.Language()]; there {
		return code, nil
	}
	if usual, ok := locale.Parse(base); !ok || !locale.Same(usual, tag) {
		return "", fmt.Errorf("%w: %s", ErrUnsupportedLanguage, tag.Language())
	}
	_, _, region := language.Make(tag.String()).Raw()
	if code, there := t[base+"-"+region.String()]; there {
		return code, nil
	}
	if code, there := t[base]; there {
		return code, nil
	}
	return base, nil
}

// Codes returns the codes of both languages. Some providers have other codes for targets. An unknown
// source language has no code; the provider detects it.
func (t Table) Codes(target Table, from, to locale.Tag) (c Codes, err error) {
	if !from.IsZero() {
		if c.From, err = t.Code(from); err != nil {
			return Codes{}, err
		}
	}
	if c.To, err = target.Code(to); err != nil {
		return Codes{}, err
	}
	return c, nil
}
