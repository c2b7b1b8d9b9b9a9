/** Recorded responses of the gateway, so that every compared server sends the same bytes. */
import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'

export const responseNames = ['json', 'page'] as const
export type ResponseName = (typeof responseNames)[number]

export interface RecordedResponse {
  /** Headers that a cache needs, without rate limits, policies and ids. */
  headers: Record<string, string>
  etag: string
}

/** Request headers of a browser. */
export const browserHeaders = { 'accept-encoding': 'gzip, deflate, br' }

const recordedHeaders = ['content-type', 'content-encoding', 'cache-control', 'etag', 'vary']

/** Sends a request without decompressing the response, which `fetch` would do. */
export const sendRequest = (
  url: string,
  headers: Record<string, string> = browserHeaders,
): Promise<{ response: IncomingMessage; body: Buffer }> =>
  new Promise((resolve, reject) => {
    get(url, { headers }, async (response) => {
      const chunks: Buffer[] = await response.toArray()
      resolve({ response, body: Buffer.concat(chunks) })
    }).on('error', reject)
  })

/** Writes one file per URL and an index of their headers; returns the path of the index. */
export const recordResponses = async (
  folder: string,
  urls: Record<ResponseName, string>,
): Promise<string> => {
  const recorded: Record<string, RecordedResponse> = {}
  const sizes: string[] = []
  for (const name of responseNames) {
    const { response, body } = await sendRequest(urls[name])
    if (response.statusCode !== 200) throw new Error(`${urls[name]}: ${response.statusCode}`)
    const headers = Object.fromEntries(
      recordedHeaders.flatMap((key) => {
        const value = response.headers[key]
        return typeof value === 'string' ? [[key, value] as const] : []
      }),
    )
    recorded[name] = { headers, etag: headers.etag ?? '' }
    writeFileSync(join(folder, name), body)
    sizes.push(`${name} ${body.length} bytes (${headers['content-encoding'] ?? 'plain'})`)
  }
  writeFileSync(join(folder, 'responses.json'), JSON.stringify(recorded))
  return sizes.join(', ')
}
