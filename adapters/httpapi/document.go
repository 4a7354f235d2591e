package httpapi

import "plaza/adapters/httpapi/openapi"

// document returns the OpenAPI document.
func (a *api) document(*call) (reply, error) {
	return bare(file{"application/json", openapi.JSON(), "no-cache"}), nil
}
