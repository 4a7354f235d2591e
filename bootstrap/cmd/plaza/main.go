// Command plaza is the server and its command-line tools.
package main

import (
	"os"
	_ "time/tzdata" // for machines without a time zone database

	"plaza/bootstrap"
)

func main() { os.Exit(bootstrap.Main(os.Args[1:], os.Stdout, os.Stderr)) }
