package command_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/imported"
)

// Related records. The second category is a child of the first; the demand needs the second
// category and its author.
const (
	rootCategory  = `{"kind":"category","id":1,"name":"Garden","slug":"garden"}`
	childCategory = `{"kind":"category","id":2,"parent":1,"name":"Roses","slug":"roses"}`
	aPerson       = `{"kind":"user","id":"u1","username":"+86-13900000077","firstname":"兰","lastname":"周","joined":"2026-11-01T08:00:00+08:00"}`
	aDemand       = `{"kind":"demand","id":1,"title":"Prune a rose","author":"u1","category":2,` +
		`"closed":"2026-12-01T08:00:00Z","start":"2026-12-02T08:00:00Z","end":"2026-12-02T09:00:00Z","created":"2026-11-02T08:00:00Z"}`
	namelessCategory = `{"kind":"category","id":3,"parent":1,"slug":"moss"}`
	namedCategory    = `{"kind":"category","id":3,"parent":1,"name":"Moss","slug":"moss"}`
)

// records writes a file into the folder.
func records(t *testing.T, folder, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}

// became is the JSON that an import prints.
type became struct {
	OK       bool
	DryRun   bool `json:"dry_run"`
	Rejects  []string
	Error    string
	Lines    int64
	Kinds    map[string]map[string]int64
	Replaced int64
	Rejected int64
	Waiting  int64
}

func (sh *shell) imports(status int, args ...string) became {
	sh.Helper()
	var b became
	sh.run(append([]string{"import", "--json"}, args...)...).ends(status).reads(&b)
	return b
}

func fresh(n int64) map[string]int64 { return map[string]int64{"new": n, "changed": 0, "unchanged": 0} }

func TestADM04_an_import_that_can_not_be_meant_begins_nothing(t *testing.T) {
	sh := emptyShell(t)
	folder := t.TempDir()
	file := records(t, folder, "a.jsonl", rootCategory)
	zipped := filepath.Join(folder, "a.jsonl.gz")
	require.NoError(t, os.WriteFile(zipped, gzipped(t, rootCategory), 0o600))
	rejects := records(t, folder, "a.rejects.jsonl", rootCategory)
	link := filepath.Join(folder, "link.jsonl")
	require.NoError(t, os.Symlink(file, link))
	for _, c := range []struct {
		sentence string
		args     []string
	}{
		{"name the files", nil},
		{"is named twice", []string{file, file}},
		{"is named twice", []string{file, link}},
		{"rejects are written to a.rejects.jsonl", []string{file, zipped}},
		{"rejects are written to a.rejects.jsonl", []string{file, rejects}},
		{"nowhere.jsonl: File not found.", []string{file, filepath.Join(folder, "nowhere.jsonl")}},
		{"This is a folder", []string{folder}},
		{`--schema must be one of "user","category","bundle"`, []string{"--schema", "shop"}},
	} {
		sh.run(append([]string{"import"}, c.args...)...).refuses(misused, c.sentence)
	}
	assert.NoFileExists(t, sh.path())
}

func TestADM04_an_import_whose_rejects_could_not_be_kept_begins_nothing(t *testing.T) {
	sh := emptyShell(t)
	folder := t.TempDir()
	file := records(t, folder, "a.jsonl", rootCategory, namelessCategory)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "a.rejects.jsonl"), 0o700))
	sh.run("import", file).refuses(refused, "rejects of "+file+" could not be kept: ")
	assert.NoFileExists(t, sh.path())
	sh.run("import", "--dry-run", file).ends(refused)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "looking leaves nothing")
}

func TestADM04_the_schema_of_a_kind_is_printed_without_a_database(t *testing.T) {
	sh := emptyShell(t)
	var schema struct {
		Properties struct{ Kind struct{ Const imported.Kind } }
	}
	sh.run("import", "--schema", "demand").ends(done).reads(&schema)
	assert.EqualValues(t, "demand", schema.Properties.Kind.Const)
	assert.NoFileExists(t, sh.path())
}

func TestADM04_an_import_says_what_became_of_each_kind(t *testing.T) {
	sh := emptyShell(t)
	folder := t.TempDir()
	// The needs of the records are later in the file, and in the other file.
	one := records(t, folder, "one.jsonl", aDemand, childCategory)
	two := records(t, folder, "two.jsonl", rootCategory, "", aPerson)
	first := sh.imports(done, one, two)
	assert.Equal(t, became{
		OK: true, Rejects: []string{}, Lines: 5,
		Kinds: map[string]map[string]int64{"category": fresh(2), "user": fresh(1), "demand": fresh(1)},
	}, first)

	records(t, folder, "one.jsonl", strings.Replace(aDemand, "a rose", "two roses", 1), childCategory)
	said := sh.run("import", one, two).ends(done)
	assert.Contains(t, said.out, "Imported 4 records: 0 new, 1 changed, 3 unchanged, 0 rejected.")
	assert.Regexp(t, `(?m)^demand +0 +1 +0 *$`, said.out)
	assert.Empty(t, said.err)
	sh.run("check").ends(done)
	assert.Equal(t, []string{one, two}, filesIn(t, folder), "no rejects")
}

