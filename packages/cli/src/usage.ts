/** Text that `--help` prints, from the table of commands. */
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { type OptionName, options } from './options.ts'

/** Column of the summaries. */
const SUMMARY_COLUMN = 42

/** Usage of one command, such as `apply <file> [--prune]`. */
export const usageOf = (name: string, { operands, options: names }: Command): string =>
  [name, ...operands, ...names.map((option) => `[${spelled(option)}]`)].join(' ')

const spelled = (name: OptionName): string => {
  const { short, value } = options[name]
  return `${short === undefined ? `--${name}` : `-${short}`}${value === undefined ? '' : ` ${value}`}`
}

const described = (text: string, summary: string): string =>
  `  ${text.padEnd(SUMMARY_COLUMN - 2)}${summary}`

export const usage = (): string =>
  [
    'Manages the configuration of a status page as code, lists its events, reports runs of jobs, and',
    'runs agents.',
    '',
    ...Object.entries(commands).map(([name, command]) =>
      described(`statusctl ${[name, ...command.operands].join(' ')}`, summaryOf(command)),
    ),
    '',
    '<file> is a path, or - for standard input. <command> follows --, with its arguments.',
    '',
    ...Object.entries(options).map(([name, { summary }]) =>
      described(spelled(name as OptionName), summary),
    ),
    '',
    described('STATUSCTL_URL', 'address of the status page service; --url takes precedence'),
    described('STATUSCTL_KEY', 'API key; takes precedence over the stored one'),
    described('STATUSCTL_PING_URL', 'ping URL of heartbeat run; --url takes precedence'),
    described('STATUSPAGE_KEY', 'API key of Statuspage, for an import from its v1 API'),
    '',
    'Exit codes: 0 success, or no differences; 1 an error, or an invalid document;',
    '2 differences (diff, drift and apply --dry-run). heartbeat run: that of the command.',
    '',
  ].join('\n')

const summaryOf = ({ summary, options: names }: Command): string =>
  [summary, ...names.map((name) => `[${spelled(name)}]`)].join(' ')
