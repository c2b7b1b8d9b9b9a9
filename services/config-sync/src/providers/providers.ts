/** Registry of Git providers. */
import type { GitProvider } from '@status-page/contracts'
import { bitbucket } from './bitbucket.ts'
import { generic } from './generic.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import type { Provider } from './provider.ts'

export const providers: Record<GitProvider, Provider> = { github, gitlab, bitbucket, generic }
