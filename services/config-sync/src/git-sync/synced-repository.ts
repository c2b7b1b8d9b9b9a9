/** Access to the synced repository with the stored credential. */
import type { Outbound } from '@status-page/outbound'
import type { Sealer } from '@status-page/secrets'
import { GitFailure } from '../git/failure.ts'
import { parseRemote } from '../git/remote.ts'
import { type GitContext, type Repository, withRepository } from '../git/repository.ts'
import type { GitSyncRow } from '../tables.ts'
import { decryptCredential, resolveRepositoryAccess } from './secrets.ts'
import { settingsOf } from './settings.ts'

export interface RepositoryDeps {
  sealer: Sealer
  outbound: Outbound
  git: GitContext
}

/** Opens the repository with the stored credential. */
export const withSyncedRepository = async <T>(
  deps: RepositoryDeps,
  row: GitSyncRow,
  signal: AbortSignal,
  work: (repository: Repository, token: string | null) => Promise<T>,
): Promise<T> => {
  const { sealer, outbound, git } = deps
  const parsed = parseRemote(row.repositoryUrl, git.policy)
  // The outbound policy changed after the settings were saved.
  if (!parsed.ok) throw new GitFailure('blocked')
  const { remote } = parsed
  const credential = decryptCredential(sealer, row)
  const settings = settingsOf(row)
  const { access, token } = await resolveRepositoryAccess({
    outbound,
    settings,
    credential,
    remote,
    now: new Date(),
  })
  return withRepository(git, { remote, access, signal }, (repository) => work(repository, token))
}
