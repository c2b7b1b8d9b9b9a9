/** How large the picture of a page is: what the big networks ask for. */
export const PICTURE = { width: 1_200, height: 630 } as const
