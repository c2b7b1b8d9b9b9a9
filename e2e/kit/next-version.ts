/**
 * Next version of the services: a copy of the sources with the edits of a test, and its bundles. It
 * runs next to the present version.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleServices } from '@status-page/infra/bundle-services'
import type { Release } from '@status-page/infra/local'
import type { Test } from 'tap'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const COPIED_FOLDERS = ['packages', 'services']
const COPIED_FILES = ['package.json', 'tsconfig.base.json']
/** Output of builds, which the services do not import. */
const OMITTED = /[/]packages[/]dashboard[/]dist$/

export interface Sources {
  /** Writes a file, such as a migration. */
  write(path: string, text: string): void
  /** Replaces a text that the file contains once. */
  replace(path: string, before: string, after: string): void
}

export interface NextVersion extends Release {
  /** Edits the copy again; bundles stay as they are, migrations are read at each use. */
  sources: Sources
}

export const buildNextVersion = async (
  t: Test,
  edit: (sources: Sources) => void,
): Promise<NextVersion> => {
  const folder = mkdtempSync(join(tmpdir(), 'status-page-next-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o711)
  for (const name of COPIED_FOLDERS) {
    cpSync(join(repository, name), join(folder, name), {
      recursive: true,
      // Links to packages lead to their copies.
      verbatimSymlinks: true,
      filter: (path) => !OMITTED.test(path),
    })
  }
  for (const name of COPIED_FILES) copyFileSync(join(repository, name), join(folder, name))
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const sources = sourcesIn(folder)
  edit(sources)
  const bundleFolder = join(folder, 'bundles')
  await bundleServices(bundleFolder, { root: folder })
  return { servicesFolder: join(folder, 'services'), bundleFolder, sources }
}

const sourcesIn = (folder: string): Sources => ({
  write: (path, text) => writeFileSync(join(folder, path), text),
  replace(path, before, after) {
    const text = readFileSync(join(folder, path), 'utf8')
    const parts = text.split(before)
    if (parts.length !== 2) throw new Error(`${path} contains ${parts.length - 1} of: ${before}`)
    writeFileSync(join(folder, path), parts.join(after))
  },
})
