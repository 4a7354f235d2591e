package httpapi

import (
	"context"
	"net/http"
	"time"

	"plaza/adapters/httpapi/transport"
	"plaza/application/privacy"
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// loginBody is the body of a login. A password is never trimmed, so a password of spaces is
// valid.
type loginBody struct {
	Username *string        `json:"username" validate:"required,visible"`
	Password *secret.String `json:"password" validate:"required,min=1"`
	Scope    []string       `json:"scope" validate:"max=50"`
	OTP      secret.String  `json:"otp"`
}

type keyView struct {
	Key string `json:"key"`
}

// login returns a new key (AUT-01).
func (a *api) login(c *transport.Call) (transport.Reply, error) {
	limited := a.addresses.Charge(c.Context())
	body, readErr := transport.Read[loginBody](c)
	key, err := a.Signin.Login(c.Context(), signin.Login{
		Username: deref(body.Username), Password: deref(body.Password), Scopes: body.Scope, OTP: body.OTP.Reveal(), From: c.Address(),
		Limited: limited,
	}, readErr)
	return transport.Data(keyView{key.Reveal()}), err
}

// logout revokes the key that the request presents (AUT-10).
func (a *api) logout(c *transport.Call) (transport.Reply, error) {
	return transport.NoContent(), a.Signin.Logout(c.Context(), c.Key)
}

// passwordBody is a change of the caller's password (AUT-13). Passwords are never trimmed.
type passwordBody struct {
	Old *secret.String `json:"old_password" validate:"required,min=1"`
	New *secret.String `json:"new_password" validate:"required,min=1"`
}

func (a *api) changePassword(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[passwordBody](c)
	return transport.NoContent(), a.Signin.ChangePassword(c.Context(), c.Actor, signin.PasswordChange{
		Old: deref(body.Old), New: deref(body.New), From: c.Address(),
	}, readErr)
}

// sessionView is a token of the caller, without its key.
type sessionView struct {
	ID       access.TokenID      `json:"id"`
	Scopes   []access.Scope      `json:"scopes"`
	Created  transport.Timestamp `json:"created_at"`
	LastUsed transport.Timestamp `json:"last_used_at"`
	Current  bool                `json:"current"` // the token of this request
}

func (a *api) listSessions(c *transport.Call) (transport.Reply, error) {
	return pageOf(c, c.Query(), c.Actor, a.Signin.Sessions, func(t access.Token) sessionView {
		return sessionView{t.ID, listed(t.Scopes), transport.Timestamp(t.Created), transport.Timestamp(t.Used), t.ID == c.Actor.Token}
	})
}

func (a *api) endSession(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.Signin.EndSession)
}

// codeBody asks for a one-time code (AUT-15).
type codeBody struct {
	Username *string               `json:"username"`
	Purpose  *verification.Purpose `json:"purpose" validate:"required"`
}

type codeSentView struct {
	ExpiresIn   int `json:"expires_in"`   // seconds
	ResendAfter int `json:"resend_after"` // seconds
}

// requestCode sends a code (AUT-15). Its purpose decides whether the caller must be logged in. Otherwise the token is
// not read, so that a stale one keeps no person from joining.
func (a *api) requestCode(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[codeBody](c)
	of := deref(body.Purpose)
	if err := a.admitTo(of.NeedsKey(), c); err != nil {
		return transport.Reply{}, err
	}
	sent, err := a.Signin.RequestCode(c.Context(), signin.CodeRequest{
		Actor: c.Actor, Username: deref(body.Username), Purpose: of, From: c.Address(),
		Language: transport.PreferredLanguage(c.Gin.Request.Header),
	}, readErr)
	answer := transport.Data(codeSentView{int(sent.ExpiresIn / time.Second), int(sent.ResendAfter / time.Second)})
	answer.Status = http.StatusAccepted
	return answer, err
}

// admitTo identifies and admits the caller of a request about their own account. It counts any other request for its
// address.
func (a *api) admitTo(isOwn bool, c *transport.Call) error {
	if !isOwn {
		return a.addresses.Charge(c.Context())
	}
	if err := a.identify(route{Route: Route{Policy: Unnarrowed}}, c); err != nil {
		return err
	}
	transport.RequestLogOf(c.Context()).User = c.Actor.ID
	return Unnarrowed.admit(c.Actor)
}

