/** Identifier as words, for an identifier without a text: `chatId`, "Chat id". */
export const identifierWords = (identifier: string): string => {
  const words = identifier
    .replaceAll('-', ' ')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
