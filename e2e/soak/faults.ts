/** Faults of a soak: how each begins and how it is repaired. */
import type { StackProcess } from '@status-page/infra/local'
import type { Link, ReplicatedServers } from '@status-page/infra/replicated'
import type { FaultKind } from './plan.ts'

const READY_WITHIN_MS = 120_000
/** Delay of each packet in each direction. */
const DELAY_MS = 150
/** Stream whose leader is a target. */
const STREAM = 'EVENTS'

export interface FaultTarget {
  kinds: readonly FaultKind[]
  /** Returns the repair, which resolves when the target is ready again. */
  begin(kind: FaultKind): Promise<() => Promise<void>>
}

type Process = Pick<StackProcess, 'kill' | 'stop' | 'restart' | 'waitReady'>

const processFaults = ['kill', 'stop', 'pause'] as const
const linkFaults = ['partition', 'delay'] as const

export const processTarget = (process: Process): FaultTarget => ({
  kinds: processFaults,
  begin: (kind) => beginOnProcess(process, kind),
})

/** Targets of the servers: each server of NATS, the leader of the stream, the primary of Postgres. */
export const serverTargets = ({ nats, postgres }: ReplicatedServers): Map<string, FaultTarget> => {
  const targets = new Map<string, FaultTarget>()
  const begin = (name: string, kind: FaultKind) => {
    const server = nats.servers.get(name)
    if (server === undefined) throw new Error(`There is no server ${name}`)
    return isLinkFault(kind)
      ? beginOnLinks(server.links, kind)
      : beginOnProcess(server.process, kind)
  }
  const kinds = [...processFaults, ...linkFaults]
  for (const name of nats.servers.keys()) {
    targets.set(name, { kinds, begin: (kind) => begin(name, kind) })
  }
  targets.set('nats-leader', {
    kinds,
    begin: async (kind) => begin(await nats.leaderOf(STREAM), kind),
  })
  targets.set('postgres-primary', {
    kinds: ['failover', ...linkFaults],
    async begin(kind) {
      if (kind !== 'failover') return beginOnLinks([postgres.primaryLink()], kind)
      await postgres.killPrimary()
      return postgres.failOver
    },
  })
  return targets
}

const beginOnProcess = async (process: Process, kind: FaultKind) => {
  if (kind === 'pause') {
    await process.kill('SIGSTOP')
    return () => process.kill('SIGCONT')
  }
  await (kind === 'kill' ? process.kill('SIGKILL') : process.stop())
  return async () => {
    await process.restart()
    await process.waitReady(READY_WITHIN_MS)
  }
}

const isLinkFault = (kind: FaultKind): boolean => linkFaults.some((found) => found === kind)

const beginOnLinks = async (links: readonly Link[], kind: FaultKind) => {
  for (const link of links) {
    if (kind === 'partition') link.hold()
    else link.delay(DELAY_MS)
  }
  return async () => {
    for (const link of links) link.release()
  }
}
