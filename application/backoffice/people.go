package backoffice

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
)

// Person is a person as staff sees them.
type Person struct {
	user.Info
	Phone    user.Phone
	Scopes   []access.Scope // of the account, BackOffice included
	Roles    []access.Role
	Disabled bool
	Sessions int // valid keys; a disabled account has none
}

// Area returns the area of acts on the account. With an account of staff, support could take over or shut out an admin (OFF-03).
func (p Person) Area() access.Area {
	return map[bool]access.Area{false: access.People, true: access.Rights}[len(p.Roles) > 0]
}

var people = Table[Person]{
	[]string{"uid", "name", "phone", "is_disabled", "roles", "joined_at", "last_seen_at"},
	func(p Person) [][]any {
		return [][]any{{p.ID, p.Username, p.Phone, p.Disabled, text.Joined(p.Roles, ", "), p.Joined, p.Seen}}
	},
}

// PeopleQuery finds people by at most one of its first four fields. Without any, it lists all.
type PeopleQuery struct {
	Typed string  // one of the others. Digits that are no uid are a telephone without its plus
	Phone string  // the number that an account logs in with, as user.ParseTypedPhone reads it
	UID   user.ID // zero: none
	Name  string  // as in people.Search
	access.AccountFilter
	page.CursorRequest
}

// ReadAccounts returns the filter of the parameters state and role, which value returns by their names (OFF-05).
func ReadAccounts(value func(name string) string) (f access.AccountFilter, err error) {
	var wrong fault.Fields
	f.IsDisabled = chosen(&wrong, value, "state", "", "disabled") != ""
	f.Role = chosen(&wrong, value, "role", "", RoleChoices()...)
	if f.IsStaff = f.Role != ""; f.Role == "any" {
		f.Role = ""
	}
	return f, wrong.Err()
}

// RoleChoices returns what ReadAccounts reads as a role.
func RoleChoices() []access.Role { return append(access.Roles(), "any") }

// errCriteria is the fault of a query with several of the criteria.
var errCriteria = fault.New(fault.Invalid, "Send at most one of q, phone, uid and name.")

// People returns the people whom the query finds, which are read by cursors.
func (b *BackOffice) People(ctx context.Context, q PeopleQuery) Listing[Person] {
	return listing("people", people, &q.Span, func(r page.Request) (page.Page[Person], error) {
		q.CursorRequest = page.Behind(r.After(), r.Size())
		found, err := b.Find(ctx, q)
		return partOf(r, found), err
	})
}

// Find returns the people whom the query finds, also those whose account is disabled: by a name those behind the cursor in the order of
// uids, without a criterion in that of the span.
func (b *BackOffice) Find(ctx context.Context, q PeopleQuery) (page.CursorPage[Person], error) {
	found, err := page.CursorPage[user.Member]{}, error(errCriteria)
	criteria := []bool{q.Typed != "", q.Phone != "", q.UID != 0, q.Name != ""}
	switch len(slices.DeleteFunc(criteria, func(is bool) bool { return !is })) {
	case 0:
		found, err = b.ports.Accounts.Newest(ctx, q.AccountFilter, q.CursorRequest)
	case 1:
		found, err = b.find(ctx, q)
	}
	if err != nil {
		return page.CursorPage[Person]{}, err
	}
	people, err := b.describe(ctx, found.Items)
	people = slices.DeleteFunc(people, func(p Person) bool {
		return !q.Admits(access.Account{Disabled: p.Disabled, Roles: p.Roles}, p.Joined)
	})
	return page.CursorPage[Person]{Items: people, Next: found.Next}, err
}

// find returns the people whom the one criterion of the query finds.
func (b *BackOffice) find(ctx context.Context, q PeopleQuery) (found page.CursorPage[user.Member], err error) {
	switch {
	case q.Typed != "":
		return b.findTyped(ctx, q)
	case q.Name != "":
		name, err := user.ParseSearchName(q.Name)
		if err != nil {
			return found, fault.OnField("name", err)
		}
		return b.ports.Directory.Search(ctx, user.Search{Name: name, WithDisabled: true, CursorRequest: q.CursorRequest})
	case q.Phone != "":
		phone, err := user.ParseTypedPhone(q.Phone)
		if err != nil {
			return found, fault.OnField("phone", err)
		}
		account, err := b.ports.Accounts.ByPhone(ctx, phone)
		if errors.Is(err, access.ErrNoAccount) {
			return found, nil
		}
		if err != nil {
			return found, err
		}
		q.UID = account.User
	}
	found.Items, err = b.ports.Directory.Members(ctx, []user.ID{q.UID})
	return found, err
}

