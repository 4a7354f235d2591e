#!/bin/sh
# Usage: test/left-out.sh [-names] FILE...
#
# Prints why tests were skipped that did not run another time, and how many for each reason, from what `go test -json`
# has written to the files. It fails if there are any. With -names it prints the package and the name of each.
[ "$1" = -names ] && shift && names=1
awk -v names="${names:-}" '
	match($0, /"Package":"[^"]*","Test":"[^"]*"/) { test = substr($0, RSTART, RLENGTH) }
	/"Action":"output"/ && match($0, /\.go:[0-9]+: .*\\n"/) {
		reason[test] = substr($0, RSTART, RLENGTH)
		gsub(/^\.go:[0-9]+: |\\n"$/, "", reason[test])
	}
	/"Action":"skip"/ && /"Test"/ { skipped[test] }
	/"Action":"(pass|fail)"/ && /"Test"/ { ran[test] }
	END {
		for (test in skipped) {
			if (test in ran) continue
			split(test, part, "\"")
			if (names) print part[4], part[8]
			else count[reason[test]]++
			any = 1
		}
		for (why in count) print "left out: " count[why] " (" why ")"
		exit any
	}
' "$@"
