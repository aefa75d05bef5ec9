# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

# Completions of the command retry-guard for bash.

# What may follow: verbs, the options of a verb, or the values of an option.
# Nothing leaves the word to bash, which completes file names.
_retry_guard_words() {
  case $1:$2 in
    :) echo check explain init policy mark run simulate top help --help --version ;;
    help:) echo check explain init policy mark run simulate top help ;;
    check:-*) echo --format= --tree --clients --calls --help ;;
    explain:-*) echo --help ;;
    init:-*) echo --style= --service= --help ;;
    policy:-*) echo --max-attempts= --initial-backoff= --max-backoff= \
      --backoff-multiplier= --help ;;
    mark:-*) echo --help ;;
    run:-*) echo --config --layer= --mode= --metrics= --no-accept-marks --strict --help ;;
    top:-*) echo --interval= --once --help ;;
    simulate:-*) echo --list --variant= --compare --method= --seed= --goodput= \
      --format= --chart --svg= --png= --max-amplification= --max-peak= \
      --max-recovery= --max-lost= --help ;;
    simulate:format) echo text json csv ;;
    *:format) echo text json ;;
    *:style) echo budget window ;;
    *:mode) echo ENFORCE SHADOW OFF ;;
  esac
}

_retry_guard() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local verb=${COMP_WORDS[1]} kind='' words
  [ "$COMP_CWORD" -gt 1 ] || verb=''
  case $word in
    =) before=$word word='' ;;
    -*) kind=- ;;
  esac
  # bash takes --style=window for three words.
  [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 1]}
  [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
  case $before in --format | --style | --mode) kind=${before#--} ;; esac
  [ -n "$verb" ] || kind=''
  words=$(_retry_guard_words "$verb" "$kind")
  # shellcheck disable=SC2207 # none of the words has spaces
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  case ${COMPREPLY[*]} in *=) compopt -o nospace ;; esac
}

complete -o default -F _retry_guard retry-guard
