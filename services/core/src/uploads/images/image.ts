/** Images as the conversion returns them, and its refusal. */
import type { ImageType } from '@status-page/contracts'
import { MAX_IMAGE_SIDE } from '@status-page/contracts/image-limits'

export interface ConvertedImage {
  contentType: ImageType
  width: number
  height: number
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string
  content: Buffer
}

/** Image as a converter of one kind of format returns it. */
export type EncodedImage = Omit<ConvertedImage, 'sha256'>

/** Problem of a file; completes a sentence that begins with the name of its field. */
export class ImageProblem extends Error {}

export type RasterType = Exclude<ImageType, 'image/svg+xml'>

/** Size within the maximum, in the same proportion. */
export const fitWithin = (size: { width: number; height: number }) => {
  const scale = Math.min(1, MAX_IMAGE_SIDE / Math.max(size.width, size.height))
  const scaled = (side: number) => Math.max(1, Math.round(side * scale))
  return { width: scaled(size.width), height: scaled(size.height) }
}
