/** Whether Postgres is worth asking: after a failure the next second is counted in memory. */

export interface DatabaseOutage {
  isOn(): boolean
  recovered(): void
  failed(error: unknown): void
}

const RETRY_MS = 1_000

/** `onChange` is told once when Postgres stops answering, and once when it answers again. */
export const createOutage = (
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
