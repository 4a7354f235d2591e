package provider

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"

	"plaza/domain/locale"
)

// Table has a provider's codes where they are not the ones of ISO 639: by language and
// script (zh-Hant), language and region (pt-BR), or language alone (no).
type Table map[string]string

// Code returns what the provider calls the language: as the table says, else its code of
// ISO 639. A language in a script that it is not usually written in has a code only if
// the table has one: Serbian in Latin letters is not what somebody gets who asks for sr.
func (t Table) Code(tag locale.Tag) (string, error) {
	base, _, _ := strings.Cut(tag.Language(), "-")
	if base == "" {
		return "", fmt.Errorf("%w: there is none", ErrUnspoken)
	}
	if code, there := t[tag.Language()]; there {
		return code, nil
	}
	if usual, ok := locale.Parse(base); !ok || !locale.Same(usual, tag) {
		return "", fmt.Errorf("%w: %s", ErrUnspoken, tag.Language())
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

// Source is Code for the language that texts are in: for one that is not known there is
// no code, and the provider finds out.
func (t Table) Source(tag locale.Tag) (string, error) {
	if tag.IsZero() {
		return "", nil
	}
	return t.Code(tag)
}

// Codes looks up both languages, which have codes of their own with some providers.
func (t Table) Codes(target Table, from, to locale.Tag) (Codes, error) {
	source, err := t.Source(from)
	if err != nil {
		return Codes{}, err
	}
	code, err := target.Code(to)
	if err != nil {
		return Codes{}, err
	}
	return Codes{From: source, To: code}, nil
}
