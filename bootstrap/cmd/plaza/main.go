// Command plaza is the server and its command-line tools.
package main

import (
	"os"
	_ "time/tzdata" // for machines without a time zone database

	"plaza/bootstrap/command"
)

func main() { os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr)) }
