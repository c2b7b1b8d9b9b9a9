/**
 * Typed client of the public API. An error reply is thrown as an `ApiError`, so that a returned
 * `data` is always that of a success. Redirects are not followed: the key belongs to one address.
 */
import createFetchClient, {
  type Client,
  type ClientPathsWithMethod,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch'
import { checkReply } from './errors.ts'
import { boundedFetch, type RetryNotice } from './fetch.ts'
import type { components, paths } from './schema.d.ts'

export { ApiError, type ApiErrorBody, type ApiIssue, ConnectionError } from './errors.ts'
export type { RetryNotice } from './fetch.ts'
export type { paths }
/** Types of the API by their name in the OpenAPI document. */
export type Schemas = components['schemas']

const TIMEOUT_MS = 60_000

export interface ApiClientOptions {
  /** Address of the service, without `/api/v1`. */
  url: string
  /** Sent as bearer token; public operations need none. */
  apiKey?: string
  userAgent?: string
  fetch?: typeof globalThis.fetch
  /** Maximum duration of one attempt, including the body of the reply. */
  timeoutMs?: number
  /** Creates the `Idempotency-Key` of `POST` requests, which are then repeated as reads are. */
  createIdempotencyKey?: () => string
  /** Called before the wait for another attempt. */
  onRetry?: (notice: RetryNotice) => void
}

type Methods = 'get' | 'post' | 'put' | 'patch' | 'delete'

type Call<Method extends Methods> = <
  Path extends ClientPathsWithMethod<Client<paths>, Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: undefined extends Init ? [init?: Init] : [init: Init]
) => Promise<
  Extract<
    FetchResponse<paths[Path][Method] & Record<string, unknown>, Init, `${string}/${string}`>,
    { data: unknown }
  >
>

export type ApiClient = { [Method in Methods as Uppercase<Method>]: Call<Method> }

export const createClient = (options: ApiClientOptions): ApiClient => {
  const { url, apiKey, userAgent = 'status-page-client' } = options
  const { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS, onRetry } = options
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError('url must be an http or https URL')
  }
  const headers: Record<string, string> = { 'user-agent': userAgent }
  if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`
  const client = createFetchClient<paths>({
    baseUrl: url,
    headers,
    redirect: 'manual',
    // The API refuses a repeated parameter; `include` takes names separated by commas.
    querySerializer: { array: { style: 'form', explode: false } },
    fetch: boundedFetch({ fetch, timeoutMs, onRetry }),
  })
  const { createIdempotencyKey } = options
  if (createIdempotencyKey !== undefined) {
    client.use({ onRequest: ({ request }) => addIdempotencyKey(request, createIdempotencyKey) })
  }
  client.use({ onResponse: ({ response, options }) => checkReply(response, options) })
  return client as unknown as ApiClient
}

const addIdempotencyKey = ({ method, headers }: Request, createKey: () => string): void => {
  if (method === 'POST' && !headers.has('idempotency-key')) {
    headers.set('idempotency-key', createKey())
  }
}
