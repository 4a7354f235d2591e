package backoffice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
)

// Person is a person as staff sees them.
type Person struct {
	user.Info
	Phone    user.Phone
	Joined   time.Time
	Seen     time.Time      // zero: never
	Scopes   []access.Scope // of the account, BackOffice included
	Roles    []access.Role
	Disabled bool
	Sessions int // valid keys; a disabled account has none
}

// PeopleQuery finds people by one of its first three fields.
type PeopleQuery struct {
	Phone string  // the number that an account logs in with, as user.ParseTypedPhone reads it
	UID   user.ID // zero: none
	Name  string  // as in people.Search
	page.CursorRequest
}

// errOneCriterion is the fault of a query with none or several of the criteria.
var errOneCriterion = fault.New(fault.Invalid, "Send exactly one of phone, uid and name.")

// Find returns the people whom the query finds, also those whose account is disabled. Only a name can find several, those
// behind the cursor.
func (b *BackOffice) Find(ctx context.Context, q PeopleQuery, readErr error) (page.CursorPage[Person], error) {
	if readErr != nil {
		return page.CursorPage[Person]{}, readErr
	}
	criteria := []bool{q.Phone != "", q.UID != 0, q.Name != ""}
	if len(slices.DeleteFunc(criteria, func(is bool) bool { return !is })) != 1 {
		return page.CursorPage[Person]{}, errOneCriterion
	}
	if q.Name != "" {
		return b.findByName(ctx, q)
	}
	id := q.UID
	if q.Phone != "" {
		phone, err := user.ParseTypedPhone(q.Phone)
		if err != nil {
			return page.CursorPage[Person]{}, fault.OnField("phone", err)
		}
		account, err := b.ports.Accounts.ByPhone(ctx, phone)
		if errors.Is(err, access.ErrNoAccount) {
			return page.CursorPage[Person]{}, nil
		}
		if err != nil {
			return page.CursorPage[Person]{}, err
		}
		id = account.User
	}
	found, err := b.persons(ctx, id)
	return page.CursorPage[Person]{Items: found}, err
}

func (b *BackOffice) findByName(ctx context.Context, q PeopleQuery) (page.CursorPage[Person], error) {
	name, err := user.ParseSearchName(q.Name)
	if err != nil {
		return page.CursorPage[Person]{}, fault.OnField("name", err)
	}
	members, err := b.ports.Directory.Search(ctx, user.Search{Name: name, WithDisabled: true, CursorRequest: q.CursorRequest})
	if err != nil {
		return page.CursorPage[Person]{}, fmt.Errorf("search for people: %w", err)
	}
	found, err := b.describe(ctx, members.Items)
	return page.CursorPage[Person]{Items: found, Next: members.Next}, err
}

// Show returns the person, or access.ErrNoAccount, also if their data was erased.
func (b *BackOffice) Show(ctx context.Context, id user.ID) (Person, error) {
	found, err := b.persons(ctx, id)
	if err == nil && len(found) == 0 {
		err = access.ErrNoAccount
	}
	if err != nil {
		return Person{}, err
	}
	return found[0], nil
}

// persons returns those of the people who exist.
func (b *BackOffice) persons(ctx context.Context, ids ...user.ID) ([]Person, error) {
	members, err := b.ports.Directory.Members(ctx, ids)
	if err != nil {
		return nil, err
	}
	return b.describe(ctx, members)
}

// describe returns the members with their accounts and the number of their sessions, in two statements however many
// they are.
func (b *BackOffice) describe(ctx context.Context, members []user.Member) ([]Person, error) {
	if len(members) == 0 {
		return nil, nil
	}
	ids, pointers := make([]user.ID, len(members)), make([]*user.Member, len(members))
	for i := range members {
		ids[i], pointers[i] = members[i].ID, &members[i]
	}
	accounts, err := b.ports.Accounts.AccountsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	tokens, err := b.ports.Tokens.OfUsers(ctx, ids...)
	if err != nil {
		return nil, err
	}
	byID := make(map[user.ID]access.Account, len(accounts))
	for _, a := range accounts {
		byID[a.User] = a
	}
	sessions, now := map[user.ID]int{}, b.ports.Now()
	for _, t := range tokens {
		if t.IsValid(byID[t.User], now) {
			sessions[t.User]++
		}
	}
	all := make([]Person, len(members))
	for i, info := range b.ports.Describe(pointers) {
		a, m := byID[info.ID], members[i]
		all[i] = Person{
			Info: info, Phone: a.Phone, Joined: m.Joined, Seen: m.Seen, Scopes: a.EffectiveScopes(), Roles: a.Roles,
			Disabled: a.Disabled, Sessions: sessions[info.ID],
		}
	}
	return all, nil
}

