/** Output of every benchmark: the machine, a table, and each target with its result. */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

export const printMachine = (): void => {
  const [processor] = cpus()
  const memoryGib = (totalmem() / 2 ** 30).toFixed(0)
  const [load = 0] = loadavg()
  const place = `${availableParallelism()} × ${processor?.model.trim()}, ${memoryGib} GiB`
  console.log(
    `${place}, ${process.platform}, Node ${process.version}, load ${load.toFixed(1)} before`,
  )
  if (load > 0.5) console.log('The machine was not idle: compare ratios of this run at most.')
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
  atMost: number
  unit: string
}

export const printTargets = (targets: readonly BenchmarkTarget[]): void => {
  console.log()
  for (const { name, measured, atMost, unit } of targets) {
    const verdict = measured <= atMost ? 'met   ' : 'MISSED'
    console.log(`${verdict} ${name}: ${measured.toFixed(2)} ${unit} (target ${atMost} ${unit})`)
  }
}
