/** Display of the first view. Modules that are loaded ahead wait for it and do not delay it. */

let markShown: () => void = () => {}

/** Resolves once the first view is displayed. */
export const firstViewShown = new Promise<void>((resolve) => {
  markShown = resolve
})

export const markFirstViewShown = (): void => markShown()
