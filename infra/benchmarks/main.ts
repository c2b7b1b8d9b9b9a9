/**
 * `pnpm bench [name…]`: runs all benchmarks of this folder, or those named, one after the other, and
 * prints one table of their targets. A benchmark during which other processes used the machine is
 * repeated. Settings: REPEATS (maximum repetitions of one benchmark), and those of the benchmarks,
 * which all of them receive. The exit code is 1 when a benchmark fails, not when it misses a target.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IDLE_CORES } from './measure/machine.ts'
import { type BenchmarkResult, printTable, ratioOf } from './measure/print.ts'
import { numberSetting } from './measure/settings.ts'

const MAX_REPEATS = numberSetting('REPEATS', 2)
const folder = fileURLToPath(new URL('.', import.meta.url))
/** Benchmarks of other products, which need paths to them. */
const byRequestOnly = new Set(['peers'])
const all = globSync('*/main.ts', { cwd: folder }).map(dirname).sort()

interface BenchmarkRun {
  name: string
  results: BenchmarkResult[]
  hasFailed: boolean
}

const runOnce = async (name: string, resultsFile: string): Promise<BenchmarkRun> => {
  writeFileSync(resultsFile, '')
  const child = spawn(process.execPath, ['--no-warnings', join(folder, name, 'main.ts')], {
    stdio: 'inherit',
    env: { ...process.env, BENCHMARK_RESULTS: resultsFile },
  })
  const [code] = await once(child, 'exit')
  const lines = readFileSync(resultsFile, 'utf8').split('\n').filter(Boolean)
  return {
    name,
    // JSON contains null for NaN, the value of an unknown result.
    results: lines.map(
      (line): BenchmarkResult => JSON.parse(line, (_key, value) => value ?? Number.NaN),
    ),
    hasFailed: code !== 0,
  }
}

const wasBusy = ({ results }: BenchmarkRun): boolean =>
  results.some(({ otherCores }) => otherCores > IDLE_CORES)

/** Repeats a benchmark while the machine was busy; returns the last run. */
const runUntilIdle = async (name: string, resultsFile: string): Promise<BenchmarkRun> => {
  console.log(`\n## ${name}\n`)
  let run = await runOnce(name, resultsFile)
  for (let repeats = 0; !run.hasFailed && wasBusy(run) && repeats < MAX_REPEATS; repeats++) {
    console.log(`\n## ${name}, repeated because other processes used the machine\n`)
    run = await runOnce(name, resultsFile)
  }
  return run
}

const rowsOf = ({ name, results, hasFailed }: BenchmarkRun): string[][] => {
  if (hasFailed) return [[name, 'failed, see above', '', '', '', '', '']]
  return results.map((result) => [
    name,
    result.name,
    `${result.measured.toFixed(2)} ${result.unit}`,
    result.yardstick === undefined
      ? ''
      : `${result.yardstick.name} ${result.yardstick.measured.toFixed(2)} ${result.unit}`,
    ratioOf(result)?.toFixed(2) ?? '',
    `${result.atMost} ${result.yardstick === undefined ? result.unit : 'times'}`,
    `${result.verdict}${result.otherCores > IDLE_CORES ? ', machine not idle' : ''}`,
  ])
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Benchmarks: ${all.join(', ')}`)
  process.exit(1)
}
const chosen = named.length > 0 ? named : all.filter((name) => !byRequestOnly.has(name))
const temporaryFolder = mkdtempSync(join(tmpdir(), 'benchmarks-'))
const runs: BenchmarkRun[] = []
try {
  for (const name of chosen) {
    runs.push(await runUntilIdle(name, join(temporaryFolder, `${name}.ndjson`)))
  }
} finally {
  rmSync(temporaryFolder, { recursive: true, force: true })
}
printTable(
  ['benchmark', 'measurement', 'value', 'yardstick', 'ratio', 'target', 'result'],
  runs.flatMap(rowsOf),
)
process.exit(runs.some(({ hasFailed }) => hasFailed) ? 1 : 0)
