/** Export of an organization: it contains every resource of the contract. */
import { isInternal, type Operation, operations } from '@status-page/contracts'
import t from 'tap'
import { type ForwardedSource, forwardedSources, storedSources } from './export-sources.ts'

/**
 * Operations that return no resource of the organization, or one that another operation exports.
 */
const leftOut: Readonly<Record<string, string>> = {
  'organization.read': 'the first line',
  'configuration.export': 'the last line',
  'organization.export': 'the export itself',
  'auth.me': 'of the account, in its own export',
  'auth.exportAccount': 'of the account, in its own export',
  'sessions.list': 'of the account, in its own export',
  'two-factor.read': 'of the account, in its own export',
  'events.list': 'changes of the last days to resources with lines of their own',
  'events.stream': 'the same changes',
  'overview.read': 'composed of resources with lines of their own',
  'postmortems.read': 'in the line of its incident',
  'components.impact': 'computed from the dependencies of components with lines of their own',
  'components.checks': 'summarised by uptime and response times',
  'heartbeats.read': 'last pings of the component, whose line has the schedule',
  'hooks.heartbeatByGet': 'receives a ping',
  'hooks.heartbeatSignalByGet': 'receives a ping',
  'components.values': 'values of the platform that the organization connected',
  'metric-queries.series': 'values of the platform that the organization connected',
  'sla.report': 'computed from the service level and the history of its components',
  'oncall-schedules.shifts': 'computed from the schedule',
  'oncall-schedules.timeline': 'computed from the schedule',
  'maintenances.listOccurrences': 'computed from the recurrence of the first maintenance',
  'sample-data.read': 'names resources with lines of their own',
  'configuration.drift': 'computed from the last version',
}

const flat = (sources: readonly ForwardedSource[]): ForwardedSource[] =>
  sources.flatMap((source) => [source, ...flat(source.children ?? [])])

const exported = [...flat(forwardedSources), ...storedSources].map(({ operation }) => operation)
const exportedPaths = new Set(exported.map(({ path }) => path))

/** Returns whether the operation reads one item of an exported list. */
const isItem = ({ path }: Operation): boolean =>
  exportedPaths.has(path.replace(/\/\{\w+\}$/, '')) && /\}$/.test(path)

t.test('every resource of the contract is exported or excluded with a reason', async (t) => {
  const missing = operations
    .filter(({ method, permission }) => method === 'GET' && permission !== 'public')
    .filter((one) => !isInternal(one) && !exported.includes(one) && !isItem(one))
    .map(({ id }) => id)
  t.same(missing.toSorted(), Object.keys(leftOut).toSorted())
})

t.test('each kind of line belongs to one resource', async (t) => {
  const kinds = [...flat(forwardedSources), ...storedSources].map(({ kind }) => kind)
  t.equal(new Set(kinds).size, kinds.length)
})
