package httpapi

// portrait returns the generated avatar of a user. It never changes, so any cache may store
// it (USR-04, PLA-04).
func (a *api) portrait(c *call) (reply, error) {
	png, known := a.Portraits(c.name())
	if !known {
		return reply{}, errNotFound
	}
	return bare(file{"image/png", png, "public, max-age=31536000, immutable"}), nil
}
