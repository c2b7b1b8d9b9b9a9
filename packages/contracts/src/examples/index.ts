/** Example of each operation; a test validates all of them against the contract. */
import type { Operation } from '../index.ts'
import { accountExamples } from './account.ts'
import { checkExamples } from './checks.ts'
import { componentExamples } from './components.ts'
import { configurationExamples } from './configuration.ts'
import { eventExamples } from './events.ts'
import type { Example } from './example.ts'
import { gitSyncExamples } from './git-sync.ts'
import { exportExamples, importExamples, sampleDataExamples } from './imports.ts'
import { incidentExamples } from './incidents.ts'
import { integrationExamples } from './integrations.ts'
import { locationExamples } from './locations.ts'
import { maintenanceExamples } from './maintenances.ts'
import { channelExamples } from './notification-channels.ts'
import { oncallExamples } from './oncall.ts'
import { organizationExamples } from './organization.ts'
import { overviewExamples } from './overview.ts'
import { pageExamples } from './pages.ts'
import { slaExamples } from './sla.ts'
import { statusPageExamples } from './status-pages.ts'
import { subscriberExamples } from './subscribers.ts'

export { exampleConfiguration } from './configuration.ts'
export type { Example } from './example.ts'

const examples: ReadonlyMap<string, Example> = new Map([
  ...accountExamples,
  ...organizationExamples,
  ...overviewExamples,
  ...eventExamples,
  ...componentExamples,
  ...checkExamples,
  ...locationExamples,
  ...incidentExamples,
  ...importExamples,
  ...sampleDataExamples,
  ...exportExamples,
  ...maintenanceExamples,
  ...slaExamples,
  ...subscriberExamples,
  ...statusPageExamples,
  ...pageExamples,
  ...oncallExamples,
  ...channelExamples,
  ...integrationExamples,
  ...configurationExamples,
  ...gitSyncExamples,
])

export const exampleOf = ({ id }: Operation): Example => examples.get(id) ?? {}
