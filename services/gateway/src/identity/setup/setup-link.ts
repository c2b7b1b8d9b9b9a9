/**
 * Link for the first account. Its token derives from a stored nonce and the secret of the sessions:
 * every replica prints the same link, also after a restart, and the database does not contain it.
 * The first account consumes the nonce.
 */
import { createHmac } from 'node:crypto'
import { conflict, notFound } from '@status-page/contracts'
import { asLookup, type Database, type Scope } from '@status-page/postgres'
import { equalInConstantTime, randomToken } from '@status-page/secrets'
import { consumeNonce, hasAccounts, insertNonce, readNonce } from './store.ts'

export interface SetupLink {
  isNeeded(): Promise<boolean>
  /** URL of the form; null once an account exists. */
  url(): Promise<string | null>
  /** Throws 409 once an account exists, and 404 for another token. */
  verify(token: string): Promise<void>
  /** Consumes the token in the transaction that creates the first account; throws like `verify`. */
  consume(scope: Scope, token: string): Promise<void>
}

export const createSetupLink = (options: {
  database: Database
  baseUrl: string
  secret: string
}): SetupLink => {
  const { database, baseUrl, secret } = options
  const tokenOf = (nonce: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['setup', nonce]))
      .digest('base64url')
  const requireToken = (nonce: string | null, token: string) => {
    if (nonce === null || !equalInConstantTime(token, tokenOf(nonce))) throw notFound()
  }
  return {
    isNeeded: async () => !(await asLookup(database, hasAccounts)),
    url: () =>
      asLookup(database, async (systemScope) => {
        if (await hasAccounts(systemScope)) return null
        await insertNonce(systemScope, randomToken())
        const nonce = await readNonce(systemScope)
        return nonce === null
          ? null
          : `${baseUrl.replace(/\/+$/, '')}/setup?token=${tokenOf(nonce)}`
      }),
    verify: (token) =>
      asLookup(database, async (systemScope) => {
        // In this order, because the transaction of the first account also consumes the nonce.
        const nonce = await readNonce(systemScope)
        if (await hasAccounts(systemScope)) throw alreadySetUp()
        requireToken(nonce, token)
      }),
    async consume(scope, token) {
      const nonce = await consumeNonce(scope)
      if (await hasAccounts(scope)) throw alreadySetUp()
      requireToken(nonce, token)
    },
  }
}

const alreadySetUp = () => conflict('invalid_state', 'The first account already exists')

/** Level `info` of pino. */
const INFO_LEVEL = 30

/** Prints the link as a line of the log. It bypasses the logger, which masks tokens. */
export const announceSetupLink = async (
  link: Pick<SetupLink, 'url'>,
  print: (text: string) => unknown = (text) => process.stdout.write(text),
): Promise<void> => {
  const url = await link.url()
  if (url === null) return
  const msg = `no account exists yet, create the first one at ${url}`
  const line = { level: INFO_LEVEL, time: Date.now(), service: 'gateway', msg }
  print(`${JSON.stringify(line)}\n`)
}
