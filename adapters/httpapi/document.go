package httpapi

import "plaza/adapters/httpapi/openapi"

// document returns the description of this interface.
func (a *api) document(*call) (reply, error) {
	return bare(file{"application/json", openapi.JSON(), "no-cache"}), nil
}
