/** The answers that are compared, as the gateway gives them: every server gives the same bytes. */
import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'

export const questionNames = ['json', 'page'] as const
export type QuestionName = (typeof questionNames)[number]

export interface Kept {
  /** What a cache in front needs to know; without rate limits, policies and ids. */
  headers: Record<string, string>
  etag: string
}

/** As browsers ask. */
export const asked = { 'accept-encoding': 'gzip, deflate, br' }

const keptHeaders = ['content-type', 'content-encoding', 'cache-control', 'etag', 'vary']

/** Without unpacking, which `fetch` would do. */
export const exchange = (
  url: string,
  headers: Record<string, string> = asked,
): Promise<{ answer: IncomingMessage; body: Buffer }> =>
  new Promise((resolve, reject) => {
    get(url, { headers }, async (answer) => {
      const chunks: Buffer[] = await answer.toArray()
      resolve({ answer, body: Buffer.concat(chunks) })
    }).on('error', reject)
  })

/** One file for each question, and what goes with them. */
export const keep = async (folder: string, urls: Record<QuestionName, string>): Promise<string> => {
  const kept: Record<string, Kept> = {}
  const sizes: string[] = []
  for (const name of questionNames) {
    const { answer, body } = await exchange(urls[name])
    if (answer.statusCode !== 200) throw new Error(`${urls[name]}: ${answer.statusCode}`)
    const headers = Object.fromEntries(
      keptHeaders.flatMap((key) => {
        const value = answer.headers[key]
        return typeof value === 'string' ? [[key, value] as const] : []
      }),
    )
    kept[name] = { headers, etag: headers.etag ?? '' }
    writeFileSync(join(folder, name), body)
    sizes.push(`${name} ${body.length} bytes (${headers['content-encoding'] ?? 'plain'})`)
  }
  writeFileSync(join(folder, 'kept.json'), JSON.stringify(kept))
  return sizes.join(', ')
}
