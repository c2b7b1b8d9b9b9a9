/** Shell completions, from the tables of commands and options. */
import type { Command } from './command.ts'
import { globalOptions, type OptionName, options } from './options.ts'

type CommandTable = Readonly<Record<string, Command>>

/** Words of an operand, such as `bash|zsh|fish`; a placeholder such as `<file>` has none. */
const wordsOf = (operand: string): readonly string[] =>
  operand.startsWith('<') ? [] : operand.split('|')

const isFile = (placeholder: string): boolean => placeholder.includes('file')

const flags = (names: readonly OptionName[]): string => names.map((name) => `--${name}`).join(' ')

/** The address is accepted by every command. */
const optionsOf = (command: Command): readonly OptionName[] => [
  ...new Set<OptionName>([...command.options, 'url']),
]

/** Spellings of the options that have a value; those with a file, or the others. */
const withValue = (kind: 'file' | 'text'): readonly string[] =>
  Object.entries(options).flatMap(([name, { value, short }]) =>
    value === undefined || isFile(value) !== (kind === 'file')
      ? []
      : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])],
  )

/** Without a match, bash completes file names (`-o default`). */
const bash = (commands: CommandTable): string => {
  const cases = Object.entries(commands).map(([name, command]) => {
    const words = command.operands.flatMap(wordsOf).join(' ')
    const isOfFiles = command.operands.some(isFile)
    return `    ${name}) words='${words}' options='${flags(optionsOf(command))}' files=${isOfFiles ? 1 : ''} ;;`
  })
  return `_statusctl() {
  local word=\${COMP_WORDS[COMP_CWORD]} words='' options='' files=''
  COMPREPLY=()
  case \${COMP_WORDS[COMP_CWORD-1]} in
    ${[...withValue('file'), ...withValue('text')].join('|')}) return ;;
  esac
  case $((COMP_CWORD > 1)):\${COMP_WORDS[1]} in
    0:*) words='${Object.keys(commands).join(' ')}' options='${flags(globalOptions)}' ;;
${cases.map((line) => line.replace('    ', '    1:')).join('\n')}
  esac
  if ((COMP_CWORD > 2)); then words=''; fi
  if [[ $word == -* ]]; then words=$options
  elif [[ -z $words && -z $files ]]; then words=$options
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _statusctl statusctl
`
}

const zsh = (commands: CommandTable): string => {
  const option = (name: OptionName): string => {
    const { value, short, summary } = options[name]
    const argument = value === undefined ? '' : `:${name}:${isFile(value) ? '_files' : ''}`
    return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]
      .map((spelling) => `'${spelling}[${summary}]${argument}'`)
      .join(' ')
  }
  const operand = (text: string, index: number): string => {
    const words = wordsOf(text)
    const action = words.length > 0 ? `(${words.join(' ')})` : isFile(text) ? '_files' : ''
    return `'${index + 1}:${text}:${action}'`
  }
  const cases = Object.entries(commands).map(([name, command]) => {
    const specs = [...optionsOf(command).map(option), ...command.operands.map(operand)]
    return `    ${name}) _arguments ${specs.join(' ')} ;;`
  })
  const described = Object.entries(commands).map(([name, { summary }]) => `'${name}:${summary}'`)
  return `#compdef statusctl
_statusctl() {
  if (( CURRENT == 2 )); then
    local -a commands=(${described.join(' ')})
    _describe command commands
    _arguments ${globalOptions.map(option).join(' ')}
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _statusctl ]]; then _statusctl "$@"; else compdef _statusctl statusctl; fi
`
}

const fish = (commands: CommandTable): string => {
  const line = (condition: string, text: string): string =>
    `complete -c statusctl -n '${condition}' ${text}\n`
  const option = (name: OptionName): string => {
    const { value, short, summary } = options[name]
    const argument = value === undefined ? '' : isFile(value) ? ' -rF' : ' -x'
    return `-l ${name}${short === undefined ? '' : ` -s ${short}`}${argument} -d '${summary}'`
  }
  const lines = Object.entries(commands).flatMap(([name, command]) => {
    const used = `__fish_seen_subcommand_from ${name}`
    const words = command.operands.flatMap(wordsOf).join(' ')
    return [
      line('__fish_use_subcommand', `-a ${name} -d '${command.summary}'`),
      ...(words === '' ? [] : [line(used, `-a '${words}'`)]),
      ...(command.operands.some(isFile) ? [line(used, '-F')] : []),
      ...optionsOf(command).map((one) => line(used, option(one))),
    ]
  })
  const globals = globalOptions.map((name) => line('__fish_use_subcommand', option(name)))
  return `complete -c statusctl -f\n${[...lines, ...globals].join('')}`
}

export const completions: Readonly<
  Record<string, ((commands: CommandTable) => string) | undefined>
> = {
  bash,
  zsh,
  fish,
}
