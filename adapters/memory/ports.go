package memory

import (
	"plaza/application/store"
	"plaza/domain/quota"
)

// Ports returns the ports of the store. They keep accounts within the quotas.
func (s *Store) Ports(l quota.Limits) store.Ports {
	events, accounts := s.Events().Within(l), s.Accounts().Within(l)
	return store.Ports{
		Accounts: accounts, Directory: accounts, Tokens: s.Tokens(), Throttle: s.Throttle(), Codes: s.Codes(),
		Categories: s.Categories(), Subscriptions: s.Subscriptions().Within(l), Blocks: s.Blocks().Within(l),
		Events: events, EventReader: events, Discussion: events, Related: events, Notifications: s.Notifications(), Moderation: s.Moderation(),
		Feed: s.Feed(), Publications: s.Publications(), HowTos: s.HowTos(), Translations: s.Translations(),
		Images: s.Images().Within(l), Ledger: s.Ledger(), Keys: s.Keys(), Deletions: s.DeletionQueue(), Room: s.Room(l),
		Imports: s.Imports(), Telemetry: s.Telemetry(), PersonalData: s.PersonalData(), Audit: s.Audit(), Search: s.Search(),
	}
}
