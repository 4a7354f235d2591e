package command

import (
	"bytes"
	"encoding/json"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
)

func TestVersion(t *testing.T) {
	printed := func(args ...string) string {
		var out, errOut bytes.Buffer
		require.Equal(t, ok, Main(args, &out, &errOut), errOut.String())
		assert.Empty(t, errOut.String())
		return out.String()
	}
	want := "plaza " + bootstrap.ThisBuild().String() + "\n"
	assert.Contains(t, want, runtime.Version())
	assert.Equal(t, want, printed("version"))
	assert.Equal(t, want, printed("--version"))

	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(printed("version", "--json")), &fields))
	assert.Equal(t, runtime.Version(), fields["go"])
	assert.Equal(t, runtime.GOOS+"/"+runtime.GOARCH, fields["platform"])
	for _, name := range []string{"version", "commit", "date", "modified"} {
		assert.Contains(t, fields, name)
	}
}
