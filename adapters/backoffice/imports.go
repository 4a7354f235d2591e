package backoffice

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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

// downloadRejects returns the rejected lines as CSV. At most imported.MaxRejects are stored.
func (s *Site) downloadRejects(v *visit) (answer, error) {
	id, err := v.id()
	if err != nil {
		return answer{}, err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write([]string{"file", "line", "field", "reason"}) // a buffer takes everything
	for number, isLast := 1, false; !isLast; number++ {
		request, _ := page.New(number, page.MaxSize) // both are positive
		p, err := s.Office.Rejects(v.r.Context(), imported.RunID(id), request)
		if err != nil {
			return answer{}, err
		}
		for _, l := range p.Items {
			for _, reason := range reasonsOf(l) {
				_ = w.Write([]string{cell(l.File), strconv.FormatInt(l.Line, 10), cell(reason[0]), cell(reason[1])})
			}
		}
		_, hasNext := request.Next(p.Total)
		isLast = !hasNext
	}
	w.Flush()
	return answer{title: fmt.Sprintf("rejects-%d.csv", id), download: out.Bytes()}, nil
}

// reasonsOf returns the fields that are wrong about a line, each with a sentence. The whole line has an empty field.
func reasonsOf(l imported.RejectedLine) (all [][2]string) {
	if l.Reason != "" {
		all = append(all, [2]string{"", l.Reason})
	}
	for _, field := range slices.Sorted(maps.Keys(l.Fields)) {
		for _, sentence := range l.Fields[field] {
			all = append(all, [2]string{field, sentence})
		}
	}
	return all
}

// cell is a text that no spreadsheet takes for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsAny(text[:1], "=+-@\t\r") {
		return "'" + text
	}
	return text
}
