/**
 * Stack traces with positions in the sources instead of the bundles. The map of a bundle is read at
 * its first error: Node's own option reads all at the start, which takes 70 ms of processor time and
 * 20 MiB in each service.
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

const POSITION = /(file:\/\/\S+\.mjs):(\d+):(\d+)/

/** Maps by the URL of the bundle; null without one. */
const maps = new Map<string, SourceMap | null>()

Error.prepareStackTrace = (error, sites) => {
  const lines = sites.map((site) => `    at ${String(site).replace(POSITION, inSource)}`)
  return [Error.prototype.toString.call(error), ...lines].join('\n')
}

/** Position in the source; code of npm packages has none. */
function inSource(position: string, url: string, line: string, column: string): string {
  const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1)
  if (entry === undefined || !('originalSource' in entry) || !entry.originalSource) return position
  if (entry.generatedLine !== Number(line) - 1) return position
  return `${new URL(entry.originalSource, url)}:${entry.originalLine + 1}`
}

function mapOf(url: string): SourceMap | null {
  let map = maps.get(url)
  if (map === undefined) {
    map = readMap(url)
    maps.set(url, map)
  }
  return map
}

function readMap(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')))
  } catch {
    return null
  }
}
