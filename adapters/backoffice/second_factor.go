package backoffice

import (
	"encoding/base64"
	"errors"
	"net/http"

	"plaza/adapters/qrcode"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/secret"
)

// enrolPage is where staff set up their second factor at the first login (OFF-04).
type enrolPage struct {
	Next, Secret, Sealed string
	QR                   *qrcode.Code
	Recovery             []string // the recovery codes, once it is set up

	enrolment access.Enrolment
}

// lacksFactor returns the handler of a page for staff who have logged in, and lack a second factor. Others are sent to the login.
func (s *Site) lacksFactor(handle func(*visit, enrolPage) (answer, error)) http.HandlerFunc {
	return s.page(func(v *visit) (answer, error) {
		actor, err := s.Signin.Authenticate(v.r.Context(), secret.New(v.cookie))
		if fault.Is(err, fault.BadCredentials) {
			return answer{to: "login/"}, s.config.Charge(v.r)
		}
		if err == nil && !actor.LacksFactor {
			return answer{to: "login/"}, nil
		}
		if err != nil {
			return answer{}, err
		}
		s.config.Note(v.r, actor.ID)
		v.actor = actor
		p := enrolPage{Next: v.r.FormValue("next"), Sealed: v.r.PostForm.Get("sealed")}
		sealed, _ := base64.StdEncoding.DecodeString(p.Sealed) // what can't be read is replaced
		e, address, err := s.Signin.BeginEnrolment(v.r.Context(), actor, sealed)
		if errors.Is(err, access.ErrIsEnrolled) {
			return answer{to: "login/"}, nil
		}
		if err != nil {
			return answer{}, err
		}
		p.Secret, p.Sealed, p.QR = e.Secret.Reveal(), base64.StdEncoding.EncodeToString(e.Sealed), qrcode.Of(address.Reveal())
		p.enrolment = e
		return handle(v, p)
	})
}

func (s *Site) showEnrolment(_ *visit, p enrolPage) (answer, error) {
	return answer{template: "second_factor.html", Title: s.T("Set up a second factor"), Body: p}, nil
}

// enrol begins a session with the second factor, and shows the recovery codes.
func (s *Site) enrol(v *visit, p enrolPage) (answer, error) {
	a, _ := s.showEnrolment(v, p)
	key, recovery, err := s.Signin.Enrol(v.r.Context(), v.actor, p.enrolment, v.r.PostForm.Get("otp"), sessionLife)
	if err != nil {
		return v.again(a, err)
	}
	v.setCookie(key.Reveal())
	p = enrolPage{Next: pathWithin(p.Next)}
	for _, code := range recovery {
		p.Recovery = append(p.Recovery, code.Reveal())
	}
	a.Title, a.Body = s.T("Keep these recovery codes"), p
	return a, nil
}
