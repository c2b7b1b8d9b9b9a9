/**
 * Content negotiation of public pages, shared by core, which renders them, and the gateway, which
 * caches them. Pure.
 */

/** Returns whether an `Accept` header prefers Markdown to HTML. Browsers never do. */
export const prefersMarkdown = (accept: string | string[] | undefined): boolean => {
  const mediaRanges = String(accept ?? '').split(',')
  const weight = weightOf(mediaRanges, 'text/markdown')
  return weight > 0 && weight >= weightOf(mediaRanges, 'text/html')
}

const weightOf = (mediaRanges: readonly string[], type: string): number => {
  const mediaRange = mediaRanges.find(
    (candidate) => candidate.split(';', 1)[0]?.trim().toLowerCase() === type,
  )
  if (mediaRange === undefined) return 0
  const [, quality] = /;\s*q=([01](?:\.\d{1,3})?)/i.exec(mediaRange) ?? []
  return quality === undefined ? 1 : Number(quality)
}
