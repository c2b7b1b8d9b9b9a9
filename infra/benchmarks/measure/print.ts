/** Output of every benchmark: the machine, a table, and each target with its result. */
import { appendFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { IDLE_CORES, observeOtherProcesses, waitForIdleMachine } from './machine.ts'

const IDLE_WAIT_SECONDS = Number(process.env.IDLE_WAIT ?? 60)

/** File to which `pnpm bench` lets a benchmark append its results, one JSON object per line. */
const resultsFile = process.env.BENCHMARK_RESULTS

let othersSinceStart: (() => number) | null = null

/** Waits for an idle machine, prints the machine, and observes other processes from now on. */
export const printMachine = async (): Promise<void> => {
  const [processor] = cpus()
  const memoryGib = (totalmem() / 2 ** 30).toFixed(0)
  const machine = `${availableParallelism()} × ${processor?.model.trim()}, ${memoryGib} GiB`
  console.log(`${machine}, ${process.platform}, Node ${process.version}`)
  const cores = await waitForIdleMachine(IDLE_WAIT_SECONDS)
  if (cores > IDLE_CORES) {
    console.log(`The machine is not idle: other processes use ${cores.toFixed(2)} cores.`)
  }
  othersSinceStart = observeOtherProcesses()
}

export const printTable = (head: readonly string[], rows: readonly (readonly string[])[]): void => {
  const lines = [head, head.map(() => '---'), ...rows]
  const widths = head.map((_cell, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  console.log()
  for (const line of lines) {
    console.log(`| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
  }
}

export interface BenchmarkTarget {
  name: string
  measured: number
  unit: string
  /** Maximum of `measured`, or of its ratio to the yardstick. */
  atMost: number
  /** Reference of the same run, in the same unit. */
  yardstick?: { name: string; measured: number }
}

export interface BenchmarkResult extends BenchmarkTarget {
  /** Unknown when the benchmark has too few values for a percentile. */
  verdict: 'met' | 'missed' | 'unknown'
  /** Processor time of other processes during the benchmark, in cores. */
  otherCores: number
}

export const ratioOf = ({ measured, yardstick }: BenchmarkTarget): number | null =>
  yardstick === undefined ? null : measured / yardstick.measured

export const printTargets = (targets: readonly BenchmarkTarget[]): void => {
  const otherCores = othersSinceStart?.() ?? Number.NaN
  console.log()
  for (const target of targets) {
    const verdict = verdictOf(target)
    console.log(`${verdict.toUpperCase().padEnd(7)} ${sentenceOf(target)}`)
    if (resultsFile === undefined) continue
    const result: BenchmarkResult = { ...target, verdict, otherCores }
    appendFileSync(resultsFile, `${JSON.stringify(result)}\n`)
  }
  if (otherCores > IDLE_CORES) {
    console.log(
      `Other processes used ${otherCores.toFixed(2)} cores: compare ratios of this run at most.`,
    )
  }
}

const verdictOf = (target: BenchmarkTarget): BenchmarkResult['verdict'] => {
  const value = ratioOf(target) ?? target.measured
  if (Number.isNaN(value)) return 'unknown'
  return value <= target.atMost ? 'met' : 'missed'
}

const sentenceOf = (target: BenchmarkTarget): string => {
  const { name, measured, unit, atMost, yardstick } = target
  const measurement = `${name}: ${measured.toFixed(2)} ${unit}`
  if (yardstick === undefined) return `${measurement} (target ${atMost} ${unit})`
  const ratio = (measured / yardstick.measured).toFixed(2)
  const reference = `${yardstick.name} ${yardstick.measured.toFixed(2)} ${unit}`
  return `${measurement}, ${ratio} times ${reference} (target ${atMost} times)`
}
