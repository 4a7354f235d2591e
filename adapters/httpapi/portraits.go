package httpapi

// portrait returns the picture of somebody who has none of their own. It is the
// same for ever, so everybody may keep it (USR-04, PLA-04).
func (a *api) portrait(c *call) (reply, error) {
	png, known := a.Portraits(c.name())
	if !known {
		return reply{}, errNoSuchThing
	}
	return bare(file{"image/png", png, "public, max-age=31536000, immutable"}), nil
}
