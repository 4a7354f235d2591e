package backoffice

import (
	"fmt"
	"strings"

	"plaza/domain/imported"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// importsPage is a list of runs of imports, of the lines that one has rejected, or of imported how-tos.
type importsPage struct {
	listed
	ID      int64
	Runs    []imported.Run
	Rejects []imported.RejectedLine
	HowTos  []publication.HowTo
	Names   map[user.ID]string // of the accounts of how-tos
}

func (s *Site) listImports(v *visit) (_ answer, err error) {
	t, p := s.texts.Imports, &importsPage{}
	a := answer{template: "imports.html", title: s.texts.Sections["imports"], section: "imports", body: p}
	state := v.field("state", t.State, "", choices(v, imported.RunStates(), t.States)...)
	rejects := v.field("rejected", t.Rejected, "", choices(v, []string{"true"}, map[string]string{"true": t.Rejects})...)
	f := imported.RunFilter{State: imported.RunState(state.Value), IsRejecting: rejects.Value != ""}
	p.Runs, a, err = read(v, a, &p.listed, s.Office.Imports(v.r.Context(), f), nil, state, rejects)
	return a, err
}

func (s *Site) listHowTos(v *visit) (_ answer, err error) {
	p := &importsPage{}
	a := answer{template: "howtos.html", title: s.texts.Imports.HowTos, section: "imports", body: p}
	category := v.field("category", s.texts.Imports.Category, "")
	var categories []string
	if category.Value = strings.TrimSpace(category.Value); category.Value != "" {
		categories = []string{category.Value}
	}
	if p.HowTos, a, err = read(v, a, &p.listed, s.Office.HowTos(v.r.Context(), categories), nil, category); err != nil {
		return a, err
	}
	var robots []user.ID
	for _, h := range p.HowTos {
		robots = append(robots, h.Robot)
	}
	p.Names, err = s.Office.Names(v.r.Context(), robots...)
	return a, err
}

func (s *Site) showImport(v *visit) (_ answer, err error) {
	p := &importsPage{}
	if p.ID, err = v.id(); err != nil {
		return answer{}, err
	}
	a := answer{template: "import.html", title: fmt.Sprintf(s.texts.Imports.Run, p.ID), section: "imports", body: p}
	p.Rejects, a, err = read(v, a, &p.listed, s.Office.Rejects(v.r.Context(), imported.RunID(p.ID)), nil)
	return a, err
}
