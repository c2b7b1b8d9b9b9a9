/**
 * URLs of any scheme with a host in canonical form. The URL parser lower-cases and encodes hosts of
 * `http` and a few other schemes only, and of those alone it converts each spelling of an address.
 */

/** Schemes whose hosts the URL parser converts. */
const convertedProtocols: readonly string[] = ['http:', 'https:']

/** Parses the URL; null for a text that is no URL with a host. */
export const parseTargetUrl = (text: string): URL | null => {
  const url = URL.parse(text)
  if (url === null || url.hostname === '') return null
  if (convertedProtocols.includes(url.protocol)) return url
  const converted = URL.parse(`http://${url.hostname}`)
  if (converted === null) return null
  url.hostname = converted.hostname
  return url
}
