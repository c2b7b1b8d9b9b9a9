/**
 * Decodes PNG, JPEG and WebP images and encodes them in the same format: what is not part of the
 * picture, such as metadata or attached data, is not copied.
 */
import { MAX_IMAGE_SIDE, MAX_UPLOAD_PIXELS } from '@status-page/contracts/image-limits'
import sharp, { type Sharp } from 'sharp'
import { type EncodedImage, ImageProblem, type RasterType } from './image.ts'

const encoders: Record<RasterType, (image: Sharp) => Sharp> = {
  'image/png': (image) => image.png({ compressionLevel: 9 }),
  'image/jpeg': (image) => image.jpeg({ quality: 88, mozjpeg: true }),
  'image/webp': (image) => image.webp({ quality: 90 }),
}

// libvips has decoders for many formats; those that are not needed are never reachable.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.concurrency(1)
sharp.cache(false)

/** Keeps the first frame of an animation, turned as its metadata state, in sRGB. */
export const convertRaster = async (
  file: Buffer,
  contentType: RasterType,
): Promise<EncodedImage> => {
  const image = sharp(file, { limitInputPixels: MAX_UPLOAD_PIXELS, failOn: 'error' })
  const { width, height } = await readable(image.metadata())
  if (width * height > MAX_UPLOAD_PIXELS) throw new ImageProblem(TOO_MANY_PIXELS)
  const upright = image.autoOrient().resize({
    width: MAX_IMAGE_SIDE,
    height: MAX_IMAGE_SIDE,
    fit: 'inside',
    withoutEnlargement: true,
  })
  const encoded = encoders[contentType](upright.toColourspace('srgb'))
  const { data, info } = await readable(encoded.toBuffer({ resolveWithObject: true }))
  return { contentType, width: info.width, height: info.height, content: data }
}

const TOO_MANY_PIXELS = `has more than ${MAX_UPLOAD_PIXELS.toLocaleString('en')} pixels`

const readable = async <Result>(work: Promise<Result>): Promise<Result> => {
  try {
    return await work
  } catch (error) {
    const isTooLarge = error instanceof Error && error.message.includes('pixel limit')
    throw new ImageProblem(isTooLarge ? TOO_MANY_PIXELS : 'is damaged or incomplete', {
      cause: error,
    })
  }
}
