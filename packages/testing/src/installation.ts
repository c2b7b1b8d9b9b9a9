/** Copies of an installation whose database is migrated. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Copies the data folder that the test run has created, with the owners of its files; does nothing
 * without one.
 */
export const copyInstallation = async (dataDir: string): Promise<void> => {
  const { TEST_INSTALLATION_DIR } = process.env
  if (TEST_INSTALLATION_DIR === undefined) return
  await run('cp', ['-a', `${TEST_INSTALLATION_DIR}/.`, dataDir])
}
