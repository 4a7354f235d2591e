#!/bin/sh
# Usage: test/tools.sh NAME [install]
#
# Prints the path of a program that tests run beside Plaza: cc, curl, postgres (the folder of
# its programs), apertium, s3, chromium, axe (the script of axe-core), redocly, spectral, typescript, generators (the folders of their modules),
# nginx, prometheus (the folder of its programs), systemd (its analyser), django (a Python that has
# it), etcd, patroni, pgbouncer or haproxy.
# With "install" a missing program is installed first, where this machine allows that. A program
# that cannot be had is told on standard error, and nothing is printed: the tests that need it then
# skip themselves and say so.
set -eu

name=$1
versitygw=v1.8.0
redocly=2.77.0
spectral=6.16.3
axe=4.14.1
# The modules that the TypeScript client is built with, as its package.json pins them.
modules=$(sed -nE 's/.*"((openapi-)?typescript)": "([0-9.]+)".*/\1@\3/p' "$(dirname "$0")/../adapters/httpapi/client/typescript/package.json")
# Generators of clients from the OpenAPI document, beside those modules.
generators='openapi-fetch@0.17.0 @hey-api/openapi-ts@0.99.0 orval@8.38.0'
cache=${XDG_CACHE_HOME:-$HOME/.cache}/plaza-test
client=client-$(echo $modules | tr ' ' '-')
generated=generators-$(echo "$modules $generators" | cksum | cut -d' ' -f1)

path() {
	case $name in
	cc) command -v cc || command -v gcc ;;
	curl) command -v curl ;;
	postgres)
		if [ -n "${PG_BIN:-}" ]; then echo "$PG_BIN"; return; fi
		# A client's package makes such a folder, too, and versions compare as numbers.
		newest=$(ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1)
		[ -n "$newest" ] || newest=$(readlink -f "$(command -v initdb)" 2>/dev/null)
		[ -x "$newest" ] && dirname "$newest"
		;;
	apertium) [ -e /usr/share/apertium/modes/eng-spa.mode ] && command -v apertium-apy ;;
	s3)
		program=$cache/versitygw-$versitygw/versitygw
		[ -x "$program" ] && echo "$program"
		;;
	chromium) command -v chromium ;;
	axe)
		script=$cache/axe-$axe/node_modules/axe-core/axe.min.js
		[ -e "$script" ] && echo "$script"
		;;
	redocly) installed redocly-$redocly ;;
	spectral) installed spectral-$spectral ;;
	typescript) [ -d "$cache/$client/node_modules/typescript" ] && echo "$cache/$client/node_modules" ;;
	generators) [ -d "$cache/$generated/node_modules/orval" ] && echo "$cache/$generated/node_modules" ;;
	nginx) PATH=$PATH:/usr/sbin command -v nginx ;;
	prometheus) command -v promtool >/dev/null && dirname "$(command -v prometheus)" ;;
	systemd) command -v systemd-analyze ;;
	django)
		# A Python of another origin may come before Debian's.
		for python in python3 /usr/bin/python3; do
			"$python" -c 'import argon2, django, gunicorn, psycopg2, rest_framework' 2>/dev/null && command -v "$python" && return
		done
		return 1
		;;
	# Without its library for etcd Patroni starts and then fails.
	patroni) /usr/bin/python3 -c 'import etcd' 2>/dev/null && command -v patroni ;;
	etcd) command -v etcd ;;
	pgbouncer | haproxy) PATH=$PATH:/usr/sbin command -v $name ;;
	*) echo "test/tools.sh: unknown program $name" >&2; exit 2 ;;
	esac
}

# installed prints the path of the npm program in a folder of the cache: redocly in redocly-2.77.0.
installed() {
	program=$cache/$1/node_modules/.bin/$name
	[ -x "$program" ] && echo "$program"
}

packages() {
	command -v apt-get >/dev/null || { echo "apt-get is missing" >&2; return 1; }
	[ "$(id -u)" = 0 ] || { echo "only root can install packages" >&2; return 1; }
	echo "test/tools.sh: installing $*" >&2
	apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 "$@" >&2
}

# servers installs packages whose services must not start.
servers() {
	policy=/usr/sbin/policy-rc.d
	if [ "$(id -u)" = 0 ] && [ ! -e $policy ]; then
		printf '#!/bin/sh\nexit 101\n' >$policy
		chmod +x $policy
		trap 'rm -f $policy' EXIT
	fi
	packages "$@"
}

# npm_packages installs packages, named with their versions, into a folder of the cache. They need
# Node.js 20.19 or later. No script of a package runs.
npm_packages() {
	folder=$cache/$1
	shift
	command -v npm >/dev/null || packages nodejs npm || return 1
	echo "test/tools.sh: installing $*" >&2
	mkdir -p "$folder.new"
	npm install --silent --no-audit --no-fund --no-package-lock --ignore-scripts --prefix "$folder.new" "$@" >&2 &&
		mv "$folder.new" "$folder"
}

install() {
	case $name in
	cc) packages gcc libc6-dev ;;
	curl) packages curl ;;
	postgres)
		# Without this line the package starts a server of its own.
		conf=/etc/postgresql-common/createcluster.conf
		[ "$(id -u)" != 0 ] || [ -e $conf ] || { mkdir -p ${conf%/*} && echo "create_main_cluster = false" >$conf; }
		packages postgresql
		;;
	apertium) packages apertium-apy apertium-eng-spa ;;
	chromium) packages chromium ;;
	nginx) servers nginx-light ;;
	prometheus) servers prometheus ;;
	systemd) servers systemd ;;
	patroni) servers patroni python3-etcd ;;
	etcd) servers etcd-server ;;
	pgbouncer | haproxy) servers $name ;;
	s3)
		echo "test/tools.sh: building versitygw $versitygw" >&2
		folder=$cache/versitygw-$versitygw
		(cd / && CGO_ENABLED=0 GOFLAGS=-mod=mod GOWORK=off GOBIN=$folder \
			go install -trimpath "-ldflags=-s -w" github.com/versity/versitygw/cmd/versitygw@$versitygw >&2)
		;;
	django) packages python3-django python3-djangorestframework python3-gunicorn python3-psycopg2 python3-argon2 ;;
	axe) npm_packages axe-$axe axe-core@$axe ;;
	redocly) npm_packages redocly-$redocly @redocly/cli@$redocly ;;
	spectral) npm_packages spectral-$spectral @stoplight/spectral-cli@$spectral ;;
	typescript) npm_packages "$client" $modules ;;
	generators) npm_packages "$generated" $modules $generators @types/node@20 ;;
	esac
}

path && exit
[ "${2:-}" = install ] && install && path && exit
echo "test/tools.sh: $name is not installed; the tests that need it are skipped" >&2
