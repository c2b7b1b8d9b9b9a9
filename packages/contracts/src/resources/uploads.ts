/** Uploads: images of an organization for its status pages and components. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { Id, IdParams, OneOf, Success, Timestamp, withDocumentedKeywords } from '../scalars.ts'
import { MAX_UPLOAD_BYTES } from './image-limits.ts'

export const MAX_UPLOADS = 100
/** Maximum size of all images of an organization. */
export const MAX_UPLOADED_BYTES = 20 * 1024 * 1024
/** Boundaries and headers of the multipart body around the file. */
const MULTIPART_OVERHEAD_BYTES = 8 * 1024

/** Stored formats, with the extension of their file names. */
export const imageExtensions = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
} as const
export type ImageType = keyof typeof imageExtensions
export const imageTypes = Object.keys(imageExtensions) as ImageType[]

const FILE_NAME = `[0-9a-f]{64}\\.(?:${Object.values(imageExtensions).join('|')})`
const IMAGE_PATH = new RegExp(`/uploads/([0-9a-f-]{36})/(${FILE_NAME})$`)

/** Name of the file of an image: its SHA-256 and extension. */
export const imageFileName = ({
  sha256,
  contentType,
}: {
  sha256: string
  contentType: ImageType
}) => `${sha256}.${imageExtensions[contentType]}`

/** Reference to an image in the path of its URL. */
export interface ImageReference {
  /** Id of the upload. */
  id: string
  file: string
}

/** Path of an image below BASE_URL. */
export const imagePath = ({ id, file }: ImageReference): string => `/uploads/${id}/${file}`

/** Reference of a URL that ends with the path of an image; null for other URLs. */
export const imageReferenceOf = (url: string): ImageReference | null => {
  const [, id, file] = IMAGE_PATH.exec(url) ?? []
  return id === undefined || file === undefined ? null : { id, file }
}

export const Upload = Type.Object({
  id: Id,
  url: Type.String({
    description:
      'Public URL, for `logoUrl`, `logoDarkUrl` and `faviconUrl` of a status page and `icon` of a ' +
      'component',
  }),
  contentType: OneOf(imageTypes),
  width: Type.Integer({ description: 'Pixels; of an SVG, the width of its view box' }),
  height: Type.Integer(),
  bytes: Type.Integer({ description: 'Size of the stored image' }),
  sha256: Type.String({ description: 'SHA-256 of the stored image, in hexadecimal' }),
  createdAt: Timestamp,
})
export type Upload = Static<typeof Upload>

const UploadForm = Type.Object({
  file: withDocumentedKeywords(
    Type.String({
      contentMediaType: 'application/octet-stream',
      description:
        'PNG, JPEG, WebP or SVG image of at most 512 KiB and 16,777,216 pixels; the content ' +
        'determines the type, not the name',
    }),
    // Clients send a string of this format as a part with a file name.
    { format: 'binary', minLength: 1 },
  ),
})

const ImageParams = Type.Object({ id: Id, file: Type.String({ pattern: `^${FILE_NAME}$` }) })

export const uploadOperations = operationsOf('core', 'uploads', {
  list: {
    route: 'GET /uploads',
    summary: 'List uploaded images',
    permission: 'status-pages:read',
    query: listQuery(['createdAt', 'bytes'], {}),
    reply: listOf(Upload),
  },
  create: {
    route: 'POST /uploads',
    status: 201,
    summary: 'Upload an image',
    description:
      'The image is decoded and written again: metadata and attached data are removed, images ' +
      'above 1024 by 1024 pixels are scaled down, and an animated image keeps its first frame. ' +
      'An SVG is reduced to static shapes: scripts, styles, links, animations and references to ' +
      'other files are removed, texts become paths in Noto Sans, and embedded images are ' +
      'refused. Most mail clients show no SVG: use PNG for the logo of a page that sends mails. ' +
      'An image that is stored already is returned again. 413 for a file above 512 KiB; 409 ' +
      '`invalid_state` when the organization has 100 images or 20 MiB. A client that knows ' +
      '`url`, which cannot be guessed, can read the image, also that of a page with restricted ' +
      'access.',
    permission: 'status-pages:write',
    bucket: 'bulk',
    body: UploadForm,
    bodyType: 'multipart',
    bodyLimit: MAX_UPLOAD_BYTES + MULTIPART_OVERHEAD_BYTES,
    idempotencyKey: false,
    reply: Upload,
  },
  read: {
    route: 'GET /uploads/{id}',
    summary: 'Read the properties of an uploaded image',
    permission: 'status-pages:read',
    params: IdParams,
    reply: Upload,
  },
  remove: {
    route: 'DELETE /uploads/{id}',
    summary: 'Delete an uploaded image',
    description:
      '409 `in_use` while a status page or component refers to it. Clients and shared caches ' +
      'may keep their copies.',
    permission: 'status-pages:write',
    params: IdParams,
    reply: Success,
  },
  image: {
    route: 'GET /uploads/{id}/{file}',
    base: 'root',
    summary: 'Read an uploaded image',
    description:
      'The file name is the SHA-256 of the image, so that the content of a URL never changes. ' +
      'Also below every custom domain of the organization.',
    permission: 'public',
    bucket: 'public read',
    params: ImageParams,
    reply: Type.String(),
    produces: imageTypes,
  },
})
