package command

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/secret"
	"plaza/domain/user"
)

type tokenCommands struct {
	Issue  tokenIssue  `cmd:"" help:"Issue a token without a login and print its key, once." example:"plaza token issue --user 5 --scopes xfile_event --ttl 24h" settings:"token-ttl"`
	List   tokenList   `cmd:"" help:"List an account's tokens without their keys." example:"plaza token list --user 5"`
	Revoke tokenRevoke `cmd:"" help:"Revoke a token." example:"plaza token revoke 17"`
}

type tokenIssue struct {
	User   user.ID        `required:"" help:"Account of the token." placeholder:"UID"`
	Scopes string         `help:"Scopes: xfile_event, writing_bundle, pay_trade_order, and for staff accounts back_office (default: all scopes of the account)." placeholder:"A,B"`
	TTL    *time.Duration `name:"ttl" help:"Lifetime from the last use (default: PLAZA_TOKEN_TTL)." placeholder:"DURATION"`
	JSON   bool           `name:"json" help:"Print the token with its key as JSON."`
	actCommand
}

func (c tokenIssue) Run(ctx context.Context, s streams) error {
	ttl := orZero(c.TTL)
	if c.TTL != nil {
		if err := settings.CheckTokenTTL(ttl); err != nil {
			return misusef("--ttl: %w", err)
		}
	}
	r := audit.Record{Act: audit.TokenIssued, Object: audit.Object{Kind: audit.Token}}
	return c.acting(ctx, s, mustExist, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		key, err := app.Signin.Issue(ctx, c.User, settings.SplitNames(c.Scopes), ttl)
		if err != nil {
			return err
		}
		hash, _ := access.HashKey(key)
		session, err := app.Stores.Tokens.Session(ctx, hash)
		if err != nil {
			return err
		}
		if err := log.acted(ctx, "token issue", "user", c.User, "token", session.ID, "scopes", listed(session.Scopes)); err != nil {
			return err
		}
		if session.Account.Disabled {
			fmt.Fprintf(s.err, "Account %d is disabled: the token is invalid until the account is enabled.\n", c.User)
		}
		issued := tokenOf(app, session)
		issued.Key = key.Reveal()
		return s.made(c.JSON, issued, fmt.Sprintf("Issued token %d of account %d for %s. It expires at %s unless it is used before. "+
			"Its key is shown only once", session.ID, session.User, listed(session.Scopes), clock(session.Expires())), issued.Key)
	})
}

// token is a token as the command line shows it.
type token struct {
	ID      access.TokenID    `json:"id"`
	Key     string            `json:"key,omitempty"` // only of a new token
	User    user.ID           `json:"user"`
	Scopes  []access.Scope    `json:"scopes"`
	Created instant.Timestamp `json:"created"`
	Used    instant.Timestamp `json:"used"`
	Expires instant.Timestamp `json:"expires"`
	Good    bool              `json:"good"`
}

// tokenOf returns the token with its effective scopes: the account may have lost some.
func tokenOf(app *bootstrap.App, s access.Session) token {
	t := token{
		ID: s.ID, User: s.User, Scopes: []access.Scope{}, Created: instant.Timestamp(s.Created),
		Used: instant.Timestamp(s.Used), Expires: instant.Timestamp(s.Expires()),
	}
	if actor, err := app.Signin.ActorOf(s); err == nil {
		t.Good, t.Scopes = true, append(t.Scopes, actor.Scopes...)
	}
	return t
}

func (t token) row() string {
	standing := "good"
	if !t.Good {
		standing = "void"
	}
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s",
		t.ID, standing, listed(t.Scopes), clock(t.Created), clock(t.Used), clock(t.Expires))
}

type tokenList struct {
	User user.ID `required:"" help:"Account of the tokens." placeholder:"UID"`
	JSON bool    `name:"json" help:"Print a JSON array."`
	dataCommand
}

func (c tokenList) Run(ctx context.Context, s streams) error {
	return c.withApp(ctx, s, mustExist, func(ctx context.Context, app *bootstrap.App) error {
		account, err := app.Stores.Accounts.ByID(ctx, c.User)
		if err != nil {
			return err
		}
		tokens, err := app.Stores.Tokens.OfUsers(ctx, c.User)
		if err != nil {
			return err
		}
		rows := make([]token, len(tokens))
		for i, t := range tokens {
			rows[i] = tokenOf(app, access.Session{Token: t, Account: account})
		}
		return printList(s, c.JSON, "ID\tSTANDING\tSCOPES\tCREATED\tUSED\tEXPIRES", seqOf(rows), token.row, itself)
	})
}

type tokenRevoke struct {
	Token secret.String `arg:"" name:"key-or-id" help:"The token's key or id."`
	actCommand
}

func (c tokenRevoke) Run(ctx context.Context, s streams) error {
	id, err := strconv.ParseInt(c.Token.Reveal(), 10, 64)
	isID := err == nil
	hash, isKey := access.HashKey(c.Token)
	if !isKey && !isID {
		return misusef("the argument is neither the key nor the id of a token")
	}
	r := audit.Record{Act: audit.TokenRevoked, Object: audit.Object{Kind: audit.Token}}
	return c.acting(ctx, s, mustExist, r, func(ctx context.Context, app *bootstrap.App, log actLog) error {
		id, of := access.TokenID(id), user.ID(0)
		if !isID {
			session, err := app.Stores.Tokens.Session(ctx, hash)
			if err != nil {
				return err
			}
			id, of = session.ID, session.User
		}
		audit.Made(ctx, audit.Numbered(audit.Token, id), of)
		if err := app.Stores.Tokens.Revoke(ctx, id); err != nil {
			return err
		}
		return log.concludes(ctx, "The token is revoked.", "token revoke", "token", id)
	})
}
