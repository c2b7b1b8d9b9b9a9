/** Options of statusctl, for the parser of arguments, the usage and the shell completions. */

interface Option {
  type: 'string' | 'boolean'
  short?: string
  /** Placeholder of the value. */
  value?: string
  summary: string
}

const optionsTable = {
  url: {
    type: 'string',
    value: '<url>',
    summary: 'address of the status page service; for heartbeat run, the ping URL',
  },
  output: { type: 'string', short: 'o', value: '<file>', summary: 'file of the export' },
  subscribers: { type: 'string', value: '<csv-file>', summary: 'subscribers to import' },
  publish: { type: 'boolean', summary: 'publish the page that an import creates' },
  slug: { type: 'string', value: '<slug>', summary: 'slug of the page that an import creates' },
  'dry-run': { type: 'boolean', summary: 'show the changes without making them' },
  prune: {
    type: 'boolean',
    summary: 'delete what an earlier apply created and the document lacks',
  },
  follow: { type: 'boolean', short: 'f', summary: 'wait for new events, until Ctrl-C' },
  after: { type: 'string', value: '<event-id>', summary: 'event after which the list begins' },
  kinds: { type: 'string', value: '<kinds>', summary: 'kinds of events, separated by commas' },
  'token-file': { type: 'string', value: '<file>', summary: 'file with the enrolment token' },
  state: { type: 'string', value: '<file>', summary: 'file of the token and key of the agent' },
  allow: {
    type: 'string',
    value: '<networks>',
    summary: 'private networks that checks may reach, in CIDR notation, separated by commas',
  },
  name: { type: 'string', value: '<name>', summary: 'name of the agent; default: the host name' },
  json: { type: 'boolean', summary: 'print the reply of the server; for events, one per line' },
  help: { type: 'boolean', short: 'h', summary: 'print this text' },
  version: { type: 'boolean', summary: 'print the version' },
} as const satisfies Record<string, Option>

export type OptionName = keyof typeof optionsTable

export const options: typeof optionsTable & Readonly<Record<OptionName, Option>> = optionsTable

/** Options without a command. */
export const globalOptions: readonly OptionName[] = ['help', 'version']
