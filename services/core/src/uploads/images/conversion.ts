/**
 * Conversion of an uploaded file to the image that is stored. The content determines the format;
 * the name and the type that the client states are ignored.
 */
import { createHash } from 'node:crypto'
import { MAX_UPLOAD_BYTES } from '@status-page/contracts/image-limits'
import { type ConvertedImage, type EncodedImage, ImageProblem, type RasterType } from './image.ts'
import { convertRaster } from './raster.ts'
import { convertVector } from './vector.ts'

/** Throws `ImageProblem`. */
export const convertImage = async (file: Buffer): Promise<ConvertedImage> => {
  const image = await encode(file)
  const { content } = image
  if (content.length > MAX_UPLOAD_BYTES) throw new ImageProblem(TOO_LARGE)
  return { ...image, sha256: createHash('sha256').update(content).digest('hex') }
}

const KIB = 1024
const TOO_LARGE = `has more than ${MAX_UPLOAD_BYTES / KIB} KiB after conversion; reduce its size or details`

const encode = async (file: Buffer): Promise<EncodedImage> => {
  const rasterType = rasterTypeOf(file)
  if (rasterType !== null) return convertRaster(file, rasterType)
  if (looksLikeXml(file)) return convertVector(file)
  throw new ImageProblem('must be a PNG, JPEG, WebP or SVG image')
}

/** Format by the signature at the start of a file. */
const rasterTypeOf = (file: Buffer): RasterType | null => {
  const start = file.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  return /^RIFF.{4}WEBP$/s.test(start) ? 'image/webp' : null
}

const SNIFFED_BYTES = 256

const looksLikeXml = (file: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?\s*</.test(file.toString('latin1', 0, SNIFFED_BYTES))