func TestADM04_a_rehearsal_stores_nothing(t *testing.T) {
	sh := newShell(t)
	folder := t.TempDir()
	file := records(t, folder, "a.jsonl", childCategory, rootCategory, namelessCategory)
	told := sh.imports(refused, "--dry-run", file)
	assert.Equal(t, became{
		DryRun: true, Rejects: []string{}, Lines: 3, Rejected: 1, Kinds: map[string]map[string]int64{"category": fresh(2)},
	}, told)
	o := sh.run("import", "--dry-run", file).ends(refused)
	assert.Equal(t, "Checked 3 records: 2 valid, 1 would be rejected.\n", o.out)
	assert.Contains(t, o.err, "1 line would be rejected")
	assert.Equal(t, []string{file}, filesIn(t, folder))
	assert.Equal(t, fresh(2), sh.imports(refused, file).Kinds["category"], "they are new still")
}

func TestADM04_what_is_rejected_is_told_kept_and_imported_once_it_is_mended(t *testing.T) {
	sh := newShell(t)
	folder := t.TempDir()
	file := records(t, folder, "found.jsonl", rootCategory, namelessCategory, "{", aDemand, childCategory)
	o := sh.run("import", file).ends(refused)
	rejects := filepath.Join(folder, "found.rejects.jsonl")
	assert.Contains(t, o.out, "2 new, 0 changed, 0 unchanged, 3 rejected.")
	assert.Contains(t, o.err, file+":2: name: ")
	assert.Regexp(t, `found\.jsonl:3: \w`, o.err)
	assert.Contains(t, o.err, file+":4: author: Not found: user u1.\n")
	assert.Contains(t, o.err, "3 lines rejected and written with reasons to "+rejects)

	kept, err := os.ReadFile(rejects)
	require.NoError(t, err)
	mended := strings.NewReplacer(namelessCategory, namedCategory, `"record":"{"`, `"record":`+aPerson).Replace(string(kept))
	require.NoError(t, os.WriteFile(rejects, []byte(mended), 0o600))
	told := sh.imports(done, rejects)
	assert.Equal(t, map[string]map[string]int64{"category": fresh(1), "user": fresh(1), "demand": fresh(1)}, told.Kinds)
	assert.True(t, told.OK)
	sh.run("check").ends(done)
}

func TestADM04_the_standard_input_is_imported(t *testing.T) {
	sh := newShell(t)
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	require.NoError(t, err)
	o := sh.runWith(rootCategory+"\n"+namelessCategory, "import", "-").ends(refused)
	assert.Contains(t, o.out, "1 new, 0 changed, 0 unchanged, 1 rejected.")
	assert.Contains(t, o.err, "standard input:2: name: ")
	assert.Equal(t, []string{filepath.Join(here, "stdin.rejects.jsonl")}, filesIn(t, here))
	file := records(t, here, "more.jsonl", childCategory)
	var told became
	sh.runWith(string(gzipped(t, namedCategory)), "import", "--json", "-", file).ends(done).reads(&told)
	assert.Equal(t, fresh(2), told.Kinds["category"])
}

func TestADM04_a_gzip_is_imported_as_far_as_it_is_good(t *testing.T) {
	sh := newShell(t)
	whole := gzipped(t, rootCategory, childCategory, namedCategory)
	file := filepath.Join(t.TempDir(), "a.jsonl.gz")
	require.NoError(t, os.WriteFile(file, whole[:len(whole)-4], 0o600))
	o := sh.run("import", "--json", file).ends(refused)
	assert.Contains(t, o.err, "Import it again: stored records stay unchanged.")
	var broken became
	o.reads(&broken)
	assert.Contains(t, broken.Error, "the gzip is truncated")
	assert.Equal(t, fresh(2), broken.Kinds["category"], "the last line has no end")

	require.NoError(t, os.WriteFile(file, whole, 0o600))
	assert.Equal(t, map[string]int64{"new": 1, "changed": 0, "unchanged": 2}, sh.imports(done, file).Kinds["category"])
}

func gzipped(t *testing.T, lines ...string) []byte {
	t.Helper()
	var to bytes.Buffer
	w := gzip.NewWriter(&to)
	_, err := w.Write([]byte(strings.Join(lines, "\n")))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return to.Bytes()
}

func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.*"))
	require.NoError(t, err)
	return all
}
