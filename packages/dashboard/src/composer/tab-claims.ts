/**
 * Claims among the tabs of a browser: one tab edits a draft, one tab sends an incident. A claim ends
 * with its tab. Browsers without locks (insecure contexts) grant every claim; the idempotency key
 * then still prevents a second incident.
 */

const PREFIX = 'dashboard.'

/** Claims `name` until the returned function is called; null when another tab has it. */
export const claim = (name: string): Promise<(() => void) | null> => {
  if (navigator.locks === undefined) return Promise.resolve(() => undefined)
  return new Promise((resolve) => {
    void navigator.locks.request(PREFIX + name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(null)
      return new Promise<void>((release) => resolve(release))
    })
  })
}

export type Claim = typeof claim
