/** Finding of one check, with the remedy in one sentence where the operator must act. */

export type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Finding {
  check: CheckName
  status: FindingStatus
  /** One sentence without secrets. */
  message: string
  remedy?: string
}

export const checkNames = [
  'postgres',
  'roles',
  'replication',
  'nats',
  'smtp',
  'dns',
  'tls',
  'clock',
  'disk',
] as const
export type CheckName = (typeof checkNames)[number]

/** Finding without the name of its check. */
export type Diagnosis = Omit<Finding, 'check'>

export const ok = (message: string): Diagnosis => ({ status: 'ok', message })
export const skipped = (message: string): Diagnosis => ({ status: 'skipped', message })
export const warning = (message: string, remedy: string): Diagnosis => ({
  status: 'warning',
  message,
  remedy,
})
export const failed = (message: string, remedy: string): Diagnosis => ({
  status: 'failed',
  message,
  remedy,
})

export const NO_RESPONSE_REMEDY =
  'Check whether the server is stopped or overloaded, or a firewall drops its packets.'

/** Reason of an error in the words of the library that threw it, without the final full stop. */
export const reasonOf = (error: unknown): string => {
  const { cause } = error as { cause?: unknown }
  if (cause instanceof Error) return reasonOf(cause)
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const { message, code } = error as { message?: string; code?: string }
  return (message || code || String(error)).replace(/\.$/, '')
}
