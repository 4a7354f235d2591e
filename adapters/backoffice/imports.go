package backoffice

import (
	"strings"

	"plaza/domain/imported"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// importsPage is a list of runs of imports, of the lines that one has rejected, or of imported how-tos.
type importsPage struct {
	listed
	Runs    []imported.Run
	Rejects []imported.RejectedLine
	HowTos  []publication.HowTo
	Names   map[user.ID]string // of the accounts of how-tos
}

func (s *Site) listImports(v *visit) (answer, error) {
	p := &importsPage{}
	state := v.field("state", s.T("State"), "", choices(v, "state", imported.RunStates()...)...)
	rejects := v.field("rejected", s.T("Rejected"), "", choices(v, "rejected", "true")...)
	f := imported.RunFilter{State: imported.RunState(state.Value), IsRejecting: rejects.Value != ""}
	a := answer{template: "imports.html", Title: s.T("Imports"), Section: "imports", Body: p}
	return read(v, a, &p.listed, &p.Runs, s.Office.Imports(v.r.Context(), f), nil, state, rejects)
}

func (s *Site) listHowTos(v *visit) (answer, error) {
	p, category := &importsPage{}, v.field("category", s.T("Category"), "")
	var categories []string
	if category.Value = strings.TrimSpace(category.Value); category.Value != "" {
		categories = []string{category.Value}
	}
	a := answer{template: "howtos.html", Title: s.T("Imported how-tos"), Section: "imports", Body: p}
	a, err := read(v, a, &p.listed, &p.HowTos, s.Office.HowTos(v.r.Context(), categories), nil, category)
	if err != nil {
		return a, err
	}
	var robots []user.ID
	for _, h := range p.HowTos {
		robots = append(robots, h.Robot)
	}
	p.Names, err = s.Office.Names(v.r.Context(), robots...)
	return a, err
}

func (s *Site) showImport(v *visit) (answer, error) {
	p := &importsPage{}
	a := answer{template: "import.html", Title: s.T("Import %d", v.id), Section: "imports", Body: p}
	return read(v, a, &p.listed, &p.Rejects, s.Office.Rejects(v.r.Context(), imported.RunID(v.id)), nil)
}
