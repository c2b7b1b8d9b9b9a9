/**
 * `pnpm faults`: the fault tests; `pnpm faults soak --minutes N --seed S`: replicas under load with
 * seeded faults. Both print the seed, which repeats the run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { moduleResolution } from './test-process.ts'

const USAGE = 'Usage: pnpm faults [--seed S], or pnpm faults soak [--minutes N] [--seed S]'
const DEFAULT_MINUTES = 5
const MAX_MINUTES = 24 * 60
const MAX_SEED = 2 ** 32 - 1
/** Failing endpoints; fewer in `npm test`, where each takes a tenth of a second of processor time. */
const STORM_MONITORS = '1000'
const EXIT_USAGE = 64

const root = fileURLToPath(new URL('..', import.meta.url))
const { command, minutes, seed } = readArguments()
process.exit(await (command === 'soak' ? runSoak() : runFaultTests()))

async function runFaultTests(): Promise<number> {
  console.log(`Seed ${seed}. Repeat: npx pnpm faults --seed ${seed}`)
  const files = ['e2e/faults', 'e2e/servers', 'e2e/separate', 'e2e/long']
  return await run(['scripts/run-tests.ts', ...files], { FUZZ_SEED: String(seed), STORM_MONITORS })
}

async function runSoak(): Promise<number> {
  console.log(`Seed ${seed}. Repeat: npx pnpm faults soak --minutes ${minutes} --seed ${seed}`)
  return await run(['--import', moduleResolution, 'e2e/soak/main.ts'], {
    SOAK_MINUTES: String(minutes),
    SOAK_SEED: String(seed),
  })
}

async function run(parameters: string[], environment: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, ['--no-warnings', ...parameters], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}

function readArguments(): { command: string | undefined; minutes: number; seed: number } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { minutes: { type: 'string' }, seed: { type: 'string' } },
    })
    const [command, ...others] = positionals
    const minutes = Number(values.minutes ?? DEFAULT_MINUTES)
    const seed = Number(values.seed ?? Math.floor(Math.random() * MAX_SEED))
    const isValid =
      (command === undefined || command === 'soak') &&
      others.length === 0 &&
      minutes > 0 &&
      minutes <= MAX_MINUTES &&
      Number.isInteger(seed) &&
      seed >= 0 &&
      seed <= MAX_SEED
    if (!isValid) throw new Error(USAGE)
    return { command, minutes, seed }
  } catch {
    console.error(USAGE)
    process.exit(EXIT_USAGE)
  }
}