// proofBody has a number, and the code that was sent to it.
type proofBody struct {
	Username *string        `json:"username" validate:"required"`
	Code     *secret.String `json:"code" validate:"required"`
	Password *secret.String `json:"password" validate:"required,min=1"`
}

func proofOf(username *string, code *secret.String, c *transport.Call) signin.CodeProof {
	return signin.CodeProof{Username: deref(username), Code: deref(code).Reveal(), From: c.Address()}
}

// signUpBody asks for an account (AUT-16).
type signUpBody struct {
	Username  *string        `json:"username" validate:"required"`
	Code      *secret.String `json:"code" validate:"required"`
	Password  *secret.String `json:"password" validate:"required,min=1"`
	Firstname *string        `json:"firstname" validate:"required"`
	Lastname  *string        `json:"lastname"`
	Timezone  *string        `json:"timezone"`
}

type signedUpView struct {
	UID user.ID `json:"uid"`
	Key string  `json:"key"`
}

func (a *api) signUp(c *transport.Call) (transport.Reply, error) {
	if err := a.admitTo(false, c); err != nil {
		return transport.Reply{}, err
	}
	body, readErr := transport.Read[signUpBody](c)
	made, err := a.Signin.SignUp(c.Context(), signin.SignUp{
		CodeProof: proofOf(body.Username, body.Code, c), Password: deref(body.Password),
		Firstname: deref(body.Firstname), Lastname: deref(body.Lastname), Timezone: deref(body.Timezone),
	}, readErr)
	return transport.Created(signedUpView{made.User, made.Key.Reveal()}), err
}

// resetPassword replaces a forgotten password (AUT-17).
func (a *api) resetPassword(c *transport.Call) (transport.Reply, error) {
	if err := a.admitTo(false, c); err != nil {
		return transport.Reply{}, err
	}
	body, readErr := transport.Read[proofBody](c)
	return transport.NoContent(), a.Signin.ResetPassword(c.Context(), signin.PasswordReset{
		CodeProof: proofOf(body.Username, body.Code, c), Password: deref(body.Password),
	}, readErr)
}

// changePhone gives the caller's account another number (AUT-18).
func (a *api) changePhone(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[proofBody](c)
	return transport.NoContent(), a.Signin.ChangePhone(c.Context(), c.Actor, signin.PhoneChange{
		CodeProof: proofOf(body.Username, body.Code, c), Password: deref(body.Password),
		Language: transport.PreferredLanguage(c.Gin.Request.Header),
	}, readErr)
}

// erasureBody confirms the erasure of the caller's account (USR-07).
type erasureBody struct {
	Password *secret.String `json:"password" validate:"required,min=1"`
	Code     *secret.String `json:"code" validate:"required"`
}

func (a *api) eraseOwn(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[erasureBody](c)
	return transport.NoContent(), a.Privacy.EraseOwn(c.Context(), c.Actor, access.Leaving{
		Password: deref(body.Password), Code: deref(body.Code).Reveal(), From: c.Address(),
	}, readErr)
}

// exportDeadline is how long an export may take. A client that reads too slowly is cut off before.
const exportDeadline = time.Hour

// exportOwn sends all that is stored of the caller as a zip (USR-07).
func (a *api) exportOwn(c *transport.Call) (transport.Reply, error) {
	if c.Gin.Request.Method == http.MethodHead {
		return transport.Bare(archive{}), nil
	}
	end, err := a.Privacy.BeginExport(c.Context(), c.Actor)
	if err != nil {
		return transport.Reply{}, err
	}
	return transport.Bare(archive{a.Privacy, c.Actor, end}), nil
}

// archive sends the export of an actor.
type archive struct {
	*privacy.Privacy
	of  access.Actor
	end func(ctx context.Context, broken error) error
}

// ServeHTTP writes the archive piece by piece. If it fails, it ends the connection, so that the client does not take the
// archive for complete.
func (e archive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="plaza-export.zip"`)
	if e.Privacy == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), exportDeadline)
	defer cancel()
	conn := http.NewResponseController(transport.Innermost(w)) // the router's writer does not flush it
	_ = conn.SetWriteDeadline(time.Now().Add(exportDeadline))  // a writer of a test has none
	_, err := e.Export(ctx, e.of.ID, w)
	if err == nil {
		err = conn.Flush()
	}
	if err = e.end(ctx, err); err != nil {
		transport.Logger(ctx).WarnContext(ctx, "an export ended before it was complete", "error", err)
		panic(http.ErrAbortHandler)
	}
}
