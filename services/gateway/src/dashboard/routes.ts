/**
 * Built dashboard (`packages/dashboard`): one document for every path below `/dashboard`, and its
 * assets, whose names contain a hash of their content.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fastifyStatic } from '@fastify/static'
import { HTML_CONTENT_TYPE } from '@status-page/html'
import type { FastifyInstance } from 'fastify'
import { basePathOf } from '../account-pages/document.ts'
import type { GatewayConfig } from '../config.ts'
import { framePolicy, previewFrame } from './preview-frame.ts'

/** Path of the dashboard below that of the base URL. */
export const DASHBOARD_PATH = '/dashboard'
const PREVIEW_FRAME_PATH = `${DASHBOARD_PATH}/preview-frame`

/** Images may come from any HTTPS origin, as on the public page: an organization names its logo. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const documentHeaders = {
  'content-type': HTML_CONTENT_TYPE,
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'same-origin',
  'cache-control': 'no-cache',
}

const assetName = /^\/\w[\w.-]*$/

/**
 * Serves the build, if a folder with one is configured. The files are read per request, so that a
 * build replaces them without a restart.
 */
export const registerDashboard = async (
  fastify: FastifyInstance,
  { DASHBOARD_DIR: folder, BASE_URL }: Pick<GatewayConfig, 'DASHBOARD_DIR' | 'BASE_URL'>,
): Promise<void> => {
  if (folder === undefined) return
  await fastify.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, isStaticFile: true }
    })
    await registerFiles(scope, folder, basePathOf(BASE_URL))
  })
}

const registerFiles = async (
  fastify: FastifyInstance,
  folder: string,
  basePath: string,
): Promise<void> => {
  await fastify.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: `${DASHBOARD_PATH}/assets/`,
    index: false,
    // The folder is flat; the plugin would respond with errors of its own to other paths.
    allowedPath: (path) => assetName.test(path),
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    decorateReply: false,
  })
  fastify.get(PREVIEW_FRAME_PATH, (_request, reply) =>
    reply
      .headers({ ...documentHeaders, 'content-security-policy': framePolicy })
      .send(previewFrame),
  )
  for (const url of [DASHBOARD_PATH, `${DASHBOARD_PATH}/*`]) {
    fastify.get(url, async (_request, reply) => {
      const document = await readFile(join(folder, 'index.html'), 'utf8')
      return reply.headers(documentHeaders).send(withBasePath(document, basePath))
    })
  }
}

/** Replaces relative addresses, because the document serves paths of any depth. */
const withBasePath = (document: string, basePath: string): string =>
  document.replaceAll(/(="|; url=)\.\//g, `$1${basePath}${DASHBOARD_PATH}/`)
