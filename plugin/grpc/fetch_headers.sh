#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Prints the folder of an unpacked source tree of the installed gRPC, whose
# src/core holds the internal headers. No package ships them, so the first run
# fetches the distribution's source package, of exactly the installed version,
# from where apt gets its packages; later runs work offline.
#
# apt runs on a configuration, lists and cache of its own: the machine's are
# only read, and root is not needed.
set -euo pipefail

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Sets what is installed: package, binary_version, source, version, upstream.
find_installed() {
  package=libgrpc-dev
  local found
  command -v dpkg-query apt-get >/dev/null ||
    die "This system has no dpkg and apt to fetch a source package with."
  found=$(dpkg-query -W -f '${Version} ${source:Package} ${source:Version}' \
    "$package" 2>/dev/null) ||
    die "The package $package is not installed: install it (./dev setup)."
  read -r binary_version source version <<<"$found"
  upstream=${version#*:}
  upstream=${upstream%-*}
}

# Sets root (of the cache) and tree (what is looked for).
find_cache() {
  local base=${XDG_CACHE_HOME:-}
  if [ -z "$base" ]; then
    [ -n "${HOME:-}" ] || die "Set HOME or XDG_CACHE_HOME: there is no cache."
    base=$HOME/.cache
  fi
  root=$base/retry-guard
  tree=$root/grpc-$upstream
}

# The archives that the installed version came from, as "URI suite/component".
origins() {
  apt-cache madison "$package" | grep -F " | $binary_version | " |
    sed 's/.* | //; s/ [^ ]* Packages$//' | sort -u
}

# All archives that packages come from, in the same words, and the place of each
# in apt's configuration.
targets() {
  # shellcheck disable=SC2016 # apt expands it
  apt-get indextargets 'Created-By: Packages' \
    --format '$(SITE) $(RELEASE)/$(COMPONENT)|$(SOURCESENTRY)'
}

# The files that configure these archives. Without downloaded package lists apt
# cannot tell them, so all files then.
source_files() {
  local archives targets
  if archives=$(origins) && targets=$(targets | grep -F "$archives"); then
    sed 's/.*|//; s/:[0-9]*$//' <<<"$targets" | sort -u
  else
    find /etc/apt -name '*.sources' -o -name '*.list'
  fi
}

# Copies the entries of a file as entries for sources, so that all they say of
# mirrors, suites and keys still holds.
copy_as_sources() {
  case $1 in
    *.sources) sed 's/^[Tt]ypes:.*/Types: deb-src/' "$1" ;;
    *) sed -n 's/^[[:space:]]*deb\(-src\)\?[[:space:]]/deb-src /p' "$1" |
      sort -u ;;
  esac >"$2/${1##*/}"
}

# Makes apt, in this process, work in the folder $1 alone. Of the machine's
# configuration only the way to the network is kept: hooks must not run.
isolate_apt() {
  local files file
  mkdir -p "$1"/{sources,lists/partial,cache/archives/partial}
  files=$(source_files)
  for file in $files; do copy_as_sources "$file" "$1/sources"; done
  {
    apt-config dump | grep '^Acquire::' || true
    printf '%s "%s";\n' \
      Dir::Etc::Main /dev/null \
      Dir::Etc::Parts /dev/null \
      Dir::Etc::SourceList /dev/null \
      Dir::Etc::SourceParts "$1/sources" \
      Dir::State::Lists "$1/lists" \
      Dir::Cache "$1/cache" \
      APT::Sandbox::User root
  } >"$1/apt.conf"
  export APT_CONFIG=$1/apt.conf
}

# An archive that cannot be reached matters only if the package was in it, so
# the second command's status is what counts.
download() {
  apt-get -q update || true
  apt-get -q source --download-only --only-source "$source=$version"
}

# Unpacks into the folder $1/tree what was downloaded to $1, without the
# distribution's patches, which touch no header.
unpack() {
  local found
  mkdir "$1/tree"
  tar -xf "$1/${source}_$upstream".orig.tar.* -C "$1/tree" --strip-components=1
  found=$(sed -n 's/^  version: *//p' "$1/tree/build_handwritten.yaml")
  [ "$found" = "$upstream" ] ||
    die "The source package of $source $version holds version '$found'."
}

# A second process that was faster is as good.
publish() { mv -T "$1/tree" "$tree" 2>/dev/null || [ -d "$tree" ]; }

fetch() {
  mkdir -p "$root"
  work=$(mktemp -d "$root/fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  isolate_apt "$work"
  (cd "$work" && download) >"$work/log" 2>&1 || {
    grep '^[EW]:' "$work/log" | tail -n 5 >&2
    die "The sources of $source $version could not be fetched from where" \
      "this machine gets its packages."
  }
  unpack "$work"
  publish "$work"
}

find_installed
find_cache
[ -d "$tree" ] || fetch
printf '%s\n' "$tree"
