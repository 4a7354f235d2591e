package ports

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/adapters/memory"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/payment"
	"plaza/domain/userimage"
	"plaza/test/guard"
)

func openGuarded(*testing.T) Stores {
	s := memory.New()
	g := guard.Wrap(guard.Stores{
		Accounts: s.Accounts(), Directory: s.Accounts(), Tokens: s.Tokens(), Throttle: s.Throttle(),
		Categories: s.Categories(), Subscriptions: s.Subscriptions(),
		Events: s.Events(), EventReader: s.Events(), Discussion: s.Events(), Related: s.Events(),
		Images: s.Images(), Ledger: s.Ledger(), Keys: s.Keys(), Deletions: s.DeletionQueue(),
	})
	return Stores{
		Accounts: g.Accounts, Directory: g.Directory, Tokens: g.Tokens, Throttle: g.Throttle,
		Categories: g.Categories, Subscriptions: g.Subscriptions,
		Events: g.Events, EventReader: g.EventReader, Discussion: g.Discussion, Related: g.Related,
		Images: g.Images, Ledger: g.Ledger, Keys: g.Keys, Deletions: g.Deletions,
	}
}

func TestGuard_every_call_inside_a_Change_panics(t *testing.T) {
	for port, change := range map[string]func(w *fixtures, fn func()) error{
		"Accounts.Change": func(w *fixtures, fn func()) error {
			return w.Accounts.Change(w.Context(), 1, func(*access.Account) error { fn(); return nil })
		},
		"Events.Change": func(w *fixtures, fn func()) error {
			_, err := w.Events.Change(w.Context(), 1, func(*event.Event) error { fn(); return nil })
			return err
		},
		"Events.ChangeRead": func(w *fixtures, fn func()) error {
			_, err := w.Events.ChangeRead(w.Context(), w.got(1), func(*event.Event) error { fn(); return nil })
			return err
		},
		"Images.Change": func(w *fixtures, fn func()) error {
			_, err := w.Images.Change(w.Context(), 1, func(*userimage.Image) error { fn(); return nil })
			return err
		},
		"Ledger.Change": func(w *fixtures, fn func()) error {
			return w.Ledger.Change(w.Context(), 1, func(*payment.Trade) error { fn(); return nil })
		},
	} {
		t.Run(port, func(t *testing.T) {
			w := Open(openGuarded).fixtures(t)
			owner := w.newUser()
			w.write(owner, noon)
			w.picture(owner, noon)
			w.charge(order(owner, noon))
			for _, c := range w.calls() {
				w.promptly(func() {
					assert.NoError(w, change(w, func() {
						assert.Panics(w, func() { _ = c.make(w.Context(), w.Stores) }, c.name)
					}))
				})
			}
		})
	}
}
