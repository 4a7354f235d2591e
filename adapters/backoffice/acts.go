package backoffice

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/payment"
	"plaza/domain/text"
)

// personAct is what staff do to an account.
type personAct struct {
	Name                        string // the last word of its path
	Title, Link, Effect, Button string
	Fields                      []field // of its form, beside the reason
	// isFor reports whether the act can be done to the person. Nil: always.
	isFor func(*Site, personPage) bool
	// do does it, and returns what follows. Without a redirect or a template, that is the page of the person.
	do func(*Site, *visit, personPage) (answer, error)
}

// areaOf returns the area of an act on the person.
func areaOf(act string, on personPage) access.Area {
	return cmp.Or(map[string]access.Area{"order": access.Ordering, "rights": access.Rights}[act], on.Area())
}

// personActs are in the order of their links.
var personActs = []personAct{
	{
		Name: "order", Title: "Create an order?", Link: "Create an order…", Button: "Create the order",
		Effect: "The person can pay it in the wallet until it expires.",
		Fields: []field{
			{Name: "amount", Label: "Amount", Hint: "In yuan, like 12.50"},
			{Name: "subject", Label: "Subject", Hint: "What the person pays for, as the wallet shows it"},
			{Name: "hours", Label: "Hours until it expires", Hint: "Whole hours"},
		},
		do: (*Site).createOrder,
	},
	{
		Name: "phone", Title: "Change the phone number?", Link: "Change the phone number…", Button: "Change the number",
		Effect: "The person logs in with the new number. All sessions end, and the former number is told.",
		Fields: []field{{Name: "username", Label: "New phone number", Hint: "Like +86-13800000001"}},
		do: func(s *Site, v *visit, p personPage) (answer, error) {
			ctx, err := s.Office.Begin(v.r.Context(), p.record(v, audit.PhoneSet), nil)
			if err == nil {
				err = s.Signin.SetPhone(ctx, p.ID, p.Form.Typed.Get("username"), s.language)
			}
			return answer{}, err
		},
	},
	{
		Name: "password", Title: "Send a code for a new password?", Link: "New password…", Button: "Send the code",
		Effect: "The person gets a code by SMS, and sets a password with it in the app within ten minutes. Nobody else learns either.",
		isFor:  func(s *Site, p personPage) bool { return s.Signin.SendsCodes() && !p.Disabled },
		do: func(s *Site, v *visit, p personPage) (answer, error) {
			ctx, err := s.Office.Begin(v.r.Context(), p.record(v, audit.PasswordCodeSent), nil)
			if err == nil {
				err = s.Signin.SendPasswordCode(ctx, p.ID, s.config.Client(v.r), s.language)
			}
			return answer{}, err
		},
	},
	{
		Name: "sessions", Title: "End all sessions of this account?", Link: "End sessions…", Button: "End all sessions",
		Effect: "The person has to log in again everywhere.", do: changes(audit.SessionsEnded, (*backoffice.BackOffice).EndSessions),
	},
	{
		Name: "rights", Title: "Change the rights of this account?", Link: "Change rights…", Button: "Change the rights",
		Effect: "Sessions lose rights that are taken away at once.",
		do: func(s *Site, v *visit, p personPage) (answer, error) {
			ctx, act := s.begun(v, p, audit.ScopesSet)
			_, err := s.Office.SetRights(ctx, act, backoffice.Rights{Scopes: p.Form.Typed["scopes"], Roles: p.Form.Typed["roles"]}, nil)
			return answer{}, err
		},
	},
	{
		Name: "disable", Title: "Disable this account?", Link: "Disable…", Button: "Disable the account",
		Effect: "The person cannot log in, and all sessions stop working. What they wrote stays.",
		isFor:  func(_ *Site, p personPage) bool { return !p.Self && !p.Disabled },
		do:     changes(audit.AccountDisabled, (*backoffice.BackOffice).Disable),
	},
	{
		Name: "enable", Title: "Enable this account?", Link: "Enable…", Button: "Enable the account",
		Effect: "The person can log in again, and sessions that have not expired work again.",
		isFor:  func(_ *Site, p personPage) bool { return p.Disabled },
		do:     changes(audit.AccountEnabled, (*backoffice.BackOffice).Enable),
	},
	{
		Name: "export", Title: "Export all data of this person?", Link: "Export…", Button: "Download the data",
		Effect: "Only because the person asked for it. Give the file to nobody else.", do: (*Site).export,
	},
	{
		Name: "erase", Title: "Erase this person?", Link: "Erase…", Button: "Erase the person",
		Effect: "Only because the person asked for it. What they wrote and their pictures are deleted; " +
			"of payments, amounts and numbers stay. This cannot be undone.",
		Fields: []field{{Name: "uid", Label: "The uid of the person, to confirm", Hint: "It stands above."}},
		isFor:  func(_ *Site, p personPage) bool { return !p.Self }, do: (*Site).erase,
	},
}

