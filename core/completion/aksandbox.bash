# SPDX-License-Identifier: Apache-2.0
# Completion of aksandbox(1) for bash.

_aksandbox_words ()
{
  local IFS=$'\n'
  COMPREPLY=($(compgen -W "$(printf '%s\n' "$@")" -- "$cur"))
}

_aksandbox ()
{
  local commands='run exec providers inspect config doctor help'
  local common='--config --json --quiet --verbose --help'
  local where='--profile --type --timeout --network --memory --cpu --env --cwd --stdin'
  local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command='' word i

  COMPREPLY=()
  # bash takes --option=value for three words
  if [ "$cur" = = ]; then
    cur=
  elif [ "$option" = = ]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [ "$word" = -- ]; then
      if [ "$command" = exec ] && ((i == COMP_CWORD - 1)); then
        COMPREPLY=($(compgen -c -- "$cur"))
      else
        compopt -o default 2>/dev/null
      fi
      return
    fi
    case $word in
    --config) ((i++)) ;;
    -*) ;;
    *) [ -n "$command" ] || command=$word ;;
    esac
  done

  case $option in
  --config | --cwd | --file | -f)
    compopt -o default 2>/dev/null
    return
    ;;
  --type | -t)
    _aksandbox_words $(aksandbox providers 2>/dev/null | sed -n '2,$s/ .*//p')
    return
    ;;
  --network)
    _aksandbox_words allow deny
    return
    ;;
  --language | -l)
    _aksandbox_words python sh bash
    return
    ;;
  --profile | -p | --timeout | --memory | --cpu | --env)
    return
    ;;
  esac

  case $command:$cur in
  :-*) _aksandbox_words $common --version ;;
  :*) _aksandbox_words $commands ;;
  run:-*) _aksandbox_words $common $where --language --file ;;
  exec:-*) _aksandbox_words $common $where ;;
  exec:*) COMPREPLY=($(compgen -c -- "$cur")) ;;
  providers:-*) _aksandbox_words $common --profile ;;
  providers:*) _aksandbox_words $(aksandbox providers 2>/dev/null | sed -n '2,$s/ .*//p') ;;
  inspect:-*) _aksandbox_words $common ;;
  inspect:*) compopt -o default 2>/dev/null ;;
  config:-* | doctor:-*) _aksandbox_words $common ;;
  config:*) _aksandbox_words check show ;;
  help:-*) _aksandbox_words $common ;;
  help:*) _aksandbox_words $commands ;;
  esac
}

complete -F _aksandbox aksandbox
