/** Settings of `npm start`: the environment and the file `.env`. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The environment takes precedence over `.env`; an empty value counts as absent. */
export function readEnvironment(): Record<string, string> {
  const file = join(root, '.env')
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  const entries = Object.entries({ ...fromFile, ...process.env }).filter(
    (entry): entry is [string, string] => Boolean(entry[1]) && !entry[0].startsWith('npm_'),
  )
  return Object.fromEntries(entries)
}

export function dataFolderOf(settings: Readonly<Record<string, string>>): string {
  return resolve(root, settings.DATA_DIR ?? '.data')
}
