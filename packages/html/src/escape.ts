/** Escaping of text for HTML and XML. */

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML and XML, in content and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/**
 * Removes characters that XML 1.0 cannot represent: control characters, lone surrogates, two
 * non-characters.
 */
export const stripInvalidXmlCharacters = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')

export const escapeXml = (text: string): string => escapeHtml(stripInvalidXmlCharacters(text))
