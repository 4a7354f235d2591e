package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"plaza/adapters/httpapi/view"
	"plaza/application/privacy"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/personaldata"
	"plaza/domain/user"
)

// person is an account with its member, as the command line shows them.
type person struct {
	UID       user.ID            `json:"uid"`
	Username  string             `json:"username"`
	Firstname string             `json:"firstname"`
	Lastname  string             `json:"lastname"`
	Expertise string             `json:"expertise"`
	Location  string             `json:"location"`
	Timezone  string             `json:"timezone"`
	Scopes    []access.Scope     `json:"scopes"`
	Staff     bool               `json:"staff"`
	Roles     []access.Role      `json:"roles"`
	Disabled  bool               `json:"disabled"`
	Joined    instant.Timestamp  `json:"joined"`
	Seen      *instant.Timestamp `json:"seen"`
	fullName  string
	erased    bool
}

// standing says whether the account is open, disabled or erased, and which roles it has.
func (p person) standing() string {
	standing := "open"
	switch {
	case p.erased:
		standing = "erased"
	case p.Disabled:
		standing = "disabled"
	}
	if len(p.Roles) > 0 {
		standing += "," + listed(p.Roles)
	}
	return standing
}

func (p person) row() string {
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%s",
		p.UID, p.Username, p.standing(), listed(p.Scopes), clock(p.Joined), orDash(p.Timezone), orDash(p.fullName))
}

func personOf(a access.Account, m user.Member) person {
	return person{
		UID: a.User, Username: a.Phone.String(), Firstname: m.Firstname, Lastname: m.Lastname,
		Expertise: m.Expertise, Location: m.Location, Timezone: m.Timezone,
		Scopes: append([]access.Scope{}, a.Scopes...), Staff: a.IsStaff(), Roles: append([]access.Role{}, a.Roles...), Disabled: a.Disabled,
		Joined: instant.Timestamp(m.Joined), Seen: view.OrNever(m.Seen), fullName: m.FullName(), erased: a.IsErased(),
	}
}

func personByID(ctx context.Context, app *bootstrap.App, id user.ID) (person, error) {
	account, err := app.Stores.Accounts.ByID(ctx, id)
	if err != nil {
		return person{}, err
	}
	all, err := persons(ctx, app, []access.Account{account})
	if err != nil {
		return person{}, err
	}
	return all[0], nil
}

func persons(ctx context.Context, app *bootstrap.App, accounts []access.Account) ([]person, error) {
	ids := make([]user.ID, len(accounts))
	for i, account := range accounts {
		ids[i] = account.User
	}
	members, err := app.Stores.Directory.Members(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := map[user.ID]user.Member{}
	for _, m := range members {
		byID[m.ID] = m
	}
	all := make([]person, len(accounts))
	for i, account := range accounts {
		all[i] = personOf(account, byID[account.User])
	}
	return all, nil
}

// accountCommand is embedded in every command that changes or copies one account.
type accountCommand struct {
	UID user.ID `arg:"" name:"uid" help:"Account."`
	actCommand
}

// change changes the account, and prints the result, whose verb is for the uid. The log has what else is to be known about it.
func (c accountCommand) change(
	ctx context.Context, s streams, act audit.Act, line, result string, change func(context.Context, *bootstrap.App) error, about ...any,
) error {
	return c.acting(ctx, s, mustExist, audit.OnAccount(act, c.UID), func(ctx context.Context, app *bootstrap.App, log actLog) error {
		if err := change(ctx, app); err != nil {
			return err
		}
		return log.concludes(ctx, fmt.Sprintf(result, c.UID), line, append([]any{"user", c.UID}, about...)...)
	})
}

type userShow struct {
	UID  user.ID `arg:"" name:"uid" help:"Account."`
	JSON bool    `name:"json" help:"Print the account as JSON."`
	dataCommand
}

func (c userShow) Run(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		p, err := personByID(ctx, app, c.UID)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(s.out, p)
		}
		return s.printf("UID        %d\nPhone      %s\nStanding   %s\nScopes     %s\nName       %s\nExpertise  %s\nLocation   %s\n"+
			"Time zone  %s\nJoined     %s\nSeen       %s\n",
			p.UID, p.Username, p.standing(), listed(p.Scopes), oneLine(orDash(p.fullName)), oneLine(orDash(p.Expertise)),
			oneLine(orDash(p.Location)), orDash(p.Timezone), clock(p.Joined), clock(orZero(p.Seen)))
	})
}

type userStaff struct {
	accountCommand
	Staff string `arg:"" optional:"" default:"on" enum:"on,off" help:"on or off. off holds for existing tokens at once."`
	Roles string `default:"admin" help:"Roles with on, comma separated: moderator (reports, hiding), cashier (money), support (people, orders), admin (all)." placeholder:"A,B"`
}

func (c userStaff) Run(ctx context.Context, s streams) error {
	roles, err := rolesOf(c.Roles)
	act, result := audit.StaffGranted, "Account %d may use the back office, with the roles "+listed(roles)+"."
	switch {
	case c.Staff == "off":
		roles, act, result = nil, audit.StaffRevoked, "Account %d may not use the back office."
	case err != nil:
		return err
	}
	return c.change(ctx, s, act, "user staff", result,
		func(ctx context.Context, app *bootstrap.App) error { return app.Signin.SetRoles(ctx, c.UID, roles...) }, "roles", listed(roles))
}

