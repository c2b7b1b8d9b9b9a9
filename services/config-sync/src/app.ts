/** Composition of config-sync: routes, event handlers and jobs. */
import { outboundPolicy } from '@status-page/outbound'
import { createPasswords } from '@status-page/secrets'
import {
  createErasure,
  type Environment,
  erasedAddressHandler,
  keyRotationJob,
  ownHostsOf,
  type Resources,
  type ServiceApp,
  serve,
} from '@status-page/service'
import type { ConfigSyncConfig } from './config.ts'
import { createParsers, type GetParser } from './configuration/document/parser.ts'
import { applyJob } from './configuration/jobs.ts'
import { configurationRoutes } from './configuration/routes.ts'
import { erasureParts } from './erasure/parts.ts'
import { gitSyncBackground, gitSyncDeps } from './git-sync/deps.ts'
import { writeBackHandler } from './git-sync/handlers.ts'
import { gitHookRoutes } from './git-sync/hooks.ts'
import { GIT_SYNC_JOB, gitSyncJobs } from './git-sync/jobs.ts'
import { encryptedGitSyncs } from './git-sync/key-rotation.ts'
import { gitSyncRoutes } from './git-sync/routes.ts'
import { GIT_SYNC_DUE } from './git-sync/store.ts'
import { organizationHandler } from './organizations/handlers.ts'
import { encryptedVariables } from './variables/key-rotation.ts'
import { operatorVariables } from './variables/operator.ts'
import { variableRoutes } from './variables/routes.ts'

/** `environment` holds the operator's variables. Tests inject a parser. */
export type ConfigSyncResources = Resources<ConfigSyncConfig> & {
  environment: Environment
  parserOf?: GetParser
}

export const buildApp = (resources: ConfigSyncResources): ServiceApp => {
  const deps = depsOf(resources)
  const git = gitSyncDeps(deps)
  const routes = [
    ...configurationRoutes(deps),
    ...variableRoutes(deps),
    ...gitSyncRoutes(git),
    ...gitHookRoutes(git),
  ]
  const erasure = createErasure(resources, erasureParts)
  const handlers = [
    organizationHandler,
    writeBackHandler,
    erasure.handler,
    erasedAddressHandler(resources),
  ]
  const jobs = [
    erasure.job,
    applyJob(deps),
    ...gitSyncJobs(git),
    keyRotationJob({ ...resources, sources: encryptedSources(resources) }),
  ]
  return {
    http: serve({ ...resources, routes }),
    eventHandlers: handlers,
    jobs,
    wakeOn: { [GIT_SYNC_DUE]: [GIT_SYNC_JOB] },
    background: [gitSyncBackground(git)],
  }
}

const depsOf = (resources: ConfigSyncResources) => {
  const { config, environment } = resources
  const isRegistrationOpen = config.REGISTRATION === 'open'
  return {
    ...resources,
    core: resources.client('core'),
    integrations: resources.client('integrations'),
    notifier: resources.client('notifier'),
    policy: outboundPolicy({
      allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
      ownHosts: ownHostsOf(config),
    }),
    parserOf: resources.parserOf ?? createParsers(),
    passwords: createPasswords(),
    operatorVariables: operatorVariables(environment, { isRegistrationOpen }),
  }
}

/** Sources of all encrypted data in config-sync, for key rotation. */
const encryptedSources = (resources: ConfigSyncResources) => [
  encryptedVariables(resources),
  encryptedGitSyncs(resources),
]
