/** German texts. */
import type { LanguageTexts } from '../en/index.ts'
import { application } from './application.ts'
import { composer } from './composer.ts'
import { incident } from './incident.ts'
import { kit } from './kit.ts'
import { names } from './names.ts'
import { overview } from './overview.ts'
import { palette } from './palette.ts'
import { problems } from './problems.ts'

export const de: LanguageTexts = {
  frame: {
    ...application,
    ...kit,
    ...names,
    composer,
    incident,
    overview,
    palette,
    problems,
  },
  areas: {
    access: async () => (await import('./access.ts')).access,
    channels: async () => (await import('./channels.ts')).channels,
    componentScreens: async () => (await import('./components.ts')).componentScreens,
    conditions: async () => (await import('./conditions.ts')).conditions,
    configuration: async () => (await import('./configuration.ts')).configuration,
    deliveries: async () => (await import('./deliveries.ts')).deliveries,
    firstRun: async () => (await import('./first-run.ts')).firstRun,
    gitSync: async () => (await import('./git-sync.ts')).gitSync,
    heartbeats: async () => (await import('./heartbeats.ts')).heartbeats,
    imports: async () => (await import('./imports.ts')).imports,
    integrations: async () => (await import('./integrations.ts')).integrations,
    locations: async () => (await import('./locations.ts')).locations,
    maintenance: async () => (await import('./maintenance.ts')).maintenance,
    measurements: async () => (await import('./measurements.ts')).measurements,
    onCall: async () => (await import('./on-call.ts')).onCall,
    organizationScreens: async () => (await import('./organization.ts')).organizationScreens,
    ownAccount: async () => (await import('./own-account.ts')).ownAccount,
    postmortem: async () => (await import('./postmortem.ts')).postmortem,
    serviceLevel: async () => (await import('./service-level.ts')).serviceLevel,
    statusPages: async () => (await import('./status-pages.ts')).statusPages,
    subscribers: async () => (await import('./subscribers.ts')).subscribers,
    vendor: async () => (await import('./vendor.ts')).vendor,
  },
}
