/** Registry of Git providers. */
import type { GitProvider } from '@status-page/contracts'
import { bitbucket } from './bitbucket.ts'
import { generic } from './generic.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import type { Provider } from './provider.ts'

export const providers: Record<GitProvider, Provider> = { github, gitlab, bitbucket, generic }

const SSH_PORT = 22

/** Lines of known_hosts for a public host, or null for any other host. */
export const shippedKnownHosts = (host: string, port: number): string | null => {
  const known = Object.values(providers).find(({ publicHost }) => publicHost?.name === host)
  if (port !== SSH_PORT || !known?.publicHost) return null
  return known.publicHost.keys.map((key) => `${host} ${key}`).join('\n')
}
