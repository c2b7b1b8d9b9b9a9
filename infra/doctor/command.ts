/** Command line of the doctor: prints the findings and returns the exit code. */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ConfigError, type Environment } from '@status-page/service/config'
import type { Finding, FindingStatus } from './finding.ts'
import { examine } from './run.ts'
import { readSettings } from './settings.ts'

const USAGE = `Usage: doctor [--json]

Checks Postgres, roles, replication, NATS, SMTP, DNS, TLS, clock and disk with the settings of the
environment, and prints the remedy of each problem. Exit code 1 when a check fails.`
const EXIT_FAILED = 1
const EXIT_USAGE = 64

const servicesFolder = fileURLToPath(new URL('../../services', import.meta.url))

/** Returns the exit code. */
export const runDoctorCommand = async (
  parameters: readonly string[],
  environment: Environment,
): Promise<number> => {
  const options = optionsOf(parameters)
  if (options === null) {
    console.error(USAGE)
    return EXIT_USAGE
  }
  if (options.help) {
    console.log(USAGE)
    return 0
  }
  try {
    const findings = await examine({
      settings: readSettings(environment),
      migrationsOf: (service) => `${servicesFolder}/${service}/migrations`,
    })
    const status = worstOf(findings)
    console.log(options.json ? JSON.stringify({ status, findings }, null, 2) : textOf(findings))
    return status === 'failed' ? EXIT_FAILED : 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    return EXIT_FAILED
  }
}

const optionsOf = (parameters: readonly string[]) => {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    })
    return values
  } catch {
    return null
  }
}

const worstOf = (findings: readonly Finding[]): Exclude<FindingStatus, 'skipped'> => {
  const has = (status: FindingStatus) => findings.some((finding) => finding.status === status)
  if (has('failed')) return 'failed'
  return has('warning') ? 'warning' : 'ok'
}

const STATUS_WIDTH = 9
const CHECK_WIDTH = 13

const textOf = (findings: readonly Finding[]): string =>
  findings
    .flatMap(({ status, check, message, remedy }) => [
      `${status.padEnd(STATUS_WIDTH)}${check.padEnd(CHECK_WIDTH)}${message}`,
      ...(remedy === undefined
        ? []
        : [`${' '.repeat(STATUS_WIDTH + CHECK_WIDTH)}Remedy: ${remedy}`]),
    ])
    .join('\n')
