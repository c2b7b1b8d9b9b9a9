/** Options of statusctl, for the parser of arguments, the usage and the shell completions. */

interface Option {
  type: 'string' | 'boolean'
  short?: string
  /** Placeholder of the value. */
  value?: string
  summary: string
}

const optionsTable = {
  url: { type: 'string', value: '<url>', summary: 'address of the status page service' },
  output: { type: 'string', short: 'o', value: '<file>', summary: 'file of the export' },
  subscribers: { type: 'string', value: '<csv-file>', summary: 'subscribers to import' },
  'dry-run': { type: 'boolean', summary: 'show the changes without making them' },
  prune: {
    type: 'boolean',
    summary: 'delete what an earlier apply created and the document lacks',
  },
  json: { type: 'boolean', summary: 'print the reply of the server instead of a plan' },
  help: { type: 'boolean', short: 'h', summary: 'print this text' },
  version: { type: 'boolean', summary: 'print the version' },
} as const satisfies Record<string, Option>

export type OptionName = keyof typeof optionsTable

export const options: typeof optionsTable & Readonly<Record<OptionName, Option>> = optionsTable

/** Options without a command. */
export const globalOptions: readonly OptionName[] = ['help', 'version']