// rolesOf returns the roles with the names, of which one is needed.
func rolesOf(names string) ([]access.Role, error) {
	roles, err := access.ParseRoles(settings.SplitNames(names))
	switch {
	case err != nil:
		return nil, misusef("--roles: %s", strings.Join(fault.FieldsOf(err)["roles"], " "))
	case len(roles) == 0:
		return nil, misusef("--roles needs a role: moderator, cashier, support or admin")
	}
	return roles, nil
}

type factorCommands struct {
	Reset factorReset `cmd:"" help:"Remove an account's second factor, as after a lost telephone, and revoke all its tokens." example:"plaza user second-factor reset 5"`
}

type factorReset struct{ accountCommand }

func (c factorReset) Run(ctx context.Context, s streams) error {
	const result = "Account %d has no second factor, and its tokens are revoked. The next login at /back-office/ sets up another."
	return c.change(ctx, s, audit.SecondFactorReset, "user second-factor reset", result,
		func(ctx context.Context, app *bootstrap.App) error { return app.Signin.ResetSecondFactor(ctx, c.UID) })
}

type userExport struct {
	To string `type:"path" help:"File to write. It must not exist (default: plaza-user-UID.zip)." placeholder:"FILE.zip"`
	accountCommand
}

func (c userExport) Run(ctx context.Context, s streams) error {
	return c.actingOnPictures(ctx, s, mustExist, audit.OnAccount(audit.AccountExported, c.UID),
		func(ctx context.Context, app *bootstrap.App, log actLog) error {
			if _, err := app.Stores.Accounts.ByID(ctx, c.UID); err != nil {
				return err
			}
			name := cmp.Or(c.To, fmt.Sprintf("plaza-user-%d.zip", c.UID))
			done, err := exportTo(ctx, app.Privacy, c.UID, name)
			if err != nil {
				return err
			}
			if err := log.acted(ctx, "user export", "user", c.UID, "file", name); err != nil {
				return err
			}
			for _, key := range done.Missing {
				fmt.Fprintln(s.err, "No file for the picture", key)
			}
			return s.printf("Wrote %d records and %d pictures to %s.\n", done.Records, done.Pictures, name)
		})
}

// exportTo writes an export to a new file that only its owner may read. It leaves no part of one behind.
func exportTo(ctx context.Context, p *privacy.Privacy, id user.ID, name string) (done privacy.Exported, err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return privacy.Exported{}, fmt.Errorf("%s exists: choose another file with --to", name)
	}
	if err != nil {
		return privacy.Exported{}, whereToRun(err)
	}
	done, err = p.Export(ctx, id, file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return privacy.Exported{}, errors.Join(err, os.Remove(name))
	}
	return done, nil
}

type userErase struct {
	Yes  bool `help:"Erase. Without it, only what would be erased is printed."`
	JSON bool `name:"json" help:"Print the result as JSON."`
	accountCommand
}

// erasedKind is a kind of records that an erasure has treated, as the command line shows it.
type erasedKind struct {
	Kind    personaldata.Kind      `json:"kind"`
	Erasure personaldata.Treatment `json:"erasure"`
	Records int                    `json:"records"`
}

func (c userErase) print(s streams, counts []privacy.Count) error {
	row := func(n privacy.Count) string { return fmt.Sprintf("%s\t%d\t%s", n.Kind, n.Records, n.Erasure) }
	return printList(s, c.JSON, "WHAT\tRECORDS\tARE", seqOf(counts), row, func(n privacy.Count) erasedKind { return erasedKind(n) })
}

func (c userErase) Run(ctx context.Context, s streams) error {
	if !c.Yes {
		return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
			counts, err := app.Privacy.Preview(ctx, c.UID)
			if err != nil {
				return err
			}
			return errors.Join(c.print(s, counts), misusef("nothing was erased: this would be. Add --yes to erase user %d", c.UID))
		})
	}
	return c.actingOnPictures(ctx, s, mustExist, audit.OnAccount(audit.AccountErased, c.UID),
		func(ctx context.Context, app *bootstrap.App, log actLog) error {
			done, err := app.Privacy.Erase(ctx, c.UID)
			if errors.Is(err, access.ErrNoAccount) {
				return err
			}
			err = errors.Join(err, log.acted(ctx, "user erase", "user", c.UID, "complete", err == nil))
			if err = errors.Join(c.print(s, done.Counts), err); err != nil {
				return fmt.Errorf("the erasure of user %d is not complete: a server goes on with it, or run it again: %w", c.UID, err)
			}
			if err := app.Privacy.RemoveFiles(ctx); err != nil {
				fmt.Fprintln(s.err, "Servers will remove the files of pictures that could not be removed now:", err)
			}
			if len(done.OpenOrders) > 0 {
				return fmt.Errorf("the orders %v of user %d are open and keep their subjects: a server erases them after they are paid or closed, "+
					"and so does this",
					done.OpenOrders, c.UID)
			}
			fmt.Fprintf(s.err, "User %d is erased. The phone number may be registered again.\n", c.UID)
			return nil
		})
}
