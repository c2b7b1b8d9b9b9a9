/**
 * Returns whether a client has the response: weak comparison of `If-None-Match` (RFC 9110, 13.1.2),
 * because a proxy may have weakened the entity tag.
 */
export const etagsMatch = (etag: string, ifNoneMatch: string | string[] | undefined): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  const tags = String(ifNoneMatch).split(',')
  const plain = etag.replace(/^W\//, '')
  return tags.some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === plain)
}
