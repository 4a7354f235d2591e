package bench

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// variantsFlag names programs that are measured in the same rounds as Plaza, over the same database: two runs of one program
// differ by up to 0.15, two programs in the same rounds by less than a tenth.
var variantsFlag = flag.String("variants", "", "`name=binary` of other programs with the same schema, with commas")

// variants returns what the flag names, in its order.
func variants(flag string) (names, binaries []string, err error) {
	for pair := range strings.SplitSeq(flag, ",") {
		name, binary, isPair := strings.Cut(pair, "=")
		switch {
		case pair == "":
		case !isPair || name == "" || binary == "":
			return nil, nil, fmt.Errorf("-variants: %q is not name=binary", pair)
		default:
			names, binaries = append(names, name), append(binaries, binary)
		}
	}
	return names, binaries, nil
}

// startVariants starts the variants over the database. Each is a peer that is asked all that Plaza is.
func startVariants(b *testing.B, database string) (all []peer) {
	names, binaries, err := variants(*variantsFlag)
	if err != nil {
		b.Fatal(err)
	}
	for i, name := range names {
		r := launchPlaza(b, binaries[i], database)
		all = append(all, peer{name: name, about: name + ", a variant of Plaza", running: r, isVariant: true})
	}
	return all
}

func TestVariants_are_named_with_their_programs(t *testing.T) {
	names, binaries, err := variants("before=/tmp/a,after=b=c")
	require.NoError(t, err)
	assert.Equal(t, []string{"before", "after"}, names)
	assert.Equal(t, []string{"/tmp/a", "b=c"}, binaries)
	names, _, err = variants("")
	require.NoError(t, err)
	assert.Empty(t, names)
	for _, bad := range []string{"a", "=b", "a="} {
		_, _, err := variants(bad)
		assert.ErrorContains(t, err, bad)
	}
	variant, django := peer{isVariant: true}, peer{}
	assert.True(t, variant.isAsked(called("C")))
	assert.False(t, django.isAsked(called("C")))
	assert.True(t, django.isAsked(called("A")))
}
