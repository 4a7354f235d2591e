// Command print prints what Plaza needs for many people: see the package above. Its flags are the
// assumptions.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"plaza/test/growth"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("growth", flag.ContinueOnError)
	a := growth.Usual()
	file := flags.String("figures", "test/growth/figures.json", "`file` that BenchmarkGrowth has written")
	people := flags.String("people", "1e6,1e7,1e8", "active people, with commas between the `numbers`")
	for _, assumption := range []struct {
		name, usage string
		value       *float64
	}{
		{"requests", "`requests` that an active person sends in a day", &a.Requests},
		{"peak", "requests in the busiest second, to those in an average one", &a.Peak},
		{"busy", "the `part` of its processors that a machine uses in the busiest second", &a.Busy},
		{"hits", "the `part` of public answers that a CDN has", &a.Hits},
		{"shared", "the `part` of the primary's work that partitioning by author leaves together", &a.Shared},
		{"factor", "processor time in a distributed engine, to that in Postgres", &a.Factor},
		{"years", "`years` for which everything is kept", &a.Years},
		{"server-cores", "`processors` of a machine with Plaza", &a.ServerCores},
		{"database-cores", "`processors` of the largest machine with Postgres", &a.DatabaseCores},
		{"log", "`MB` a second of write-ahead log that a primary writes and replicas replay", &a.LogRate},
		{"disk", "`TB` of the largest machine with Postgres", &a.Disk},
	} {
		flags.Float64Var(assumption.value, assumption.name, *assumption.value, assumption.usage)
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	var numbers []float64
	for text := range strings.SplitSeq(*people, ",") {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n <= 0 {
			return fmt.Errorf("-people: %q is not a number of people", text)
		}
		numbers = append(numbers, n)
	}
	if err := a.Check(); err != nil {
		return err
	}
	figures, err := growth.Read(*file)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, figures.Report(a, numbers...))
	return err
}
