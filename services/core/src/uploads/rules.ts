/** Uploaded images: state, limits and usage. Pure. */
import {
  auditChanges,
  conflict,
  type ImageReference,
  imageFileName,
  imagePath,
  imageReferenceOf,
  invalid,
  MAX_UPLOADED_BYTES,
  MAX_UPLOADS,
  ruleIssue,
  Upload,
  viewOf,
} from '@status-page/contracts'
import type { UploadRow } from '../tables.ts'
import type { ConvertedImage } from './images/image.ts'

export const createUpload = (
  { contentType, width, height, sha256, content }: ConvertedImage,
  input: { id: string; organizationId: string; now: Date },
): UploadRow => {
  const { id, organizationId, now } = input
  const bytes = content.length
  return { id, organizationId, contentType, width, height, bytes, sha256, createdAt: now }
}

/** Number and size of the stored images of an organization. */
export interface UploadUsage {
  count: number
  bytes: number
}

const MIB = 1024 * 1024

/** Rejects an image that would exceed the limits of the organization. */
export const requireRoom = (usage: UploadUsage, added: Pick<UploadRow, 'bytes'>): void => {
  if (usage.count >= MAX_UPLOADS) {
    throw conflict('invalid_state', `An organization can have at most ${MAX_UPLOADS} images`)
  }
  if (usage.bytes + added.bytes > MAX_UPLOADED_BYTES) {
    const limit = `${MAX_UPLOADED_BYTES / MIB} MiB`
    throw conflict('invalid_state', `The images of an organization can have at most ${limit}`)
  }
}

/** Page or component that refers to an upload. */
export interface UploadUse {
  kind: 'status page' | 'component'
  name: string
}

export const requireUnused = (use: UploadUse | undefined): void => {
  if (use === undefined) return
  throw conflict('in_use', `The image is in use by the ${use.kind} ${use.name}`)
}

export const presentUpload = (row: UploadRow, baseUrl: string): Upload =>
  viewOf(Upload, { ...row, url: urlOf(row, baseUrl) })

const urlOf = (row: UploadRow, baseUrl: string): string =>
  `${baseUrl.replace(/\/+$/, '')}${imagePath({ id: row.id, file: imageFileName(row) })}`

/** Upload of this installation that a URL refers to; null for images elsewhere. */
export const ownImage = (url: string, baseUrl: string): ImageReference | null => {
  const reference = imageReferenceOf(url)
  if (reference === null) return null
  return url === `${baseUrl.replace(/\/+$/, '')}${imagePath(reference)}` ? reference : null
}

/** Field of a resource with the URL of an image. */
export interface ImageField {
  field: string
  url: string
}

/** Field with the upload that it refers to. */
export interface ReferringField {
  field: string
  reference: ImageReference
}

/** Fields that refer to uploads; other fields must have https URLs. */
export const referringFields = (fields: readonly ImageField[], baseUrl: string): ReferringField[] =>
  fields.flatMap(({ field, url }) => {
    const reference = ownImage(url, baseUrl)
    if (reference !== null) return [{ field, reference }]
    if (url.startsWith('https:')) return []
    throw invalid({ field, message: `${field} must be an https URL or the URL of an upload` })
  })

type Stored = Pick<UploadRow, 'id' | 'contentType' | 'sha256'>

export const requireExisting = (
  fields: readonly ReferringField[],
  stored: readonly Stored[],
): void => {
  const paths = new Set(stored.map((row) => imagePath({ id: row.id, file: imageFileName(row) })))
  const missing = fields.find(({ reference }) => !paths.has(imagePath(reference)))
  if (missing === undefined) return
  throw invalid(ruleIssue(missing.field, 'exists'))
}

export const auditUpload = auditChanges('upload', (row: UploadRow) => {
  const { contentType, width, height, bytes, sha256 } = row
  return { contentType, width, height, bytes, sha256 }
})
