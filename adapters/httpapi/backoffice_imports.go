package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/page"
)

// runView is a run of an import (OFF-01).
type runView struct {
	ID       imported.RunID       `json:"id"`
	Files    []string             `json:"files"`
	State    imported.RunState    `json:"state"`
	Began    transport.Timestamp  `json:"began_at"`
	Ended    *transport.Timestamp `json:"ended_at"`
	Lines    int64                `json:"lines"`
	New      int64                `json:"new"`
	Changed  int64                `json:"changed"`
	Same     int64                `json:"unchanged"`
	Replaced int64                `json:"replaced"`
	Rejected int64                `json:"rejected"`
}

func renderRun(r imported.Run) runView {
	return runView{
		ID: r.ID, Files: listed(r.Files), State: r.State, Began: transport.Timestamp(r.Began), Ended: view.OrNever(r.Ended),
		Lines: r.Lines, New: r.New, Changed: r.Changed, Same: r.Same, Replaced: r.Replaced, Rejected: r.Rejected,
	}
}

// rejectView is why a line was rejected.
type rejectView struct {
	File   string       `json:"file"`
	Line   int64        `json:"line"`
	Reason *string      `json:"reason"`
	Fields fault.Fields `json:"fields"`
}

func renderReject(r imported.RejectedLine) rejectView {
	fields := r.Fields
	if fields == nil {
		fields = fault.Fields{}
	}
	return rejectView{File: r.File, Line: r.Line, Reason: view.OrNull(r.Reason), Fields: fields}
}

func (a *api) listImports(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	request := q.Page()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	c.Audited = []any{"page", request.Number()}
	runs, err := a.BackOffice.Imports(c.Context(), request)
	return transport.Paged(page.Map(runs, renderRun)), err
}

func (a *api) listRejects(c *transport.Call) (transport.Reply, error) {
	id, err := transport.PathID[imported.RunID](c)
	if err != nil {
		return transport.Reply{}, err
	}
	q := c.Query()
	request := q.Page()
	c.Audited = []any{"page", request.Number()}
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	rejects, err := a.BackOffice.Rejects(c.Context(), id, request)
	return transport.Paged(page.Map(rejects, renderReject)), err
}
