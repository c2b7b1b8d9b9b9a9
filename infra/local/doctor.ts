/**
 * `npm run doctor`: checks the installation of `npm start` with its settings, the secrets of its data
 * folder, and the ports that its Postgres and NATS have chosen.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { natsNames } from '@status-page/bus/nats-names'
import type { Environment } from '@status-page/service/config'
import { runDoctorCommand } from '../doctor/command.ts'
import { dataFolderOf, readEnvironment } from './environment.ts'
import { configuredNatsUrl } from './nats.ts'
import { runningServerUrl } from './postgres.ts'
import { loadSecrets } from './secrets.ts'

const settings = readEnvironment()
const dataDir = dataFolderOf(settings)
process.exit(
  await runDoctorCommand(process.argv.slice(2), {
    BASE_URL: `http://localhost:${settings.PORT ?? 8080}`,
    MAIL_DIR: join(dataDir, 'mail'),
    ...localServers(),
    ...settings,
    DATA_DIR: dataDir,
  }),
)

/** Addresses that settings of external servers override. */
function localServers(): Environment {
  if (!existsSync(join(dataDir, 'secrets.json'))) return {}
  const { superuserPassword, natsPasswords } = loadSecrets(dataDir, true)
  const user = natsNames(settings.NATS_PREFIX).user('notifier')
  return {
    DATABASE_URL: runningServerUrl(dataDir, superuserPassword) ?? undefined,
    NATS_URL: configuredNatsUrl(dataDir, { user, password: natsPasswords.notifier }) ?? undefined,
  }
}
