/**
 * Logos of an imported page: downloaded before the transaction, and stored as uploads in it. A logo
 * that cannot be imported is a warning.
 */
import {
  AppError,
  type AuditDraft,
  MAX_UPLOAD_BYTES,
  type StatuspageDocuments,
  type StatuspageReport,
} from '@status-page/contracts'
import type { Outbound } from '@status-page/outbound'
import type { Scope } from '@status-page/postgres'
import { storeImage } from '../uploads/changes.ts'
import type { ImageConverter } from '../uploads/images/converter.ts'
import type { ConvertedImage } from '../uploads/images/image.ts'
import { presentUpload } from '../uploads/rules.ts'
import { downloadProblems } from './source/download-problems.ts'

export interface LogoDeps {
  outbound: Pick<Outbound, 'request'>
  images: ImageConverter
}

type Warnings = StatuspageReport['warnings']
type SourcePage = NonNullable<StatuspageDocuments['page']>

const logoFields = { logoUrl: 'transactional_logo', faviconUrl: 'favicon_logo' } as const
type LogoField = keyof typeof logoFields
const fields = Object.keys(logoFields) as LogoField[]

export interface DownloadedLogos {
  images: ReadonlyMap<LogoField, ConvertedImage>
  warnings: Warnings
}

export const noLogos: DownloadedLogos = { images: new Map(), warnings: [] }

export const downloadLogos = async (
  deps: LogoDeps,
  page: SourcePage,
  organizationId: string,
): Promise<DownloadedLogos> => {
  const images = new Map<LogoField, ConvertedImage>()
  const warnings: Warnings = []
  for (const field of fields) {
    const url = imageUrlOf(page[logoFields[field]])
    if (url === null) continue
    const image = await downloadImage(deps, url, organizationId)
    if (typeof image === 'string') warnings.push(warningOf(field, image))
    else images.set(field, image)
  }
  return { images, warnings }
}

/** Sizes of an image at the source, the best one first. */
const sizes = ['original_url', 'normal_url', 'retina_url', 'url']

/** URL of an image at the source; null where the page has none. */
const imageUrlOf = (source: unknown): string | null => {
  const urls =
    typeof source === 'object' && source !== null
      ? sizes.map((size) => (source as Record<string, unknown>)[size])
      : [source]
  const url = urls.find((candidate) => typeof candidate === 'string' && candidate !== '') as
    | string
    | undefined
  return url?.startsWith('//') ? `https:${url}` : (url ?? null)
}

const TIMEOUT_MS = 10_000
const OK = 200

/** Returns the image, or why it is not imported. */
const downloadImage = async (
  { outbound, images }: LogoDeps,
  url: string,
  organizationId: string,
): Promise<ConvertedImage | string> => {
  const reply = await outbound.request({
    url,
    method: 'GET',
    headers: {},
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_UPLOAD_BYTES,
    onOverflow: 'fail',
  })
  if (!reply.ok) return downloadProblems[reply.error]
  if (reply.status !== OK) return `the download returned ${reply.status}`
  try {
    return await images.convert(reply.body, organizationId)
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

const warningOf = (field: LogoField, reason: string) => ({
  field: `page.${logoFields[field]}`,
  message: `is not imported: ${reason}`,
})

export interface StoredLogos {
  urls: Partial<Record<LogoField, string>>
  audit: AuditDraft[]
  warnings: Warnings
}

/** Stores the logos within the limits of the organization. */
export const storeLogos = async (
  scope: Scope,
  { images, warnings }: DownloadedLogos,
  baseUrl: string,
): Promise<StoredLogos> => {
  const stored: StoredLogos = { urls: {}, audit: [], warnings: [...warnings] }
  for (const [field, image] of images) {
    try {
      const { row, audit } = await storeImage(scope, image)
      stored.urls[field] = presentUpload(row, baseUrl).url
      stored.audit.push(...audit)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      stored.warnings.push(warningOf(field, error.message))
    }
  }
  return stored
}
