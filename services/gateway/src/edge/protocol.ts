/**
 * Rejects ambiguous messages, unroutable paths and unsupported methods. Node's parser rejects
 * others before a request exists (both lengths, bare line feeds, folded lines).
 */
import type { IncomingMessage } from 'node:http'
import { AppError, invalid } from '@status-page/contracts'
import type { FastifyInstance } from 'fastify'

/** Maximum length of a path segment, the router's own bound. */
const MAX_SEGMENT_LENGTH = 512

export const validateRequestMessage = ({
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

/**
 * Replaces a path that the router would reject by an unknown one, which is authenticated and
 * limited like any other.
 */
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

/**
 * Responds with 405 to other methods below the prefix; these pages are no operations, so the table
 * of known paths lacks them.
 */
export const allowReadMethodsOnly = (fastify: FastifyInstance, prefix: string): void => {
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
