package bunstore

import (
	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/imports"
	"plaza/adapters/bunstore/money"
	"plaza/adapters/bunstore/people"
	"plaza/adapters/bunstore/staff"
)

// The ports of the store, each by itself: ports may have methods of the same name.

func (s *Store) Accounts() people.Accounts            { return people.Accounts{DB: s.DB, Limits: s.limits} }
func (s *Store) Audit() staff.Audit                   { return staff.Audit{DB: s.DB} }
func (s *Store) Blocks() people.Blocks                { return people.Blocks{DB: s.DB, Limits: s.limits} }
func (s *Store) Categories() feedstore.Categories     { return feedstore.Categories{DB: s.DB} }
func (s *Store) Codes() people.Codes                  { return people.Codes{DB: s.DB} }
func (s *Store) DeletionQueue() diary.DeletionQueue   { return diary.DeletionQueue{DB: s.DB} }
func (s *Store) Events() diary.Events                 { return diary.Events{DB: s.DB, Limits: s.limits} }
func (s *Store) Feed() feedstore.Feed                 { return feedstore.Feed{DB: s.DB} }
func (s *Store) HowTos() feedstore.HowTos             { return feedstore.HowTos{DB: s.DB} }
func (s *Store) Images() diary.Images                 { return diary.Images{DB: s.DB, Limits: s.limits} }
func (s *Store) Keys() people.Keys                    { return people.Keys{DB: s.DB} }
func (s *Store) Moderation() staff.Moderation         { return staff.Moderation{DB: s.DB} }
func (s *Store) Notifications() people.Notifications  { return people.Notifications{DB: s.DB} }
func (s *Store) PersonalData() staff.PersonalData     { return staff.PersonalData{DB: s.DB} }
func (s *Store) Publications() feedstore.Publications { return feedstore.Publications{DB: s.DB} }
func (s *Store) Subscriptions() people.Subscriptions {
	return people.Subscriptions{DB: s.DB, Limits: s.limits}
}
func (s *Store) Telemetry() staff.Telemetry           { return staff.Telemetry{DB: s.DB} }
func (s *Store) Throttle() people.Throttle            { return people.Throttle{DB: s.DB} }
func (s *Store) Tokens() people.Tokens                { return people.Tokens{DB: s.DB} }
func (s *Store) Translations() feedstore.Translations { return feedstore.Translations{DB: s.DB} }
func (s *Store) Imports() imports.Store               { return imports.Store{DB: s.DB} }
func (s *Store) Ledger() money.Ledger                 { return money.Ledger{Keys: s.Keys()} }
