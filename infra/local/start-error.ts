/** A reason not to start that a person can act on; shown as its one sentence, without a stack. */
export class StartError extends Error {
  override name = 'StartError'
}
