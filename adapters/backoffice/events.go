package backoffice

import (
	"fmt"

	"plaza/application/backoffice"
	"plaza/domain/event"
)

// eventPage is an event with its plates and a part of its comments.
type eventPage struct {
	backoffice.Event
	Exposed string
	Pager   Pager
}

func (s *Site) showEvent(v *visit) (answer, error) {
	e, err := s.Office.Event(v.r.Context(), event.ID(v.id), v.paged())
	return answer{
		template: "event.html", title: s.T("Event %d", v.id), section: "reports",
		body: eventPage{e, backoffice.Exposed(e.State), pagerOf(v, e.Comments)},
	}, err
}

// showComment leads to the event that the comment is on.
func (s *Site) showComment(v *visit) (answer, error) {
	c, err := s.Office.Comment(v.r.Context(), event.CommentID(v.id))
	return answer{to: fmt.Sprintf("events/%d/#comment-%d", c.Event, v.id)}, err
}
