/**
 * Diagnosis of an installation from its settings, without its services: it works while the product
 * does not. Each check has a time limit, and secrets of the settings are masked in every message.
 */
import { withTimeout } from '@status-page/concurrency'
import type { ServiceName } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { checkClock } from './clock.ts'
import { checkDisks } from './disk.ts'
import { checkDns } from './dns.ts'
import {
  type CheckName,
  checkNames,
  type Diagnosis,
  type Finding,
  failed,
  NO_RESPONSE_REMEDY,
  reasonOf,
  skipped,
} from './finding.ts'
import { checkMailServer } from './mail.ts'
import { checkBus } from './nats.ts'
import { checkReplication, checkRoles, openCheckedDatabase } from './postgres.ts'
import { type Settings, secretMask } from './settings.ts'
import { checkCertificate } from './tls.ts'

const CHECK_TIMEOUT_MS = 5_000

export interface DoctorOptions {
  settings: Settings
  /** Folder of the migrations of a service. */
  migrationsOf(service: ServiceName): string
}

/** Findings of all checks, in the order of `checkNames`. */
export const examine = async ({ settings, migrationsOf }: DoctorOptions): Promise<Finding[]> => {
  const mask = secretMask(settings)
  const runCheck = async (check: CheckName, results: Promise<Diagnosis[]>): Promise<Finding[]> => {
    const diagnoses = await withTimeout(results, CHECK_TIMEOUT_MS, () => [TIMED_OUT]).catch(
      (error) => [
        failed(
          `The check failed: ${reasonOf(error)}.`,
          'Run it again; report the error if it repeats.',
        ),
      ],
    )
    return diagnoses.map((result) => ({ check, ...masked(result, mask) }))
  }
  const independent = [
    runCheck('nats', checkBus(settings)),
    runCheck('smtp', checkMailServer(settings)),
    runCheck('dns', checkDns(settings)),
    runCheck('tls', checkCertificate(settings)),
    runCheck('disk', checkDisks(settings)),
  ]
  const opening = openCheckedDatabase(settings)
  const postgres = await runCheck(
    'postgres',
    opening.then(({ results }) => results),
  )
  const isLate = postgres.some(({ message }) => message === TIMED_OUT.message)
  const database = isLate ? null : (await opening).database
  if (isLate) void opening.then((late) => late.database?.close())
  const runDatabaseCheck = (check: CheckName, run: (open: Database) => Promise<Diagnosis[]>) =>
    runCheck(check, database === null ? Promise.resolve([WITHOUT_POSTGRES]) : run(database))
  try {
    const findings = await Promise.all([
      ...independent,
      runDatabaseCheck('roles', (open) => checkRoles(open, { settings, migrationsOf })),
      runDatabaseCheck('replication', checkReplication),
      runCheck('clock', checkClock(database, settings)),
    ])
    return [...postgres, ...findings.flat()].toSorted(
      (left, right) => checkNames.indexOf(left.check) - checkNames.indexOf(right.check),
    )
  } finally {
    await database?.close()
  }
}

const TIMED_OUT = failed(`No result within ${CHECK_TIMEOUT_MS / 1_000} s.`, NO_RESPONSE_REMEDY)
const WITHOUT_POSTGRES = skipped('Postgres is required for this check.')

const masked = (result: Diagnosis, mask: (text: string) => string): Diagnosis => ({
  ...result,
  message: mask(result.message),
  ...(result.remedy === undefined ? {} : { remedy: mask(result.remedy) }),
})
