/**
 * Targets of static exports: a folder or an S3 bucket. The operator configures the target, so it is
 * not restricted like URLs of tenants. A write replaces a file atomically.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import aws4 from 'aws4'
import type { LoadedFile } from './exported-file.ts'

export interface ExportTarget {
  /** Writes a file below the folder of a page. */
  write(folder: string, file: LoadedFile): Promise<void>
  /** Removes a file; a missing file counts as removed. */
  remove(folder: string, path: string): Promise<void>
}

const TIMEOUT_MS = 15_000
const MAX_AGE_SECONDS = 30
const DEFAULT_REGION = 'us-east-1'
const MAX_SHOWN_CHARACTERS = 300

/** Parses STATIC_EXPORT_URL; throws a one-sentence error for an invalid value. */
export const parseExportTarget = (text: string): ExportTarget => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'file:') return folderTarget(fileURLToPath(url))
  if (url?.protocol === 's3:' || url?.protocol === 's3+http:') return bucketTarget(url)
  throw new Error('STATIC_EXPORT_URL must be file:///folder or s3://key:secret@host/bucket/prefix')
}

const DRAFTS = '.drafts'
const UUID_LENGTH = 36

/**
 * A killed process leaves its draft behind; each later write or removal of the file removes it. A
 * process that was paused before its rename then fails.
 */
const folderTarget = (root: string): ExportTarget => ({
  async write(folder, { path, body }) {
    const file = within(root, folder, path)
    const drafts = join(root, folder, DRAFTS)
    await removeDrafts(drafts, path)
    await mkdir(dirname(file), { recursive: true })
    await mkdir(drafts, { recursive: true })
    const draft = join(drafts, `${encodeURIComponent(path)}.${randomUUID()}`)
    try {
      await writeFile(draft, body)
      await rename(draft, file)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  },
  async remove(folder, path) {
    await removeDrafts(join(root, folder, DRAFTS), path)
    await rm(within(root, folder, path), { force: true })
  },
})

const removeDrafts = async (drafts: string, path: string): Promise<void> => {
  const names = await readdir(drafts).catch(() => [])
  const isOfFile = (name: string) => name.slice(0, -UUID_LENGTH) === `${encodeURIComponent(path)}.`
  for (const name of names.filter(isOfFile)) await rm(join(drafts, name), { force: true })
}

/** Rejects paths outside of the folder, in addition to the checks of slugs and ids. */
const within = (root: string, folder: string, path: string): string => {
  const base = resolve(root, folder)
  const file = resolve(join(base, path))
  if (dirname(base) !== resolve(root) || !file.startsWith(`${base}/`)) {
    throw new Error(`${folder}/${path} lies outside of the folder`)
  }
  return file
}

const bucketTarget = (url: URL): ExportTarget => {
  const scheme = url.protocol === 's3:' ? 'https' : 'http'
  const region = url.searchParams.get('region') ?? DEFAULT_REGION
  const credentials = {
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  }
  const prefix = url.pathname.replace(/\/+$/, '')
  const send = async (method: 'PUT' | 'DELETE', name: string, file?: LoadedFile) => {
    const body = Buffer.from(file?.body ?? '')
    const path = `${prefix}/${name.split('/').map(encodeURIComponent).join('/')}`
    const { headers = {} } = aws4.sign(
      {
        host: url.host,
        method,
        path,
        service: 's3',
        region,
        ...(file === undefined ? {} : { body }),
        headers: {
          'X-Amz-Content-Sha256': createHash('sha256').update(body).digest('hex'),
          ...(file === undefined
            ? {}
            : {
                'Content-Type': file.contentType,
                'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
              }),
        },
      },
      credentials,
    )
    const { Host: _host, 'Content-Length': _length, ...signed } = headers as Record<string, string>
    const response = await fetch(`${scheme}://${url.host}${path}`, {
      method,
      headers: signed,
      redirect: 'error',
      ...(method === 'PUT' ? { body } : {}),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (response.ok || (method === 'DELETE' && response.status === 404)) return
    const shown = text.slice(0, MAX_SHOWN_CHARACTERS)
    throw new Error(`${method} ${path} returned ${response.status}: ${shown}`)
  }
  return {
    write: (folder, file) => send('PUT', `${folder}/${file.path}`, file),
    remove: (folder, path) => send('DELETE', `${folder}/${path}`),
  }
}
