/** What the dashboard loads ahead waits for the first view, so that it does not delay it. */

let markShown: () => void = () => {}

/** Resolves once the first view is displayed. */
export const firstViewShown = new Promise<void>((resolve) => {
  markShown = resolve
})

export const markFirstViewShown = (): void => markShown()
