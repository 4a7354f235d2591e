package bootstrap

import (
	"fmt"

	"plaza/application/privacy"
	"plaza/application/signin"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/verification"
)

// codesSecret is the name of the key of codes' hashes.
const codesSecret = "verification codes"

// joining returns what codes and signing up need.
func joining(c settings.Config, p Parts, opened storage, codes verification.Store) (signin.Joining, error) {
	keys, err := verification.NewKeys(opened.codes)
	if err != nil {
		return signin.Joining{}, fmt.Errorf("key of codes: %w", err)
	}
	return signin.Joining{
		Codes: codes, Sender: p.Sender, Keys: keys, Budget: messageBudget(c), Host: c.SMSHost, IsClosed: c.SignUp == settings.SignUpClosed,
		Notifies: notifies(c),
	}, nil
}

// secondFactor returns whether staff need a second factor, and the key of its secrets, which is made of that of codes.
func secondFactor(c settings.Config, opened storage) signin.SecondFactor {
	return signin.SecondFactor{IsRequired: c.SecondFactor == settings.SecondFactorRequired, Key: access.NewFactorKey(opened.codes)}
}

// leave returns how a person confirms the erasure of their account.
func leave(s *signin.Signin) privacy.Leave { return s.Leave }
