package command

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"plaza/application/signin"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/text"
	"plaza/domain/user"
)

type userCommands struct {
	Create  userCreate     `cmd:"" help:"Create an account and print its uid." example:"echo 'heron-gravel-tuba' | plaza user create --username +86-13800000009"`
	List    userList       `cmd:"" help:"List accounts in the order of their uids." example:"plaza user list --after 50 --json"`
	Show    userShow       `cmd:"" help:"Show an account." example:"plaza user show 5"`
	Disable userDisable    `cmd:"" help:"Disable an account; its content stays." example:"plaza user disable 5"`
	Enable  userEnable     `cmd:"" help:"Enable a disabled account." example:"plaza user enable 5"`
	Passwd  userPasswd     `cmd:"" help:"Set an account's password and revoke all its tokens." example:"echo 'heron-gravel-tuba' | plaza user passwd 5"`
	Phone   userPhone      `cmd:"" help:"Set the phone number that an account logs in with, and revoke all its tokens." example:"plaza user phone 5 +86-13800000010" settings:"sms"`
	Scopes  userScopes     `cmd:"" help:"Set an account's scopes and its access to the back office." example:"plaza user scopes 5 xfile_event,writing_bundle --no-staff"`
	Staff   userStaff      `cmd:"" help:"Give an account roles in the back office, or take them." example:"plaza user staff 5 --roles moderator,support"`
	Factor  factorCommands `cmd:"" name:"second-factor" help:"Manage the second factors of staff."`
	Export  userExport     `cmd:"" help:"Write all that is stored of a person into a zip of JSON files and pictures." example:"plaza user export 5 --to person-5.zip" settings:"media"`
	Erase   userErase      `cmd:"" help:"Erase all that is stored of a person. Of payments, amounts, times and the wallet's numbers stay. An interrupted erasure is continued by running it again." example:"plaza user erase 5 --yes" settings:"media"`
}

type userCreate struct {
	Username  string        `required:"" help:"Phone number to log in with." placeholder:"+86-13800000001"`
	Password  secret.String `help:"Password. Other users of this machine can see it here; the first line of the standard input is safer." placeholder:"PASSWORD"`
	Firstname string        `help:"Given name."`
	Lastname  string        `help:"Family name."`
	Timezone  string        `help:"Time zone, like Asia/Shanghai (default: UTC)."`
	Expertise string        `help:"Main expertise."`
	Location  string        `help:"Current region."`
	Scopes    *string       `help:"Scopes for tokens: xfile_event, writing_bundle, pay_trade_order (default: these three), and back_office, which implies --staff." placeholder:"A,B"`
	Staff     bool          `help:"Allow the back office: the account becomes an admin, and gets the scope back_office."`
	JSON      bool          `name:"json" help:"Print the account as JSON."`
	actCommand
}

func (c userCreate) Run(ctx context.Context, s streams) error {
	r := audit.Record{Act: audit.AccountCreated, Object: audit.Object{Kind: audit.Account}}
	return c.acting(ctx, s, mayCreate, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		password, missing := passwordOr(ctx, s, c.Password)
		if missing != nil && !fault.Is(missing, fault.Invalid) {
			return missing
		}
		new := signin.Registration{
			Username: c.Username, Password: password,
			Member: user.Member{
				Firstname: c.Firstname, Lastname: c.Lastname, Timezone: c.Timezone,
				Expertise: c.Expertise, Location: c.Location,
			},
		}
		if c.Staff {
			new.Roles = []access.Role{access.Admin}
		}
		if c.Scopes != nil {
			new.Scopes = settings.SplitNames(*c.Scopes)
		}
		id, err := app.Signin.Register(ctx, new)
		if missing != nil {
			others := fault.FieldsOf(err)
			delete(others, "password")
			return fault.Merge(missing, others.Err())
		}
		if err != nil {
			return err
		}
		if err := log.acted(ctx, "user create", "user", id, "staff", c.Staff); err != nil {
			return err
		}
		account, err := personByID(ctx, app, id)
		if err != nil {
			return err
		}
		return s.made(c.JSON, account, "Created the account with this uid", id)
	})
}

type userList struct {
	After user.ID `help:"List only uids above this one." placeholder:"UID"`
	Limit int     `default:"50" help:"Maximum number of accounts; 0 lists all." placeholder:"50"`
	JSON  bool    `name:"json" help:"Print a JSON array."`
	dataCommand
}

func (c userList) Run(ctx context.Context, s streams) error {
	if c.Limit < 0 {
		return misusef("--limit can't be negative")
	}
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		found := peopleAfter(ctx, app, c.After, c.Limit)
		if c.JSON {
			return printArray(s.out, found, itself)
		}
		var count int
		var last user.ID
		err := printTable(s.out, "UID\tPHONE\tSTANDING\tSCOPES\tJOINED\tTIME ZONE\tNAME", found, func(p person) string {
			count, last = count+1, p.UID
			return p.row()
		})
		if err == nil && c.Limit > 0 && count == c.Limit {
			fmt.Fprintf(s.err, "There may be more: plaza user list --after %d\n", last)
		}
		return err
	})
}

