/**
 * Forces one full garbage collection before listening. The start leaves about 40 MiB that V8 would
 * not collect for minutes.
 */

/**
 * Collects garbage for about 0.1 s, which blocks the process; to be called before a service listens.
 * Node has the function only with `--expose-gc`.
 */
export const collectStartupGarbage = (): void => {
  // The last resort releases free pages to the system too, which an ordinary collection retains.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
