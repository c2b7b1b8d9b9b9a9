/**
 * Fault points: named lines at which a test kills the process, to prove that a crash there loses
 * nothing.
 */

/**
 * `FAULT_POINT=change.before_commit,relay.after_puback:3` kills at the first or at the n-th
 * execution.
 */
const remaining = new Map(
  (process.env.FAULT_POINT ?? '')
    .split(',')
    .filter((text) => text !== '')
    .map((text) => {
      const [name = '', nth = '1'] = text.split(':')
      return [name, Number(nth)] as const
    }),
)

export const faultPoint = (name: string): void => {
  const left = remaining.get(name)
  if (left === undefined) return
  if (left <= 1) process.kill(process.pid, 'SIGKILL')
  remaining.set(name, left - 1)
}
