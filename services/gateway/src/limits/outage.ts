/** Circuit breaker of Postgres: after a failure, requests are counted in memory for a second. */

export interface DatabaseOutage {
  isOn(): boolean
  recovered(): void
  failed(error: unknown): void
}

const RETRY_MS = 1_000

/** Calls `onChange` once when Postgres fails, and once when it recovers. */
export const createDatabaseOutage = (
  now: () => number,
  onChange: (isOut: boolean, error?: unknown) => void,
): DatabaseOutage => {
  let until = 0
  return {
    isOn: () => until > now(),
    recovered() {
      if (until > 0) onChange(false)
      until = 0
    },
    failed(error) {
      if (until === 0) onChange(true, error)
      until = now() + RETRY_MS
    },
  }
}
