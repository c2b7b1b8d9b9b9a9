/**
 * Limits of uploaded images. Without imports, because the process that converts an image loads them
 * alone: all contracts would double the time of its start.
 */

/** Maximum size of an uploaded file and of the stored image. */
export const MAX_UPLOAD_BYTES = 512 * 1024
/** Maximum number of pixels of an uploaded image: 4096 by 4096. */
export const MAX_UPLOAD_PIXELS = 16_777_216
/** Larger images are scaled down to this width and height, which covers every use. */
export const MAX_IMAGE_SIDE = 1024