// changes returns an act that is a use case of its own.
func changes(
	act audit.Act, do func(*backoffice.BackOffice, context.Context, backoffice.Act, error) (backoffice.Person, error),
) func(*Site, *visit, personPage) (answer, error) {
	return func(s *Site, v *visit, p personPage) (answer, error) {
		ctx, begun := s.begun(v, p, act)
		_, err := do(s.Office, ctx, begun, nil)
		return answer{}, err
	}
}

// begun returns an act on the person, and a context that carries its record. The use case checks the reason.
func (s *Site) begun(v *visit, p personPage, act audit.Act) (context.Context, backoffice.Act) {
	ctx, _ := s.Office.Begin(v.r.Context(), p.record(v, act), nil)
	return ctx, backoffice.Act{Actor: v.actor, User: p.ID, Reason: p.Form.Typed.Get("reason")}
}

func (p personPage) record(v *visit, act audit.Act) audit.Record {
	return v.record(act, audit.Numbered(audit.Account, p.ID), p.ID)
}

// createOrder creates an order that the person is to pay. A form that is sent twice is one order.
func (s *Site) createOrder(v *visit, p personPage) (answer, error) {
	form := p.Form.Typed
	var wrong fault.Fields
	amount, isAmount := minorUnits(form.Get("amount"))
	if !isAmount || amount < payment.MinAmount || amount > payment.MaxAmount {
		wrong.Add("amount", s.T("Enter an amount like 12.50, of at most %s.", sum(payment.CNY, payment.MaxAmount)))
	}
	hours, err := strconv.ParseInt(form.Get("hours"), 10, 16)
	if life := time.Duration(hours) * time.Hour; err != nil || life < time.Hour || life > payment.MaxLife {
		wrong.Add("hours", s.T("Enter whole hours, from 1 to %d.", payment.MaxLife/time.Hour))
	}
	subject := form.Get("subject")
	wrong.Add("subject", payment.SubjectLimit.RequiredLine(&subject))
	draft := payment.Draft{
		User: p.ID, Subject: subject, Amount: amount, Currency: payment.CNY, ExpiresIn: time.Duration(hours) * time.Hour,
	}
	ctx, err := s.Office.Begin(v.r.Context(), v.record(audit.OrderCreated, audit.Object{Kind: audit.Order}, p.ID), wrong.Err())
	if err != nil {
		return answer{}, err
	}
	key, err := idempotency.NewKey(v.actor.ID, "back-office "+form.Get("once"), payment.CreateContent(draft))
	if err != nil {
		return answer{}, err
	}
	made, err := s.Paying.Create(ctx, draft, key, nil)
	return answer{to: fmt.Sprintf("money/order/%d/?done=order", made.ID)}, err
}

// exportLife is how long an export may take.
const exportLife = time.Hour

