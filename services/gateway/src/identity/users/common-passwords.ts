/**
 * List of common passwords. It takes 20 ms to read and 7 MB of memory, so it is loaded on the first
 * check and never when the setting is off.
 */
export type IsCommonPassword = (password: string) => Promise<boolean>

/** Minimum length of listed passwords; shorter ones are refused for their length. */
const MIN_LISTED_LENGTH = 8

let list: Promise<ReadonlySet<string>> | null = null

/** Compares without case, because a capital letter does not make a password harder to guess. */
export const isCommonPassword: IsCommonPassword = async (password) => {
  list ??= readList()
  return (await list).has(password.toLowerCase())
}

/** Check for installations with the setting off. */
export const acceptAllPasswords: IsCommonPassword = async () => false

const readList = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter(({ length }) => length >= MIN_LISTED_LENGTH))
}