// listPage is how many accounts are read at once.
const listPage = 200

// peopleAfter yields the accounts with uids above after, at most limit of them (zero: all).
func peopleAfter(ctx context.Context, app *bootstrap.App, after user.ID, limit int) iter.Seq2[person, error] {
	return func(yield func(person, error) bool) {
		for size, yielded := listPage, 0; size == listPage; {
			accounts, err := app.Stores.Accounts.List(ctx, after, listPage)
			var found []person
			if err == nil {
				found, err = persons(ctx, app, accounts)
			}
			if err != nil {
				yield(person{}, err)
				return
			}
			for _, p := range found {
				if yielded++; limit > 0 && yielded > limit || !yield(p, nil) {
					return
				}
				after = p.UID
			}
			size = len(found)
		}
	}
}

type userDisable struct{ accountCommand }

func (c userDisable) Run(ctx context.Context, s streams) error {
	const result = "Account %d is disabled. Its password and its tokens are not accepted."
	return c.change(ctx, s, audit.AccountDisabled, "user disable", result,
		func(ctx context.Context, app *bootstrap.App) error { return app.Signin.SetDisabled(ctx, c.UID, true) })
}

type userEnable struct{ accountCommand }

func (c userEnable) Run(ctx context.Context, s streams) error {
	const result = "Account %d is enabled. Its tokens are valid again."
	return c.change(ctx, s, audit.AccountEnabled, "user enable", result,
		func(ctx context.Context, app *bootstrap.App) error { return app.Signin.SetDisabled(ctx, c.UID, false) })
}

type userPasswd struct {
	Password secret.String `help:"Password. Other users of this machine can see it here; the first line of the standard input is safer." placeholder:"PASSWORD"`
	accountCommand
}

func (c userPasswd) Run(ctx context.Context, s streams) error {
	const result = "The password of account %d is set. Its tokens are revoked."
	return c.change(ctx, s, audit.PasswordSet, "user passwd", result, func(ctx context.Context, app *bootstrap.App) error {
		// Fail before asking for a password if the account does not exist.
		if _, err := app.Stores.Accounts.ByID(ctx, c.UID); err != nil {
			return err
		}
		password, err := passwordOr(ctx, s, c.Password)
		if err != nil {
			return err
		}
		return app.Signin.SetPassword(ctx, c.UID, password)
	})
}

type userPhone struct {
	accountCommand
	Username string   `arg:"" help:"Phone number to log in with." placeholder:"+86-13800000001"`
	Language language `default:"en" help:"Language of the SMS to the former number, which is told if PLAZA_SMS names a sender." placeholder:"TAG"`
}

func (c userPhone) Run(ctx context.Context, s streams) error {
	const result = "Account %d logs in with the new number. Its password stays, and its tokens are revoked."
	return c.change(ctx, s, audit.PhoneSet, "user phone", result, func(ctx context.Context, app *bootstrap.App) error {
		return app.Signin.SetPhone(ctx, c.UID, c.Username, c.Language.Tag)
	})
}

type userScopes struct {
	accountCommand
	Scopes string `arg:"" help:"Scopes for tokens, comma separated: xfile_event, writing_bundle, pay_trade_order; an empty text is none. back_office makes an account without roles an admin; without it, staff accounts stay staff."`
	Staff  *bool  `negatable:"" help:"Make an account without roles an admin. --no-staff takes all roles, also from existing tokens (default: unchanged)."`
}

func (c userScopes) Run(ctx context.Context, s streams) error {
	return c.acting(ctx, s, mustExist, audit.OnAccount(audit.ScopesSet, c.UID),
		func(ctx context.Context, app *bootstrap.App, log actLog) error {
			names := settings.SplitNames(c.Scopes)
			if c.Staff != nil && !*c.Staff && slices.Contains(names, string(access.BackOffice)) {
				return misusef("--no-staff contradicts the scope back_office")
			}
			if err := app.Signin.SetScopes(ctx, c.UID, names); err != nil {
				return err
			}
			account, err := app.Stores.Accounts.ByID(ctx, c.UID)
			if err == nil && c.Staff != nil && *c.Staff != account.IsStaff() {
				if account.Roles = nil; *c.Staff {
					account.Roles = []access.Role{access.Admin}
				}
				err = app.Signin.SetRoles(ctx, c.UID, account.Roles...)
			}
			if err != nil {
				return err
			}
			result := fmt.Sprintf("Account %d has no scopes.", c.UID)
			if scopes := account.EffectiveScopes(); len(scopes) > 0 {
				result = fmt.Sprintf("Account %d has the scopes %s.", c.UID, text.Joined(scopes, ", "))
			}
			return log.concludes(ctx, result, "user scopes", "user", c.UID, "scopes", listed(account.Scopes), "roles", listed(account.Roles))
		})
}
