/** Plain text within a line of Markdown, such as the name of a component in a message. Pure. */

/** Signs that begin a mark within a line; an underscore does so only at the edge of a word. */
const SIGNS = /[\\`*[\]<]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu

/** Escapes a name, so that a message shows it as it is. */
export const escapeMarkdown = (name: string): string => name.replaceAll(SIGNS, '\\$&')

/** Returns the name that `escapeMarkdown` escaped. */
export const unescapeMarkdown = (text: string): string => text.replaceAll(/\\([\\`*[\]<_])/g, '$1')
