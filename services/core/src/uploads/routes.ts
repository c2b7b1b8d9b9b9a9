/** Operations of uploads, and the public read of an image. */
import {
  imageFileName,
  listReply,
  notFound,
  orNotFound,
  PAGE_DOMAIN_HEADER,
  PAGE_OWNER_HEADER,
  successReply,
  type Upload,
  uploadOperations,
} from '@status-page/contracts'
import { asLookup, type Database, read } from '@status-page/postgres'
import {
  type Call,
  createRoutes,
  etagsMatch,
  type RawReply,
  type Route,
  rawReply,
} from '@status-page/service'
import { storeImage } from './changes.ts'
import { readUploadedFile } from './form.ts'
import type { ImageConverter } from './images/converter.ts'
import { auditUpload, presentUpload, requireUnused } from './rules.ts'
import * as store from './store.ts'

interface UploadDeps {
  database: Database
  baseUrl: string
  images: ImageConverter
}

export const uploadRoutes = (deps: UploadDeps): Route[] =>
  createRoutes(uploadOperations, {
    list: ({ query, read }) =>
      read(async (scope) => {
        const { rows, total } = await store.listUploads(scope, query)
        return listReply(
          query,
          total,
          rows.map((row) => presentUpload(row, deps.baseUrl)),
        )
      }),

    create: (call) => create(deps, call),

    read: ({ params, read }) =>
      read(async (scope) =>
        presentUpload(orNotFound(await store.findUpload(scope, params.id)), deps.baseUrl),
      ),

    remove: ({ params, change }) =>
      change(async (scope) => {
        const row = orNotFound(await store.lockUpload(scope, params.id))
        requireUnused(await store.findUse(scope, row.id))
        await store.removeUpload(scope, row.id)
        return { result: successReply, events: [], audit: [auditUpload('delete', row, row)] }
      }),

    image: (call) => showImage(deps, call),
  })

const create = async (
  { images, baseUrl }: UploadDeps,
  call: Call<typeof uploadOperations.create>,
): Promise<Upload> => {
  const image = await images.convert(await readUploadedFile(call.parts()), call.organizationId)
  return call.change(async (scope) => {
    const { row, audit } = await storeImage(scope, image)
    return { result: presentUpload(row, baseUrl), events: [], audit }
  })
}

/** The content of a URL never changes. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable'
/** An SVG that is opened as a document runs nothing and loads nothing. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const showImage = async (
  { database }: UploadDeps,
  { params, headers }: Call<typeof uploadOperations.image>,
): Promise<RawReply> => {
  const found = await asLookup(database, async (systemScope) => {
    const upload = await store.findPublicUpload(systemScope, params.id)
    if (upload === undefined || imageFileName(upload) !== params.file) return undefined
    const domain = headers[PAGE_DOMAIN_HEADER]
    if (typeof domain !== 'string') return upload
    const { organizationId } = upload
    const isOwn = await store.isDomainOfOrganization(systemScope, domain, organizationId)
    return isOwn ? upload : undefined
  })
  const { organizationId, id, contentType, sha256 } = orNotFound(found)
  const etag = `"${sha256}"`
  const replyHeaders = {
    etag,
    'cache-control': CACHE_CONTROL,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-robots-tag': 'noindex',
    [PAGE_OWNER_HEADER]: organizationId,
  }
  if (etagsMatch(etag, headers['if-none-match'])) {
    return rawReply({ status: 304, contentType, headers: replyHeaders, body: '' })
  }
  const body = await read(database, organizationId, (scope) => store.findContent(scope, id))
  if (body === undefined) throw notFound()
  return rawReply({ contentType, headers: replyHeaders, body })
}
