/** Client of the API with the credentials of an invocation. */
import { randomUUID } from 'node:crypto'
import {
  type ApiClient,
  type ApiClientOptions,
  createClient,
  type RetryNotice,
} from '@status-page/client'
import manifest from '../package.json' with { type: 'json' }
import type { Invocation } from './command.ts'
import type { CliContext } from './context.ts'
import { type ApiCredentials, credentialsOf } from './credentials.ts'

export const VERSION = manifest.version

type ClientOptions = Pick<ApiClientOptions, 'timeoutMs'>

export const apiOf = async (
  { context, file, values }: Pick<Invocation, 'context' | 'file' | 'values'>,
  options: ClientOptions = {},
): Promise<ApiClient> =>
  clientOf(await credentialsOf(context.environment, file, values.url), context, options)

/** Client that repeats deferred requests and states each wait on standard error. */
export const clientOf = (
  { url, key }: ApiCredentials,
  { printError }: Pick<CliContext, 'printError'>,
  options: ClientOptions = {},
): ApiClient =>
  createClient({
    url,
    apiKey: key,
    userAgent: `statusctl/${VERSION}`,
    createIdempotencyKey: randomUUID,
    onRetry: (notice) => printError(retryLine(notice)),
    ...options,
  })

const retryLine = ({ status, delayMs }: RetryNotice): string =>
  `statusctl: ${reasonOf(status)} (${status}), next attempt in ${delayMs / 1_000} s\n`

const reasonOf = (status: number): string =>
  status === 429 ? 'rate limit exceeded' : 'service unavailable'
