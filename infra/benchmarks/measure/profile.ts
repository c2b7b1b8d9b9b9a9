/** Self time in a `--cpu-prof` file by owner of the code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printTable } from './print.ts'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  /** Id of the node on top of the stack, one per sample. */
  samples: number[]
  /** Microseconds since the previous sample. */
  timeDeltas: number[]
}

const MAX_ROWS = 10
const MAX_FUNCTIONS = 3

/** Prints the profile of each process in the folder that ran code of `services/<name>`. */
export const printProfiles = (folder: string, services: readonly string[]): void => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    const urls = profile.nodes.map(({ callFrame }) => callFrame.url)
    const name = services.find((one) => urls.some((url) => url.includes(`/services/${one}/src/`)))
    if (name !== undefined) printProfile(name, profile)
  }
}

const printProfile = (name: string, { nodes, samples, timeDeltas }: Profile): void => {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const owners = new Map<string, { micros: number; functions: Map<string, number> }>()
  let busy = 0
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id)
    const micros = timeDeltas[index] ?? 0
    if (frame === undefined || frame.functionName === '(idle)') continue
    busy += micros
    const key = ownerOf(frame)
    const owner = owners.get(key) ?? { micros: 0, functions: new Map() }
    owners.set(key, owner)
    owner.micros += micros
    const label = frame.functionName || '(anonymous)'
    owner.functions.set(label, (owner.functions.get(label) ?? 0) + micros)
  }
  const share = (micros: number) => `${((micros / busy) * 100).toFixed(1)} %`
  const most = [...owners].toSorted(([, left], [, right]) => right.micros - left.micros)
  const rows = most.slice(0, MAX_ROWS).map(([key, { micros, functions }]) => {
    const top = [...functions].toSorted(([, left], [, right]) => right - left)
    const named = top.slice(0, MAX_FUNCTIONS).map(([label, self]) => `${label} ${share(self)}`)
    return [key, share(micros), named.join(', ')]
  })
  printTable([`${name}: whose code`, 'self time', 'most of it'], rows)
}

/** Owner of a frame: a package, a part of Node, a folder of this repository, or the engine. */
const ownerOf = ({ functionName, url }: { functionName: string; url: string }): string => {
  const dependency = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1]
  if (dependency !== undefined) return dependency
  if (url.startsWith('node:')) return url
  const own = /\/((?:packages|services)\/[^/]+)\/src\//.exec(url)?.[1]
  if (own !== undefined) return own
  return functionName === '(garbage collector)' ? functionName : 'native code'
}
