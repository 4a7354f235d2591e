package bootstrap

import (
	"cmp"
	"reflect"

	"plaza/domain/ratelimit"
)

// LimitsConfig has the limits of GEN-14. Limits switches all of them on or off. A limit of writes that is zero has
// its default, which is large enough for an account that loads an old diary with its pictures.
type LimitsConfig struct {
	Limits           string          `default:"on" env:"PLAZA_LIMITS" help:"on, or off for load tests: then no limit below, and none of requests without a token, holds." placeholder:"SWITCH"`
	LimitComments    ratelimit.Limit `default:"300/h" env:"PLAZA_LIMIT_COMMENTS" help:"How many comments an account may write: so many at once, then evenly; off for any number." placeholder:"N/PERIOD"`
	LimitLikes       ratelimit.Limit `default:"1000/h" env:"PLAZA_LIMIT_LIKES" help:"How many likes an account may give or take back." placeholder:"N/PERIOD"`
	LimitFollows     ratelimit.Limit `default:"500/h" env:"PLAZA_LIMIT_FOLLOWS" help:"How many people and categories an account may begin to follow." placeholder:"N/PERIOD"`
	LimitEvents      ratelimit.Limit `default:"2000/h" env:"PLAZA_LIMIT_EVENTS" help:"How often an account may write or change events." placeholder:"N/PERIOD"`
	LimitUploads     ratelimit.Limit `default:"1000/h" env:"PLAZA_LIMIT_UPLOADS" help:"How many pictures an account may upload." placeholder:"N/PERIOD"`
	LimitUploadBytes ratelimit.Limit `default:"8GiB/d" env:"PLAZA_LIMIT_UPLOAD_BYTES" help:"How many bytes of pictures an account may upload." placeholder:"N/PERIOD"`
	LimitLogins      ratelimit.Limit `default:"100/h" env:"PLAZA_LIMIT_LOGINS" help:"How often an account may log in." placeholder:"N/PERIOD"`
	LimitLanguages   ratelimit.Limit `default:"5/h" env:"PLAZA_LIMIT_LANGUAGES" help:"How many languages an account may begin to read in, at each server; further ones come untranslated." placeholder:"N/PERIOD"`
	LimitAddress     ratelimit.Limit `default:"6000/m" env:"PLAZA_LIMIT_ADDRESS" help:"How many requests without a valid token an address may send to each server." placeholder:"N/PERIOD"`
}

// limitsOff is the value of PLAZA_LIMITS that turns all limits off.
const limitsOff = "off"

// of returns the limit, or none while limits are off.
func (c LimitsConfig) of(limit ratelimit.Limit) ratelimit.Limit {
	if c.Limits == limitsOff {
		return ratelimit.Limit{}
	}
	return limit
}

// checkLimits fills in missing limits and notes a wrong switch.
func (c *LimitsConfig) checkLimits(p problems) {
	c.Limits = cmp.Or(c.Limits, "on")
	p.note("PLAZA_LIMITS", oneOf(c.Limits, "on", limitsOff))
	settings := reflect.ValueOf(c).Elem()
	for i := range settings.NumField() {
		limit, isLimit := settings.Field(i).Addr().Interface().(*ratelimit.Limit)
		if isLimit && *limit == (ratelimit.Limit{}) {
			tag := settings.Type().Field(i).Tag
			p.note(tag.Get("env"), limit.UnmarshalText([]byte(tag.Get("default"))))
		}
	}
}

// writeLimits returns the limits on writes of an account.
func writeLimits(c Config) ratelimit.Limits {
	if c.Limits == limitsOff {
		return nil
	}
	return ratelimit.Limits{
		ratelimit.Comment: c.LimitComments, ratelimit.Like: c.LimitLikes, ratelimit.Follow: c.LimitFollows,
		ratelimit.Event: c.LimitEvents, ratelimit.Upload: c.LimitUploads, ratelimit.UploadBytes: c.LimitUploadBytes,
		ratelimit.Login: c.LimitLogins,
	}
}
