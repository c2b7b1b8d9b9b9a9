/** Wake-up of a loop; a call outside of a wait ends the next one. */
export class Wakeup {
  #isSet = false
  #delayed: NodeJS.Timeout | undefined
  #resolve = () => {}

  readonly wake = (): void => {
    this.#isSet = true
    this.#resolve()
  }

  /** Wakes after `delayMs`, so that one run covers several calls. */
  wakeWithin(delayMs: number): void {
    this.#delayed ??= setTimeout(() => {
      this.#delayed = undefined
      this.wake()
    }, delayMs)
  }

  /** Resolves when woken, after `maxMs` (never for `Infinity`), or when the signal aborts. */
  async wait(maxMs: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isSet && signal?.aborted !== true) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const onAbort = () => resolve()
      this.#resolve = resolve
      signal?.addEventListener('abort', onAbort)
      const timer = maxMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, maxMs)
      await promise
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    this.#isSet = false
  }
}
