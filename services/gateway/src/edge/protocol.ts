/**
 * Messages that two parsers could read differently, and paths and methods that nobody serves.
 * Node's own parser refuses others (both lengths, bare line feeds, folded lines) before there is a request.
 */
import type { IncomingMessage } from 'node:http'
import { AppError, invalid } from '@status-page/contracts'
import type { FastifyInstance } from 'fastify'

/** The router's own bound; what is longer names nothing. */
const MAX_SEGMENT_LENGTH = 512

export const validateMessage = ({
  httpVersionMajor,
  httpVersionMinor,
  headers,
}: Pick<IncomingMessage, 'httpVersionMajor' | 'httpVersionMinor' | 'headers'>):
  | AppError
  | undefined => {
  if (httpVersionMajor < 1) {
    return invalid({ field: 'request', message: 'HTTP/1.0 or later is required' })
  }
  if (httpVersionMinor > 0 && headers.host === undefined) {
    return invalid({ field: 'Host', message: 'Host is required' })
  }
  return undefined
}

/** A path that the router would refuse is an unknown one: it goes through the door as every other. */
export const toRoutableUrl = ({ url = '/' }: { url?: string | undefined }): string => {
  const [path = ''] = url.split('?', 1)
  const isTooLong =
    path.length > MAX_SEGMENT_LENGTH &&
    path.split('/').some(({ length }) => length > MAX_SEGMENT_LENGTH)
  return isTooLong || !isDecodable(path) ? UNKNOWN_PATH : url
}

const UNKNOWN_PATH = '/unroutable'

const isDecodable = (path: string): boolean => {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

const refusedMethods = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']

/** Pages below the prefix are no operations, so the table of known paths lacks them: 405 all the same. */
export const allowOnlyReading = (fastify: FastifyInstance, prefix: string): void => {
  const refusedUrls = new Set<string>()
  fastify.addHook('onRoute', ({ url }) => {
    if (!url.startsWith(prefix) || refusedUrls.has(url)) return
    refusedUrls.add(url)
    fastify.route({
      method: refusedMethods,
      url,
      onRequest: async () => {
        throw methodNotAllowed()
      },
      handler: () => {},
    })
  })
}

const ALLOW = 'GET, HEAD'

const methodNotAllowed = () =>
  new AppError('METHOD_NOT_ALLOWED', `Method not allowed, use ${ALLOW}`, undefined, {
    allow: ALLOW,
  })
