/** Dependencies of Git sync: outbound requests, git, and the operations on documents. */
import type { Actor } from '@status-page/contracts'
import { createOutbound, type OutboundPolicy, trustedAuthorities } from '@status-page/outbound'
import { read } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { Caller, Logger } from '@status-page/service'
import { applyDocument } from '../configuration/apply.ts'
import type { ConfigurationDeps, Principal } from '../configuration/prepare.ts'
import { exportDocument, reportDrift } from '../configuration/reports.ts'
import { findGitVersion, lastVersion } from '../configuration/store.ts'
import { gitVersion } from '../git/version.ts'
import { removeStaleWorkspaces } from '../git/workspace.ts'
import { syncActor } from './caller.ts'
import type { GitSyncJobDeps } from './jobs.ts'
import type { GitSyncDeps } from './routes.ts'

export interface GitSyncResources extends ConfigurationDeps {
  config: { BASE_URL: string; GIT_POLL_MINUTES: number }
  logger: Logger
  policy: OutboundPolicy
  sealer: Sealer
}

export const gitSyncDeps = (resources: GitSyncResources): GitSyncDeps & GitSyncJobDeps => {
  const { config, database, logger, policy, sealer } = resources
  return {
    database,
    logger,
    policy,
    sealer,
    baseUrl: config.BASE_URL,
    pollMinutes: config.GIT_POLL_MINUTES,
    outbound: createOutbound({ policy }),
    git: { policy, authorities: trustedAuthorities(), isUsable: createGitProbe(logger) },
    apply: (caller, { text, commit, validateLiveState }) =>
      applyDocument(resources, {
        ...principalOf(caller, syncActor),
        text,
        validateLiveState,
        isDryRun: false,
        isPruning: false,
        source: { kind: 'git', commit, versionId: null },
      }),
    findChanges: (organizationId, commit, since) =>
      read(database, organizationId, (scope) => findGitVersion(scope, commit, since)),
    drift: (caller) => reportDrift(resources, principalOf(caller, syncActor)),
    exportDocument: (caller) =>
      exportDocument(resources, principalOf(caller, syncActor), 'sections of the document'),
    lastDocument: async ({ organizationId }) => {
      if (organizationId === null) return null
      return (await read(database, organizationId, lastVersion))?.document ?? null
    },
  }
}

const principalOf = ({ organizationId, grants }: Caller, actor: Actor): Principal => {
  if (organizationId === null) throw new TypeError('A sync is of an organization')
  return { organizationId, actor, grants }
}

/** Checks again until git is found, so that an installation of git needs no restart. */
const createGitProbe = (logger: Logger) => {
  let version: string | null = null
  return async (): Promise<boolean> => {
    if (version !== null) return true
    version = await gitVersion()
    if (version === null) logger.warn('Git sync is disabled: git 2.37 or newer was not found')
    else logger.info({ version }, 'git found')
    return version !== null
  }
}

/** Removes workspaces of killed processes at start and closes connections at shutdown. */
export const gitSyncBackground = ({ outbound, git }: GitSyncJobDeps) => ({
  start: async () => {
    await removeStaleWorkspaces()
    await git.isUsable()
  },
  stop: () => outbound.close(),
})
