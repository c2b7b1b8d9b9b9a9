/** Size of the link preview picture, as the large networks require. */
export const PICTURE = { width: 1_200, height: 630 } as const
