/**
 * Parses a body by the type that its operation accepts; other types, charsets and encodings are
 * 415.
 */
import { AppError, type BodyType, type Operation } from '@status-page/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { decodeUtf8, parseLargeJson } from './json.ts'
import { withTurnsOf } from './run-cooperatively.ts'

/** Maximum body size of any operation; each route lowers it to its operation's own limit. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024

/** Received body: its bytes, and the value that the operation's schema validates. */
export interface ReceivedBody {
  kind: 'json' | 'text' | 'form' | 'bytes'
  value: unknown
  bytes: Buffer
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

const mediaTypes: Record<Exclude<BodyType, 'any'>, readonly string[]> = {
  json: [JSON_TYPE],
  yaml: ['application/yaml', 'application/x-yaml', 'text/yaml'],
  multipart: ['multipart/form-data'],
  form: [FORM_TYPE, JSON_TYPE],
  raw: [JSON_TYPE],
  'raw-form': [FORM_TYPE],
}

/** Replaces Fastify's parsers by one that depends on the operation; for an encapsulated context. */
export const installBodyParser = (fastify: FastifyInstance): void => {
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
    async (request: FastifyRequest, bytes: Buffer) =>
      withTurnsOf(request.caller?.organizationId ?? null, () => receive(request, bytes)),
  )
}

/**
 * Removes the Content-Type of an empty body, which counts as absent, and of a body whose type has no
 * meaning for the operation: Fastify would respond with 415 to an invalid one.
 */
export const removeUnusedContentType = (
  { raw: { headers } }: FastifyRequest,
  operation: Operation,
): void => {
  const isEmpty = headers['transfer-encoding'] === undefined && !Number(headers['content-length'])
  if (isEmpty || operation.bodyType === 'any') delete headers['content-type']
}

const receive = async (
  request: FastifyRequest,
  bytes: Buffer,
): Promise<ReceivedBody | undefined> => {
  if (bytes.length === 0) return undefined
  const { operation } = request.routeOptions.config
  if (operation === undefined) throw unsupportedMediaType('This path does not accept a body')
  const bodyType = operation.bodyType ?? 'json'
  if (bodyType === 'any') return { kind: 'bytes', value: undefined, bytes }
  const type = mediaTypeOf(request, mediaTypes[bodyType])
  if (bodyType === 'yaml') return { kind: 'text', value: decodeUtf8(bytes), bytes }
  if (bodyType === 'raw' || bodyType === 'raw-form') {
    return { kind: 'bytes', value: undefined, bytes }
  }
  return type === FORM_TYPE
    ? { kind: 'form', value: decodeUtf8(bytes), bytes }
    : { kind: 'json', value: await parseLargeJson(bytes), bytes }
}

const mediaTypeOf = ({ headers }: FastifyRequest, allowed: readonly string[]): string => {
  if (headers['content-encoding'] !== undefined) {
    throw unsupportedMediaType('Content-Encoding is not supported')
  }
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';')
  const media = type.trim().toLowerCase()
  if (!allowed.includes(media)) {
    throw unsupportedMediaType(`Content-Type must be ${allowed.join(' or ')}`)
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=').map((part) => part.trim().toLowerCase())
    if (name === 'charset' && value.replaceAll('"', '') !== 'utf-8') {
      throw unsupportedMediaType('The charset must be utf-8')
    }
  }
  return media
}

export const unsupportedMediaType = (message: string) =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', message)
