/** Slugs of status pages. */

const MAX_LENGTH = 63

/** Slug proposed for a name; empty if the name has no Latin letters or digits. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
