package imported

import (
	"plaza/domain/fault"
	"plaza/domain/user"
)

// ExistingAccount is the part of a stored account that a UserRecord may conflict with.
type ExistingAccount struct {
	Source string // id at the source; empty: not imported
	Phone  user.Phone
}

// Problem returns the fields that conflict with stored accounts, or nil. Own is the
// user's own account, holder the account that has the phone number; nil is none.
func (r UserRecord) Problem(own, holder *ExistingAccount) fault.Fields {
	switch {
	case own != nil && own.Phone != r.Phone:
		return fault.Fields{"username": {"This user has another phone number. An import does not change phone numbers."}}
	case own == nil && holder != nil && holder.Source != "":
		return fault.Fields{"username": {"Another imported user has this phone number."}}
	}
	return nil
}
