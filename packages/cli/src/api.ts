/** Client of the API with the credentials of an invocation. */
import { type ApiClient, type ApiClientOptions, createClient } from '@status-page/client'
import manifest from '../package.json' with { type: 'json' }
import type { Invocation } from './command.ts'
import { type ApiCredentials, credentialsOf } from './credentials.ts'

export const VERSION = manifest.version

export const apiOf = async (
  { context, file, values }: Pick<Invocation, 'context' | 'file' | 'values'>,
  options: Pick<ApiClientOptions, 'timeoutMs'> = {},
): Promise<ApiClient> =>
  clientOf(await credentialsOf(context.environment, file, values.url), options)

export const clientOf = (
  { url, key }: ApiCredentials,
  options: Pick<ApiClientOptions, 'timeoutMs'> = {},
): ApiClient => createClient({ url, apiKey: key, userAgent: `statusctl/${VERSION}`, ...options })
