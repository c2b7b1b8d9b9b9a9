/**
 * Passwords that whoever guesses tries first. The list takes 20 ms to read and 7 MB to hold: it is
 * read with the first password that is judged by it, and never where the setting is off.
 */
export type IsCommon = (password: string) => Promise<boolean>

/** Shorter ones are refused for their length. */
const MIN_LISTED_LENGTH = 8

let list: Promise<ReadonlySet<string>> | null = null

/** Without case: a capital letter makes no other guess of it. */
export const isCommon: IsCommon = async (password) => {
  list ??= readList()
  return (await list).has(password.toLowerCase())
}

/** Where the setting is off. */
export const neverCommon: IsCommon = async () => false

const readList = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter(({ length }) => length >= MIN_LISTED_LENGTH))
}
