package settings

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/dustin/go-humanize"

	"plaza/domain/quota"
	"plaza/domain/ratelimit"
)

// LimitsConfig has the limits of GEN-14. Limits switches all of them on or off. A limit of writes that is zero has
// its default, which is large enough for an account that loads an old diary with its pictures.
type LimitsConfig struct {
	Limits           string          `default:"on" env:"PLAZA_LIMITS" help:"on, or off for load tests: then no limit below, and none of requests without a token, holds, and no quota." placeholder:"SWITCH"`
	LimitComments    ratelimit.Limit `default:"300/h" env:"PLAZA_LIMIT_COMMENTS" help:"How many comments and reports an account may write: so many at once, then evenly; off for any number. Periods are s, m, h and d." placeholder:"N/PERIOD"`
	LimitLikes       ratelimit.Limit `default:"1000/h" env:"PLAZA_LIMIT_LIKES" help:"How many likes an account may give or take back." placeholder:"N/PERIOD"`
	LimitFollows     ratelimit.Limit `default:"500/h" env:"PLAZA_LIMIT_FOLLOWS" help:"How many people and categories an account may begin to follow; to block someone counts as well." placeholder:"N/PERIOD"`
	LimitEvents      ratelimit.Limit `default:"2000/h" env:"PLAZA_LIMIT_EVENTS" help:"How often an account may write or change events." placeholder:"N/PERIOD"`
	LimitUploads     ratelimit.Limit `default:"1000/h" env:"PLAZA_LIMIT_UPLOADS" help:"How many pictures an account may upload, as images, in events or as avatars." placeholder:"N/PERIOD"`
	LimitUploadBytes ratelimit.Limit `default:"8GiB/d" env:"PLAZA_LIMIT_UPLOAD_BYTES" help:"How many bytes of pictures an account may upload, with KiB, MiB, GiB or no unit." placeholder:"N/PERIOD"`
	LimitProfiles    ratelimit.Limit `default:"100/h" env:"PLAZA_LIMIT_PROFILES" help:"How often an account may change its profile." placeholder:"N/PERIOD"`
	LimitSearches    ratelimit.Limit `default:"600/h" env:"PLAZA_LIMIT_SEARCHES" help:"How often an account may search, for people or texts." placeholder:"N/PERIOD"`
	LimitLogins      ratelimit.Limit `default:"100/h" env:"PLAZA_LIMIT_LOGINS" help:"How often an account may log in." placeholder:"N/PERIOD"`
	LimitLanguages   ratelimit.Limit `default:"5/h" env:"PLAZA_LIMIT_LANGUAGES" help:"How many languages an account, or a network without one, may begin to read in, at each server; further ones come untranslated, unless the translation is in the cache." placeholder:"N/PERIOD"`
	LimitAddress     ratelimit.Limit `default:"6000/m" env:"PLAZA_LIMIT_ADDRESS" help:"How many requests without a valid token an address may send to each server." placeholder:"N/PERIOD"`
}

// LimitsOff is the value of PLAZA_LIMITS that turns all limits off.
const LimitsOff = "off"

// InForce returns the limit, or none while limits are off.
func (c LimitsConfig) InForce(limit ratelimit.Limit) ratelimit.Limit {
	if c.Limits == LimitsOff {
		return ratelimit.Limit{}
	}
	return limit
}

// checkLimits fills in missing limits and notes a wrong switch.
func (c *LimitsConfig) checkLimits(p Problems) {
	c.Limits = cmp.Or(c.Limits, "on")
	p.Note("PLAZA_LIMITS", OneOf(c.Limits, "on", LimitsOff))
	settings := reflect.ValueOf(c).Elem()
	for i := range settings.NumField() {
		limit, isLimit := settings.Field(i).Addr().Interface().(*ratelimit.Limit)
		if isLimit && *limit == (ratelimit.Limit{}) {
			tag := settings.Type().Field(i).Tag
			p.Note(tag.Get("env"), limit.UnmarshalText([]byte(tag.Get("default"))))
		}
	}
}

func WriteLimits(c Config) ratelimit.Limits {
	if c.Limits == LimitsOff {
		return nil
	}
	return ratelimit.Limits{
		ratelimit.Comment: c.LimitComments, ratelimit.Like: c.LimitLikes, ratelimit.Follow: c.LimitFollows,
		ratelimit.Event: c.LimitEvents, ratelimit.Upload: c.LimitUploads, ratelimit.UploadBytes: c.LimitUploadBytes,
		ratelimit.Login: c.LimitLogins, ratelimit.Profile: c.LimitProfiles, ratelimit.Search: c.LimitSearches,
	}
}

// noQuota is the value of a quota without a limit, as 0 is.
const noQuota = "none"

// Quota is how many things of a kind an account may have. Zero is no limit.
type Quota int

// UnmarshalText parses a number or none.
func (q *Quota) UnmarshalText(text []byte) error {
	if *q = 0; string(text) == noQuota {
		return nil
	}
	n, err := strconv.ParseUint(string(text), 10, 31)
	if err != nil {
		return fmt.Errorf("%q is not a number like 1000, or %s", text, noQuota)
	}
	*q = Quota(n)
	return nil
}

// ByteQuota is how many bytes of a kind an account may have. Zero is no limit.
type ByteQuota int64

// UnmarshalText parses a size such as 10GiB, a number of bytes, or none.
func (q *ByteQuota) UnmarshalText(text []byte) error {
	if *q = 0; string(text) == noQuota {
		return nil
	}
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("%q is not a size like 10GiB, or %s", text, noQuota)
	}
	*q = ByteQuota(n)
	return nil
}

// Quotas returns the Quotas of an account, none if PLAZA_LIMITS turns them off.
func (c Config) Quotas() quota.Limits {
	if c.Limits == LimitsOff {
		return quota.Limits{}
	}
	return quota.Limits{
		Drafts: int(c.QuotaDrafts), Comments: int(c.QuotaComments), Follows: int(c.QuotaFollows), Pictures: int64(c.QuotaPictures),
	}
}
