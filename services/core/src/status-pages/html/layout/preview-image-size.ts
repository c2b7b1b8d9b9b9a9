/** Size of the link preview image, as the large networks require. */
export const PREVIEW_IMAGE_SIZE = { width: 1_200, height: 630 } as const
