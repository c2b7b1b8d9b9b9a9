/**
 * Forces one full garbage collection before listening. The start leaves about 40 MiB that V8 would
 * not collect for minutes.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: {
  type: 'major'
  execution: 'sync'
  /** Releases free pages to the system too, which an ordinary collection retains. */
  flavor: 'last-resort'
}) => void

/**
 * Collects garbage for about 0.1 s, which blocks the process; to be called before a service
 * listens.
 */
export const collectStartupGarbage = (): void => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
