#!/bin/sh
# Usage: test/left-out.sh FILE
#
# Prints why tests were skipped, and how many for each reason, from what `go test -json` has written to
# the file. It fails if there are any.
awk '
	match($0, /"Package":"[^"]*","Test":"[^"]*"/) { test = substr($0, RSTART, RLENGTH) }
	/"Action":"output"/ && match($0, /\.go:[0-9]+: .*\\n"/) {
		reason[test] = substr($0, RSTART, RLENGTH)
		gsub(/^\.go:[0-9]+: |\\n"$/, "", reason[test])
	}
	/"Action":"skip"/ && /"Test"/ { skipped[reason[test]]++; any = 1 }
	END {
		for (why in skipped) print "left out: " skipped[why] " (" why ")"
		exit any
	}
' "$1"