func (b *BackOffice) findTyped(ctx context.Context, q PeopleQuery) (page.CursorPage[user.Member], error) {
	as := PeopleQuery{CursorRequest: q.CursorRequest}
	uid, notUID := strconv.ParseInt(q.Typed, 10, 64)
	_, notPhone := user.ParseTypedPhone(q.Typed)
	switch {
	case strings.HasPrefix(q.Typed, "+") || notUID != nil && notPhone == nil:
		as.Phone = q.Typed
	case notUID == nil:
		as.UID = user.ID(uid)
	default:
		as.Name = q.Typed
	}
	found, err := b.find(ctx, as)
	if err == nil && as.UID != 0 && len(found.Items) == 0 && notPhone == nil {
		found, err = b.find(ctx, PeopleQuery{Phone: q.Typed})
	}
	if wrong := fault.FieldsOf(err); wrong != nil {
		err = fault.Fields{"q": append(wrong["phone"], wrong["name"]...)}.Err()
	}
	return found, err
}

// Show returns the person, or access.ErrNoAccount, also if their data was erased.
func (b *BackOffice) Show(ctx context.Context, id user.ID) (Person, error) {
	members, err := b.ports.Directory.Members(ctx, []user.ID{id})
	if err == nil && len(members) == 0 {
		err = access.ErrNoAccount
	}
	if err != nil {
		return Person{}, err
	}
	found, err := b.describe(ctx, members)
	if err != nil {
		return Person{}, err
	}
	return found[0], nil
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
		a := byID[info.ID]
		all[i] = Person{info, a.Phone, a.EffectiveScopes(), a.Roles, a.Disabled, sessions[info.ID]}
	}
	return all, nil
}

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

// Disable disables the account, and decides the reports of the person, unless the actor has reported them: moderation.ErrOwn (MOD-06).
// Its content stays.
func (b *BackOffice) Disable(ctx context.Context, a Act, readErr error) (Person, error) {
	return b.change(ctx, a, readErr, func() error {
		if a.User == a.Actor.ID {
			return ErrDisablesSelf
		}
		has, err := b.ports.Moderation.HasReported(ctx, a.Actor.ID, moderation.Thing{Kind: moderation.Person, ID: int64(a.User)})
		if err = cmp.Or(err, moderation.CheckJudge(audit.Actor{Staff: a.Actor.ID}, a.User, has)); err != nil {
			return err
		}
		return b.ports.Changes.SetDisabled(ctx, a.User, true)
	})
}

// Enable enables a disabled account. Its keys are valid again.
func (b *BackOffice) Enable(ctx context.Context, a Act, readErr error) (Person, error) {
	return b.change(ctx, a, readErr, func() error { return b.ports.Changes.SetDisabled(ctx, a.User, false) })
}

// EndSessions ends all keys of the account, also those of the actor.
func (b *BackOffice) EndSessions(ctx context.Context, a Act, readErr error) (Person, error) {
	return b.change(ctx, a, readErr, func() error { return b.ports.Changes.EndSessions(ctx, a.User) })
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
	return b.change(ctx, a, fault.Merge(readErr, wrong, unknown), func() error {
		if a.User == a.Actor.ID && !slices.Contains(roles, access.Admin) {
			return ErrDemotesSelf
		}
		return b.ports.Changes.SetRights(ctx, a.User, scopes, roles)
	})
}

// change does the act, of which the context carries the audit record, if the account exists, the actor may enter its area, and the
// request is valid, and returns the person as they are then.
func (b *BackOffice) change(ctx context.Context, a Act, readErr error, do func() error) (Person, error) {
	p, err := b.Show(ctx, a.User)
	if area := p.Area(); err == nil && area != access.People { // that one each caller may enter
		err = a.Actor.Enter(area)
	}
	if err != nil {
		return Person{}, err
	}
	if err := audit.CheckReason(ctx, &a.Reason, readErr); err != nil {
		return Person{}, err
	}
	audit.Made(ctx, audit.Numbered(audit.Account, a.User), a.User)
	if err := do(); err != nil {
		return Person{}, err
	}
	return b.Show(ctx, a.User)
}
