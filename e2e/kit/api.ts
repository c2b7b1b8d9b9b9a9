/** API client of the tests: HTTP through the gateway, typed by the contract. */
import {
  type Body,
  fullPath,
  type Operation,
  type OperationSpec,
  type Params,
  type Query,
  type Reply,
} from '@status-page/contracts'
import { differencesOf } from './conformance.ts'

const TIMEOUT_MS = 35_000

export interface ApiResponse {
  status: number
  headers: Headers
  text: string
}

type Given<Value> = Value extends undefined ? undefined : Value

/** Input of a call; parts that the operation does not have are omitted. */
export interface ApiRequest<Op extends OperationSpec> {
  params?: Given<Params<Op>>
  query?: Partial<Given<Query<Op>>>
  body?: Given<Body<Op>>
  headers?: Record<string, string>
}

export interface Api {
  /** Headers of every request. */
  headers: Record<string, string>
  /** Sends a request and returns the response, whatever its status. */
  send(method: string, path: string, init?: RequestInit): Promise<ApiResponse>
  /** Calls an operation and returns the response, whatever its status. */
  request<Op extends OperationSpec>(
    operation: Operation<Op>,
    input?: ApiRequest<Op>,
  ): Promise<ApiResponse>
  /** Calls an operation and returns its reply; throws on any status other than success. */
  call<Op extends OperationSpec>(
    operation: Operation<Op>,
    input?: ApiRequest<Op>,
  ): Promise<Reply<Op>>
  /** Client with these additional headers on every request. */
  with(headers: Record<string, string>): Api
}

export const apiOf = (origin: string, headers: Record<string, string> = {}): Api => {
  const send: Api['send'] = async (method, path, init = {}) => {
    const response = await fetch(`${origin}${path}`, {
      ...init,
      method,
      headers: { ...headers, ...(init.headers as Record<string, string>) },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status, headers: responseHeaders } = response
    const text = await readText(response)
    const differences = differencesOf({ method, path, status, headers: responseHeaders, text })
    if (differences.length > 0) throw new Error(differences.join('\n'))
    return { status, headers: responseHeaders, text }
  }
  const request: Api['request'] = (operation, input = {}) => {
    const hasBody = input.body !== undefined
    return send(operation.method, pathOf(operation, input), {
      headers: { ...(hasBody ? { 'content-type': 'application/json' } : {}), ...input.headers },
      ...(hasBody ? { body: JSON.stringify(input.body) } : {}),
    })
  }
  return {
    headers,
    send,
    request,
    async call(operation, input) {
      const response = await request(operation, input)
      if (response.status !== operation.status) {
        throw new Error(`${operation.id} responded with ${response.status}: ${response.text}`)
      }
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return isJson ? JSON.parse(response.text) : response.text
    },
    with: (added) => apiOf(origin, { ...headers, ...added }),
  }
}

/** Body of a response; that of an event stream, which has no end, is not read. */
const readText = async (response: Response): Promise<string> => {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (!isStream) return response.text()
  await response.body?.cancel()
  return ''
}

/** Path and query of a call. */
export const pathOf = <Op extends OperationSpec>(
  operation: Operation<Op>,
  { params, query }: Pick<ApiRequest<Op>, 'params' | 'query'>,
): string => {
  const values = (params ?? {}) as Record<string, string>
  const path = fullPath(operation as Operation).replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  )
  const search = new URLSearchParams(
    Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return search === '' ? path : `${path}?${search}`
}
