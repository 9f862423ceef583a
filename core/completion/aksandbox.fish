# SPDX-License-Identifier: Apache-2.0
# Completion of aksandbox(1) for fish.

function __aksandbox_types
  aksandbox providers 2>/dev/null | sed -n '2,$s/ .*//p'
end

set -l commands run exec providers inspect config doctor help
set -l where '__fish_seen_subcommand_from run exec'

complete -c aksandbox -f
complete -c aksandbox -n "not __fish_seen_subcommand_from $commands" -a run -d 'Run code in a sandbox'
complete -c aksandbox -n "not __fish_seen_subcommand_from $commands" -a exec -d 'Run a command in a sandbox'
complete -c aksandbox -n "not __fish_seen_subcommand_from $commands" -a providers -d 'List the providers'
complete -c aksandbox -n "not __fish_seen_subcommand_from $commands" -a inspect -d 'Show what a provider says of itself'
complete -c aksandbox -n "not __fish_seen_subcommand_from $commands" -a config -d 'Check or show the configuration'
complete -c aksandbox -n "not __fish_seen_subcommand_from $commands" -a doctor -d 'Look at this machine'
complete -c aksandbox -n "not __fish_seen_subcommand_from $commands" -a help -d 'Show the help of a command'
complete -c aksandbox -n "not __fish_seen_subcommand_from $commands" -l version -d 'Print the version'

complete -c aksandbox -l config -r -F -d 'Read this configuration'
complete -c aksandbox -l json -d 'Print one JSON object'
complete -c aksandbox -s q -l quiet -d 'No remarks'
complete -c aksandbox -s v -l verbose -d 'Print the log'
complete -c aksandbox -s h -l help -d 'Show the help'

complete -c aksandbox -n "$where" -s t -l type -x -a '(__aksandbox_types)' -d 'Use this provider'
complete -c aksandbox -n '__fish_seen_subcommand_from run exec providers' -s p -l profile -x -d 'Use this profile'
complete -c aksandbox -n "$where" -l timeout -x -d 'Seconds until it is killed'
complete -c aksandbox -n "$where" -l network -x -a 'allow deny' -d 'Use of the network'
complete -c aksandbox -n "$where" -l memory -x -d 'Memory in MiB'
complete -c aksandbox -n "$where" -l cpu -x -d 'Processors'
complete -c aksandbox -n "$where" -l env -x -d 'NAME=VALUE for the program'
complete -c aksandbox -n "$where" -l cwd -r -d 'Directory to start in'
complete -c aksandbox -n "$where" -l stdin -d 'Pass standard input'
complete -c aksandbox -n '__fish_seen_subcommand_from run' -s l -l language -x -a 'python sh bash' -d 'Language of the code'
complete -c aksandbox -n '__fish_seen_subcommand_from run' -s f -l file -r -F -d 'File with the code'

complete -c aksandbox -n '__fish_seen_subcommand_from exec' -x -a '(__fish_complete_command)'
complete -c aksandbox -n '__fish_seen_subcommand_from providers' -a '(__aksandbox_types)'
complete -c aksandbox -n '__fish_seen_subcommand_from inspect' -F
complete -c aksandbox -n '__fish_seen_subcommand_from config' -a 'check show'
complete -c aksandbox -n '__fish_seen_subcommand_from help' -a "$commands"
