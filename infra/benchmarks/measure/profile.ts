/** Self time in a `--cpu-prof` file by owner of the code, which the maps of the bundles name. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { printTable } from './print.ts'

/** Lines and columns begin at 0. */
interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
  columnNumber: number
}

interface Profile {
  nodes: { id: number; callFrame: CallFrame }[]
  /** Id of the node on top of the stack, one per sample. */
  samples: number[]
  /** Microseconds since the previous sample. */
  timeDeltas: number[]
}

const MAX_ROWS = 10
const MAX_FUNCTIONS = 3

const folder = process.env.PROFILE ? mkdtempSync(join(tmpdir(), 'profiles-')) : null

/** Environment in which a process writes its profile; empty unless PROFILE is set. */
export const profileEnvironment: Readonly<Record<string, string>> =
  folder === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }

/** Prints the profile of each process that ran one of the services; nothing unless PROFILE is set. */
export const printProfiles = (services: readonly string[]): void => {
  if (folder === null) return
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
    const urls = new Set(profile.nodes.map(({ callFrame }) => callFrame.url))
    const name = services.find((service) =>
      urls
        .values()
        .some(
          (url) =>
            url.includes(`/services/${service}/src/`) || url.endsWith(`/${service}/main.mjs`),
        ),
    )
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
  const sorted = [...owners].toSorted(([, left], [, right]) => right.micros - left.micros)
  const rows = sorted.slice(0, MAX_ROWS).map(([key, { micros, functions }]) => {
    const top = [...functions].toSorted(([, left], [, right]) => right - left)
    const named = top.slice(0, MAX_FUNCTIONS).map(([label, self]) => `${label} ${share(self)}`)
    return [key, share(micros), named.join(', ')]
  })
  printTable([`${name}: owner of the code`, 'self time', 'functions with most of it'], rows)
}

/** Owner of a frame: a package, a part of Node, a folder of this repository, or the engine. */
const ownerOf = (frame: CallFrame): string => {
  const { functionName } = frame
  const url = sourceOf(frame)
  const dependency = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1]
  if (dependency !== undefined) return dependency
  if (url.startsWith('node:')) return url
  const own = /\/((?:packages|services)\/[^/]+)\/src\//.exec(url)?.[1]
  if (own !== undefined) return own
  return functionName === '(garbage collector)' ? functionName : 'native code'
}

const sourceMaps = new Map<string, SourceMap | null>()

const sourceMapOf = (url: string): SourceMap | null => {
  const known = sourceMaps.get(url)
  if (known !== undefined) return known
  const file = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : ''
  const map = existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null
  sourceMaps.set(url, map)
  return map
}

/** URL or path of the source of a frame, which may have run from a bundle. */
const sourceOf = ({ url, lineNumber, columnNumber }: CallFrame): string => {
  const entry = sourceMapOf(url)?.findEntry(lineNumber, columnNumber)
  return entry !== undefined && 'originalSource' in entry ? (entry.originalSource ?? url) : url
}