// ReasonLimit bounds the reason of an act.
var ReasonLimit = text.Limit{Chars: 500}

// Act is what a member of staff does to an account, and why.
type Act struct {
	Actor  access.Actor
	User   user.ID
	Reason string
}

// The faults of acts that would take the actor's own rights away.
var (
	ErrDisablesSelf = fault.New(fault.Conflict, "You cannot disable your own account.")
	ErrDemotesSelf  = fault.New(fault.Conflict, "You cannot take the role admin from your own account.")
)

// Disable disables the account. Its content stays.
func (b *BackOffice) Disable(ctx context.Context, a Act, readErr error) (Person, error) {
	return b.change(ctx, audit.AccountDisabled, a, readErr, func(ctx context.Context) error {
		if a.User == a.Actor.ID {
			return ErrDisablesSelf
		}
		return b.ports.Changes.SetDisabled(ctx, a.User, true)
	})
}

// Enable enables a disabled account. Its keys are valid again.
func (b *BackOffice) Enable(ctx context.Context, a Act, readErr error) (Person, error) {
	return b.change(ctx, audit.AccountEnabled, a, readErr, func(ctx context.Context) error {
		return b.ports.Changes.SetDisabled(ctx, a.User, false)
	})
}

// EndSessions ends all keys of the account, also those of the actor.
func (b *BackOffice) EndSessions(ctx context.Context, a Act, readErr error) (Person, error) {
	return b.change(ctx, audit.SessionsEnded, a, readErr, func(ctx context.Context) error {
		return b.ports.Changes.EndSessions(ctx, a.User)
	})
}

// Rights are what an account may do.
type Rights struct {
	Scopes []string // back_office needs a role
	Roles  []string
}

// SetRights replaces the scopes and the roles of the account. Its keys lose rights immediately.
func (b *BackOffice) SetRights(ctx context.Context, a Act, r Rights, readErr error) (Person, error) {
	scopes, wrong := access.ParseScopes(r.Scopes)
	if wrong != nil {
		wrong = fault.Fields{"scopes": fault.FieldsOf(wrong)["scope"]}.Err()
	}
	roles, unknown := access.ParseRoles(r.Roles)
	if unknown == nil && len(roles) == 0 && slices.Contains(scopes, access.BackOffice) {
		unknown = fault.Field("roles", "The scope back_office needs a role.")
	}
	return b.change(ctx, audit.ScopesSet, a, fault.Merge(readErr, wrong, unknown), func(ctx context.Context) error {
		if a.User == a.Actor.ID && !slices.Contains(roles, access.Admin) {
			return ErrDemotesSelf
		}
		return b.ports.Changes.SetRights(ctx, a.User, scopes, roles)
	})
}

// change does the act, if the account exists and the request is valid, and returns the person as they are then.
func (b *BackOffice) change(
	ctx context.Context, act audit.Act, a Act, readErr error, fn func(context.Context) error,
) (Person, error) {
	if _, err := b.Show(ctx, a.User); err != nil {
		return Person{}, err
	}
	var wrong fault.Fields
	wrong.Add("reason", ReasonLimit.RequiredLine(&a.Reason))
	if err := fault.Merge(readErr, wrong.Err()); err != nil {
		return Person{}, err
	}
	if err := fn(b.act(ctx, a.Actor, act, a.User, a.Reason)); err != nil {
		return Person{}, err
	}
	return b.Show(ctx, a.User)
}
