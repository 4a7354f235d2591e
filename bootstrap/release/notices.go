package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// notices returns the licences of all software that is linked into the program of the platform, as most of
// them demand of copies: of each module, of folders in modules that have their own, and of Go.
func (r release) notices(ctx context.Context, platform string) ([]byte, error) {
	const packages = "{{if not .Standard}}{{with .Module}}{{.Main}}\t{{.Path}} {{.Version}}\t{{.Dir}}{{end}}\t{{.Dir}}{{end}}"
	args := append(append([]string{"list", "-deps"}, buildTags(r.flags)...), "-f", packages, program)
	listed, err := r.run(ctx, platform, args...)
	if err != nil {
		return nil, err
	}
	goroot, err := r.run(ctx, platform, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(goroot)), "\n")
	var n notices
	if err := n.add("Go "+version, root, root); err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(listed)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 4 {
			continue // a package of Go
		}
		isOurs, module, dir, folder := fields[0] == "true", strings.TrimSpace(fields[1]), fields[2], fields[3]
		if isOurs && dir == folder {
			continue // our own licence is a file of the archive
		}
		if isOurs {
			dir = folder // not up to our own licence
		}
		if err := n.add(module, dir, folder); err != nil {
			return nil, err
		}
	}
	return n.text()
}

// buildTags returns the flags of go build that also choose packages.
func buildTags(flags []string) []string {
	if at := slices.Index(flags, "-tags"); at >= 0 {
		return flags[at : at+2]
	}
	return nil
}

// notices are the licences of software.
type notices struct {
	found   []notice
	modules []string // all that were added, in order
}

// notice is one file with a licence.
type notice struct{ module, name, text string }

// licenceFile matches the names of files with licences and notices.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|copyright|notice|patents|unlicense)([-._].*)?$`)

// add adds the licences of a package: those in its folder and in the folders above it, up to the module's.
func (n *notices) add(module, dir, folder string) error {
	if !slices.Contains(n.modules, module) {
		n.modules = append(n.modules, module)
	}
	for ; ; folder = filepath.Dir(folder) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !licenceFile.MatchString(entry.Name()) || path.Ext(entry.Name()) == ".go" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(dir, filepath.Join(folder, entry.Name()))
			if err != nil {
				return err
			}
			if found := (notice{module, filepath.ToSlash(relative), strings.TrimSpace(string(text))}); !slices.Contains(n.found, found) {
				n.found = append(n.found, found)
			}
		}
		if folder == dir || folder == filepath.Dir(folder) {
			return nil
		}
	}
}

// text returns all licences. It is an error if a module has none: it may not be distributed.
func (n *notices) text() ([]byte, error) {
	slices.SortFunc(n.found, func(a, b notice) int {
		return strings.Compare(a.module+"\t"+a.name, b.module+"\t"+b.name)
	})
	var missing []error
	for _, module := range n.modules {
		isOf := func(found notice) bool { return found.module == module }
		if module != ourModule && !slices.ContainsFunc(n.found, isOf) {
			missing = append(missing, fmt.Errorf("%s has no licence file", module))
		}
	}
	var all bytes.Buffer
	all.WriteString("Plaza contains this software and data of others, unchanged, under these licences. The source of a module:\n" +
		"go mod download -json MODULE@VERSION prints where it is.\n")
	for _, found := range n.found {
		fmt.Fprintf(&all, "\n%s\n%s, %s\n\n%s\n", strings.Repeat("=", 80), found.module, found.name, found.text)
	}
	return all.Bytes(), errors.Join(missing...)
}

// ourModule is the module of the program, whose folders have licences of data only.
const ourModule = "plaza"
