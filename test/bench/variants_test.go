package bench

import (
	"flag"
	"strings"
	"testing"
)

// variantsFlag names programs that are measured in the same rounds as Plaza, over the same database: two runs of one program
// differ by up to 0.15, two programs in the same rounds by less than a tenth.
var variantsFlag = flag.String("variants", "", "`name=binary` of other programs with the same schema, with commas")

// startVariants starts the variants over the database. Each is asked all but what is heavy.
func startVariants(tb testing.TB, database string) (all []rival) {
	tb.Helper()
	for pair := range strings.SplitSeq(*variantsFlag, ",") {
		name, binary, isPair := strings.Cut(pair, "=")
		switch {
		case pair == "":
		case !isPair || name == "" || binary == "":
			tb.Fatalf("-variants: %q is not name=binary", pair)
		default:
			all = append(all, rival{
				name: name, about: "a variant of Plaza", running: launchPlaza(tb, binary, database),
				isAsked: func(s scenario) bool { return !s.isHeavy }, goal: func(scenario) float64 { return 0 },
			})
		}
	}
	return all
}
