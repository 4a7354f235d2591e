#!/bin/sh
# Usage: bootstrap/release.sh [PLATFORM...]
#
# Builds the archives of a release into dist/, for all platforms without an argument: the program with its
# licences and documents, and a file of checksums over all archives. The same commit built by the same Go and
# git gives the same bytes. It needs git and Perl.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64

# The environment of the caller changes nothing in the result.
export LC_ALL=C TZ=UTC CGO_ENABLED=0 GOEXPERIMENT= GOFIPS140=off GOAMD64=v1 GOARM64=v8.0
export GOFLAGS="-tags=nomsgpack,nodynamic -trimpath -buildvcs=true '-ldflags=-s -w'"
go=${GO:-go}
program=./bootstrap/cmd/plaza

# The guides of those who operate a server or call one, and the files that they speak of. The image of
# bootstrap/deploy is built from the sources, so its files are left out.
guides=$(git ls-files README.md CHANGELOG.md SECURITY.md 'bootstrap/*.md' adapters/httpapi/README.md adapters/sms/README.md \
	adapters/translator/README.md adapters/wallet/README.md application/importing/README.md migrations/README.md)
files=$(git ls-files LICENSE test/tour.sh bootstrap/deploy ':!bootstrap/deploy/docker' ':!*.md')

mkdir dist # fails if there is one
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tab=$(printf '\t')

# linked prints the module, its folder and the package's folder, for each package linked into the program that
# is not Go's. Plaza's own licence is a file of the archive, so its packages have no folder above them.
linked() {
	"$go" list -deps -f '{{$dir := .Dir}}{{if not .Standard}}{{with .Module -}}
		{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{"\t"}}{{$dir}}
		{{- else if ne .Dir $dir}}{{.Path}}{{"\t"}}{{$dir}}{{"\t"}}{{$dir}}{{end}}{{end}}{{end}}' $program
	printf 'Go %s\t%s\t%s\n' "$("$go" env GOVERSION)" "$("$go" env GOROOT)" "$("$go" env GOROOT)"
}

# licences prints the licences of all software that is linked into the program, as most of them demand of
# copies: of each module, of folders in modules that have their own, and of Go. A module must have one.
licences() {
	linked >"$work/packages"
	# The folder of each package, and the folders above it up to the module's.
	# A package may contain the compiled code of others, whose licences are in lib/.
	awk -F '\t' '{ for (f = $3; ; sub("/[^/]*$", "", f)) { print $1 FS $2 FS f; if (f == $2) break } print $1 FS $2 FS $3 "/lib" }' "$work/packages" |
		sort -u | while IFS=$tab read -r module root folder; do
		[ -d "$folder" ] || continue
		ls -p "$folder" | grep -iE '^(licen[cs]es?|copying|copyright|notice|patents|unlicense)([-._].*)?$' | grep -vE '/$|\.go$' |
			while read -r name; do
				name=$folder/$name
				printf '%s\t%s\t%s\n' "$module" "${name#"$root"/}" "$name"
			done
	done | sort >"$work/licences"
	cut -f 1 "$work/packages" | grep -vx plaza | sort -u >"$work/modules"
	cut -f 1 "$work/licences" | sort -u | comm -23 "$work/modules" - >"$work/missing"
	[ ! -s "$work/missing" ] || { sed 's/$/ has no licence file/' "$work/missing" >&2; return 1; }

	echo "Plaza contains this software and data of others, unchanged, under these licences. The source of a module:"
	echo "go mod download -json MODULE@VERSION prints where it is."
	while IFS=$tab read -r module name file; do
		printf '\n%s\n%s, %s\n\n' "$(printf '%080d' 0 | tr 0 =)" "$module" "$name"
		cat "$file"
	done <"$work/licences"
}

# The documents as the archives have them: without the section on the image, and links to files that no archive has are
# plain text.
mkdir "$work/documents"
git archive HEAD $guides $files | tar -xf - -C "$work/documents"
perl -0pi -e 's{^## Docker\n.*?(?=^## )}{}ms; s{, or with \[Docker\]\(#docker\)}{}; s{^\| \[docker/\].*\n}{}m' "$work/documents/bootstrap/deploy/README.md"
for guide in $guides; do
	(cd "$work/documents/$(dirname "$guide")" &&
		perl -0pi -e 's{\[([^\]]+)\]\(([^)#:\s]+)(#[^)]*)?\)}{-e $2 ? $& : $1}ge' "$(basename "$guide")")
done

# archive NAME SUFFIX PROGRAM writes an archive. Its files have the time of the commit.
archive() {
	name=$1 suffix=$2
	set -- --prefix="$name/" --add-file="$3" --add-file="$work/THIRD_PARTY_LICENSES"
	for guide in $guides; do
		set -- "$@" --prefix="$name/${guide%"${guide##*/}"}" --add-file="$work/documents/$guide"
	done
	git -c core.autocrlf=false -c tar.umask=0022 archive -9 -o "dist/$name$suffix" "$@" --prefix="$name/" HEAD $files
	echo "dist/$name$suffix"
}

for platform; do
	GOOS=${platform%/*} GOARCH=${platform#*/}
	export GOOS GOARCH
	suffix=.tar.gz built=$work/plaza
	[ "$GOOS" != windows ] || suffix=.zip built=$work/plaza.exe
	"$go" build -o "$built" $program
	version=$("$go" version -m "$built" | awk '$1 == "mod" { print $3 }')
	[ "$version" != "(devel)" ] || { echo "release: build it in a clone of the repository, which a worktree is not" >&2; exit 1; }
	licences >"$work/THIRD_PARTY_LICENSES"
	archive "plaza_${version}_${GOOS}_$GOARCH" "$suffix" "$built"
done
(cd dist && sha256sum plaza_* >SHA256SUMS)
