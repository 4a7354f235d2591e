package backoffice

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plaza/application/backoffice"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// importsPage is a list of runs of imports, or of imported how-tos.
type importsPage struct {
	Runs     []imported.Run
	HowTos   []publication.HowTo
	Names    map[user.ID]string // of the accounts of how-tos
	Category string
	Pager    Pager
}

func (s *Site) listImports(v *visit) (answer, error) {
	p, err := s.Office.Imports(v.r.Context(), v.paged())
	return answer{
		template: "imports.html", title: s.texts.Sections["imports"], section: "imports", body: importsPage{Runs: p.Items, Pager: pagerOf(v, p)},
	}, err
}

func (s *Site) listHowTos(v *visit) (answer, error) {
	var categories []string
	category := strings.TrimSpace(v.r.FormValue("category"))
	if category != "" {
		categories = []string{category}
	}
	p, err := s.HowTos.List(v.r.Context(), categories, v.paged())
	if err != nil {
		return answer{}, err
	}
	var robots []user.ID
	for _, h := range p.Items {
		robots = append(robots, h.Robot)
	}
	names, err := s.Office.Names(v.r.Context(), robots...)
	return answer{
		template: "howtos.html", title: s.texts.Imports.HowTos, section: "imports",
		body: importsPage{HowTos: p.Items, Names: names, Category: category, Pager: pagerOf(v, p)},
	}, err
}

// importPage has the lines that a run has rejected.
type importPage struct {
	ID      int64
	Rejects []imported.RejectedLine
	Pager   Pager
}

func (s *Site) showImport(v *visit) (answer, error) {
	id, err := v.id()
	if err != nil {
		return answer{}, err
	}
	p, err := s.Office.Rejects(v.r.Context(), imported.RunID(id), v.paged())
	return answer{
		template: "import.html", title: fmt.Sprintf(s.texts.Imports.Run, id), section: "imports", body: importPage{id, p.Items, pagerOf(v, p)},
	}, err
}

// rejects are the lines that a run has rejected, a row for each field that is wrong. The whole line has an empty field.
var rejects = backoffice.Table[imported.RejectedLine]{
	Columns: []string{"file", "line", "field", "reason"},
	Rows: func(l imported.RejectedLine) (all [][]any) {
		if l.Reason != "" {
			all = append(all, []any{l.File, l.Line, "", l.Reason})
		}
		for _, field := range slices.Sorted(maps.Keys(l.Fields)) {
			for _, sentence := range l.Fields[field] {
				all = append(all, []any{l.File, l.Line, field, sentence})
			}
		}
		return all
	},
}

// downloadRejects returns the rejected lines as CSV. At most imported.MaxRejects are stored.
func (s *Site) downloadRejects(v *visit) (answer, error) {
	id, err := v.id()
	if err != nil {
		return answer{}, err
	}
	return export(fmt.Sprintf("rejects-%d", id), rejects, func(r page.CursorRequest) (page.CursorPage[imported.RejectedLine], error) {
		p, err := s.Office.Rejects(v.r.Context(), imported.RunID(id), r.Paged())
		return page.CursorPage[imported.RejectedLine]{Items: p.Items, Next: p.Next}, err
	})
}
