/** Distinguishes errors of a stored value from errors of the database or of its schema. */
import { AppError } from '@status-page/contracts'
import { databaseErrorOf } from '@status-page/postgres'

/** SQLSTATE classes "data exception" and "integrity constraint violation". */
const REFUSAL_CLASSES = ['22', '23']
const CHECK_VIOLATION = '23514'
/** Errors of Node about a value; those about connections have other codes. */
const NODE_VALUE_ERROR = /^ERR_(?:INVALID|OUT_OF_RANGE)/
const FIRST_SERVER_ERROR = 500

/**
 * Whether storing the same value again would fail again. A missing table or a full disk does not
 * count: an operator can fix them.
 */
export const isRefused = (error: unknown): boolean => {
  if (error instanceof AppError) return error.status < FIRST_SERVER_ERROR
  const code = databaseErrorOf(error)?.code
  if (code === undefined || NODE_VALUE_ERROR.test(code)) return true
  return REFUSAL_CLASSES.includes(code.slice(0, 2))
}

/** Whether a row has no partition: Postgres reports a check violation without a constraint. */
export const isWithoutPartition = (error: unknown): boolean => {
  const fault = databaseErrorOf(error)
  return fault?.code === CHECK_VIOLATION && fault.constraint_name === undefined
}
