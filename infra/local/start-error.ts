/**
 * A reason not to start that the user can act on; printed as one sentence without a stack trace.
 */
export class StartError extends Error {
  override name = 'StartError'
}
