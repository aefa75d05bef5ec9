#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A Debian of its own below a folder: a fresh machine, or another release.
#
#   debian_tree.sh make TREE SUITE            makes it, if it is not there
#   debian_tree.sh run TREE COMMAND [ARG...]  runs a command in it, as root would
#                                             after logging in
#
# It needs root. `make` needs debootstrap, and takes the packages from where apt
# gets this machine's; what is signed by Debian is all that it installs. `run`
# leaves neither mounts nor processes behind, however it ends: both are in
# namespaces that go with it.
set -euo pipefail

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

# ---- Making it ---------------------------------------------------------------

# The archives in apt's configuration that debootstrap can read from.
mirrors() {
  # shellcheck disable=SC2016 # apt expands it
  apt-get indextargets 'Created-By: Packages' --format '$(REPO_URI)' |
    grep -E '^(https?|file):' | awk '!seen[$0]++'
}

# The setting $1 of apt, or nothing.
apt_setting() {
  local value=
  eval "$(apt-config shell value "$1")"
  printf %s "$value"
}

# Only the main archive has what a suite begins with; the others, and those of
# other makers, say no at once. The mounts that debootstrap makes stay with it.
bootstrap() {
  local mirror proxy
  proxy=$(apt_setting Acquire::http::Proxy)
  for mirror in $(mirrors); do
    rm -rf "$1"
    env ${proxy:+http_proxy="$proxy"} unshare --mount debootstrap \
      --force-check-gpg --variant=minbase "$2" "$1" "$mirror" && return 0
  done
  return 1
}

# Of the machine's configuration only the way to the network.
connect() {
  apt-config dump | sed -n '/^Acquire::IndexTargets/d; /^Acquire::/p' \
    >"$1/etc/apt/apt.conf.d/90network"
  cat >"$1/etc/hosts" <<END
127.0.0.1 localhost
127.0.1.1 $(uname -n)
::1 localhost ip6-localhost ip6-loopback
END
}

make() {
  local tree=$1 log=$1.log
  [ ! -d "$tree" ] || return 0
  mkdir -p "${tree%/*}"
  echo "Making a tree of Debian $2"
  bootstrap "$tree.new" "$2" >"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    die "Debian $2 could not be had from where this machine gets its packages;" \
      "$log has all that was said."
  }
  connect "$tree.new"
  mv -T "$tree.new" "$tree"
}

# ---- Running in it -----------------------------------------------------------

# Each of these processes dies with the one before it, and the last is the first
# in its namespace, so that everything in there dies with it.
run() {
  [ -d "$1/proc" ] || die "$1 is no tree of Debian; make it first."
  setpriv --pdeathsig KILL \
    unshare --mount --pid --fork --kill-child --mount-proc="$1/proc" \
    "$0" enter "$@"
}

# The address of the name server may have changed. (No exec: a first process
# gets no signal, Ctrl-C for one, that it does not wait for.)
enter() {
  local tree=$1
  mount -t sysfs -o ro sysfs "$tree/sys"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 \
    devpts "$tree/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$tree/dev/shm"
  mount -t tmpfs -o mode=0755 tmpfs "$tree/run"
  cp --remove-destination /etc/resolv.conf "$tree/etc/resolv.conf"
  chroot "$tree" /usr/bin/env -i \
    HOME=/root USER=root LOGNAME=root SHELL=/bin/bash TERM="${TERM:-dumb}" \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"
}

case ${1:-} in
  make | run | enter) ;;
  *) die "Usage: debian_tree.sh make TREE SUITE | run TREE COMMAND [ARG...]" ;;
esac
[ $# -ge 3 ] || die "debian_tree.sh $1: something is missing."
[ "$(id -u)" = 0 ] || die "debian_tree.sh $1: only root can do that."
"$1" "$(realpath -m "$2")" "${@:3}"
