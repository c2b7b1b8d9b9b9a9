/** Slug of a name, as part of a URL. Without imports, because browsers load it. Pure. */

/** Longest label of a host name. */
export const MAX_SLUG_LENGTH = 63

/** Latin letters that Unicode does not decompose. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
}

/**
 * Returns the name in lower case, with single dashes and without accents; empty if it has no Latin
 * letters or digits.
 */
export const slugFrom = (name: string, maxLength = MAX_SLUG_LENGTH): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/\P{ASCII}/gu, (letter) => letters[letter] ?? letter)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replaceAll(/^-|-$/g, '')
