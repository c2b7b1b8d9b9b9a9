/** Calls an operation of a service without a socket. */
import {
  type BodyType,
  callingServicesOf,
  fullPath,
  type Operation,
  type Reply,
} from '@status-page/contracts'
import { anonymousCaller, CALLER_HEADER, type Caller } from '@status-page/service'
import type { FastifyInstance } from 'fastify'
import { testKeys } from './caller.ts'

export interface InjectOptions {
  /** Anonymous when absent; null sends no token. */
  caller?: Caller | null
  params?: Record<string, string>
  /** Query parameters; a list repeats its name. */
  query?: Record<string, unknown>
  /** Text and bytes are sent unchanged, everything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

export interface Injected<Body = unknown> {
  status: number
  /** Parsed JSON, else the text. */
  body: Body
  bytes: Buffer
  headers: Record<string, string | string[] | number | undefined>
}

/** Sends the request. The type of the body is that of success; check the status first. */
export const inject = async <Op extends Operation>(
  app: FastifyInstance,
  operation: Op,
  options: InjectOptions = {},
  // biome-ignore lint/suspicious/noExplicitAny: replies of any status are looked into by tests
): Promise<Injected<Reply<Op> & any>> => {
  const { caller = anonymousCaller, body } = options
  const response = await app.inject({
    method: operation.method,
    url: urlOf(operation, options),
    headers: {
      ...(caller === null ? {} : { [CALLER_HEADER]: tokenOf(operation, caller) }),
      ...(body === undefined ? {} : { 'content-type': contentTypes[operation.bodyType ?? 'json'] }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { payload: payloadOf(body) }),
  })
  const isJson = String(response.headers['content-type'] ?? '').includes('json')
  return {
    status: response.statusCode,
    body: isJson ? response.json() : response.body,
    bytes: response.rawPayload,
    headers: response.headers,
  }
}

const tokenOf = (operation: Operation, caller: Caller): string => {
  const [issuer = 'gateway'] = callingServicesOf(operation)
  return testKeys().signer(issuer).sign(caller, operation.service)
}

const urlOf = (operation: Operation, { params = {}, query = {} }: InjectOptions): string => {
  const path = fullPath(operation).replaceAll(/\{([^}]+)\}/g, (_match, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((item) => [name, String(item)] as [string, string]),
    ),
  )
  return search.size === 0 ? path : `${path}?${search}`
}

const contentTypes: Record<BodyType, string> = {
  json: 'application/json',
  yaml: 'application/yaml',
  multipart: 'multipart/form-data',
  form: 'application/x-www-form-urlencoded',
  raw: 'application/json',
  'raw-form': 'application/x-www-form-urlencoded',
  any: 'text/plain',
}

const payloadOf = (body: unknown): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