// export sends all that is stored of the person, because the person asked for it.
func (s *Site) export(v *visit, p personPage) (answer, error) {
	ctx, err := s.Office.BeginCopy(v.r.Context(), p.record(v, audit.AccountExported), nil)
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exportLife)
	defer cancel()
	h := v.w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="plaza-user-%d.zip"`, p.ID))
	_ = http.NewResponseController(v.w).SetWriteDeadline(time.Now().Add(exportLife)) // a writer of a test has none
	if _, err := s.Privacy.Export(ctx, p.ID, v.w); err != nil {
		s.config.Log(ctx).WarnContext(ctx, "an export ended before it was complete", "error", err)
		panic(http.ErrAbortHandler) // else the browser takes the archive for complete
	}
	return answer{isWritten: true}, nil
}

// eraseAtOnce is how long a request waits for an erasure. After it, a background job goes on.
const eraseAtOnce = 10 * time.Second

// erase erases the person, because the person asked for it.
func (s *Site) erase(v *visit, p personPage) (answer, error) {
	var wrong fault.Fields
	if p.Self || p.Form.Typed.Get("uid") != fmt.Sprint(p.ID) {
		wrong.Add("uid", s.T("This is not the uid of the person."))
	}
	ctx, err := s.Office.Begin(v.r.Context(), p.record(v, audit.AccountErased), wrong.Err())
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eraseAtOnce)
	defer cancel()
	if _, err = s.Privacy.Erase(ctx, p.ID); err != nil {
		if _, shown := s.Office.Show(v.r.Context(), p.ID); !errors.Is(shown, access.ErrNoAccount) {
			return answer{}, err // else the account is closed
		}
	}
	_ = s.Privacy.RemoveFiles(ctx) // those that can't be removed are left to the job that cleans up
	return answer{to: "people/?done=erase"}, nil
}

// actForm is the form of an act. Its once is a random text: a form that is sent twice is one order.
type actForm struct {
	personAct
	Typed  url.Values
	Scopes []access.Scope // that can be chosen
	Roles  []access.Role  // that can be chosen
}

// Has reports whether the scope or the role is chosen.
func (f actForm) Has(right any) bool {
	return slices.Contains(slices.Concat(f.Typed["scopes"], f.Typed["roles"]), fmt.Sprint(right))
}

// actPage returns the person and the page that asks for the reason of the act, as it was entered.
func (s *Site) actPage(v *visit) (personPage, answer, error) {
	p, err := s.person(v)
	if err != nil {
		return p, answer{}, err
	}
	at := slices.IndexFunc(personActs, func(a personAct) bool { return a.Name == v.r.PathValue("act") })
	if at < 0 || v.r.Method == http.MethodGet && personActs[at].isFor != nil && !personActs[at].isFor(s, p) {
		return p, answer{}, errNoPage
	}
	act := personActs[at]
	if err := v.actor.Enter(areaOf(act.Name, p)); err != nil {
		return p, answer{}, err
	}
	p.Form = actForm{personAct: act, Typed: v.r.PostForm, Scopes: access.DefaultScopes(), Roles: access.Roles()}
	if len(p.Form.Typed) == 0 {
		p.Form.Typed = url.Values{
			"hours": {"2"}, "once": {rand.Text()},
			"scopes": strings.Fields(text.Joined(p.Scopes, " ")), "roles": strings.Fields(text.Joined(p.Roles, " ")),
		}
	}
	return p, answer{template: "act.html", Title: s.T(act.Title), Section: "people", Body: p}, nil
}

func (s *Site) showAct(v *visit) (answer, error) {
	_, a, err := s.actPage(v)
	return a, err
}

// act does something to an account.
func (s *Site) act(v *visit) (answer, error) {
	p, a, err := s.actPage(v)
	if err != nil {
		return a, err
	}
	next, err := p.Form.do(s, v, p)
	if err != nil {
		v.audited = []any{"refused", fault.KindOf(err).Code()}
		return v.again(a, err)
	}
	if next.to == "" && !next.isWritten {
		next.to = fmt.Sprintf("people/%d/?%s", p.ID, url.Values{"done": {p.Form.Name}}.Encode())
	}
	return next, nil
}
