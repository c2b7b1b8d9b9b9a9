/** Validation of request headers that callers set. */

export const MAX_HEADERS = 50
export const MAX_HEADER_BYTES = 8 * 1024

export type HeaderVerdict = { ok: true } | { ok: false; message: string }

/**
 * Validates headers: at most 50 and 8 KiB, RFC 9110 names, printable values, none that controls the
 * connection.
 */
export const checkHeaders = (headers: Readonly<Record<string, string>>): HeaderVerdict => {
  const names = Object.keys(headers)
  if (names.length > MAX_HEADERS) return rejected(`must have at most ${MAX_HEADERS} headers`)
  const seen = new Set<string>()
  let bytes = 0
  for (const name of names) {
    const value = headers[name]
    if (!TOKEN.test(name)) return rejected('contains an invalid header name')
    if (typeof value !== 'string' || !PRINTABLE.test(value)) {
      return rejected(`has a value for ${name} that is not printable ASCII`)
    }
    const lowered = name.toLowerCase()
    if (isForbidden(lowered)) return rejected(`must not set ${name}`)
    if (seen.has(lowered)) return rejected(`sets ${name} twice`)
    seen.add(lowered)
    bytes += name.length + value.length
  }
  if (bytes > MAX_HEADER_BYTES) return rejected(`must have at most ${MAX_HEADER_BYTES} bytes`)
  return { ok: true }
}

const rejected = (message: string): HeaderVerdict => ({ ok: false, message })

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PRINTABLE = /^[\x20-\x7e]*$/

const FORBIDDEN: ReadonlySet<string> = new Set([
  'host',
  'expect',
  'accept-encoding',
  // Headers of message framing and hop-by-hop headers.
  'connection',
  'content-length',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Required by cloud metadata services: Google, Azure, Amazon, Linode.
  'metadata',
  'metadata-flavor',
  'x-google-metadata-request',
  'metadata-token',
  'metadata-token-expiry-seconds',
])

const isForbidden = (name: string): boolean =>
  FORBIDDEN.has(name) || name.startsWith('proxy-') || name.startsWith('x-aws-ec2-metadata-token')
