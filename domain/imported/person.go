package imported

import (
	"plaza/domain/fault"
	"plaza/domain/user"
)

// ExistingAccount is an account, as far as a Person may be at odds with it.
type ExistingAccount struct {
	Source string // empty: it came from elsewhere
	Phone  user.Phone
}

// Problem says, by its fields, why the Person can't be stored: own is the account that
// they have, and holder the one that has their phone; nil is none.
func (r UserRecord) Problem(own, holder *ExistingAccount) fault.Fields {
	switch {
	case own != nil && own.Phone != r.Phone:
		return fault.Fields{"username": {"This user is stored with another phone number, which an import does not change."}}
	case own == nil && holder != nil && holder.Source != "":
		return fault.Fields{"username": {"Another user that was imported has this phone number."}}
	}
	return nil
}
