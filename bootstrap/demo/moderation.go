package demo

import (
	"context"

	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/moderation"
)

// remark identifies the comment of a person on an entry.
type remark struct {
	by handle
	on string
}

// complaints are reports that staff have not decided.
var complaints = []struct {
	who  handle
	at   string // in the person's time zone
	of   remark
	why  moderation.Reason
	says string
}{
	{owen, "2026-11-20 08:20", remark{rex, "bonfire"}, moderation.Spam, "It sells watches, and has not seen our fire."},
}

// disabled are accounts that staff have disabled.
var disabled = []struct {
	at     string // in the time zone of staff
	who    handle
	reason string
}{
	{"2026-11-19 15:30", rex, "A new account that only advertises."},
}

// moderate plans the complaints, and what staff have done. The audit has a record of that, also when a person loads the demo
// data, which is an act of its own.
func (p *plan) moderate() {
	for _, c := range complaints {
		p.add(p.instant(c.who, c.at), c.who, "reports a comment on "+c.of.on, func(ctx context.Context, s *replay, actor access.Actor) error {
			_, _, err := s.moderating.Report(ctx, actor, moderation.Thing{Kind: moderation.Comment, ID: int64(s.said[c.of])}, c.why, c.says, nil)
			return err
		})
	}
	for _, d := range disabled {
		p.add(p.instant(staff, d.at), staff, "disables "+string(d.who), func(ctx context.Context, s *replay, actor access.Actor) error {
			_, err := s.office.Disable(audit.Without(ctx), backoffice.Act{Actor: actor, User: s.actors[d.who].ID, Reason: d.reason}, nil)
			return err
		})
	}
}
