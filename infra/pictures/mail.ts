/** Reads the HTML of a mail from the mail folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const WAIT_MS = 30_000
const STEP_MS = 200

/** Waits for the mail whose subject contains `words` and returns its HTML. */
export const htmlOfMail = async (folder: string, words: string): Promise<string> => {
  for (let waited = 0; waited < WAIT_MS; waited += STEP_MS) {
    const mails = existsSync(folder)
      ? readdirSync(folder).filter((name) => name.endsWith('.eml'))
      : []
    const texts = mails.map((name) => readFileSync(join(folder, name), 'utf8'))
    const found = texts.find((text) => subjectOf(text).includes(words))
    if (found !== undefined) return htmlOf(found)
    await wait(STEP_MS)
  }
  throw new Error(`No mail has a subject with ${words}`)
}

const subjectOf = (mail: string): string =>
  /^Subject: (.*(?:\n[ \t].*)*)/m.exec(mail)?.[1]?.replace(/\n[ \t]/g, ' ') ?? ''

const htmlOf = (mail: string): string => {
  const start = mail.indexOf('Content-Type: text/html')
  const [head = '', ...rest] = mail.slice(start).split('\n\n')
  const [body = ''] = rest.join('\n\n').split(/\n--[-\w.=?]+(?:--)?\n/)
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8')
  const bytes = body
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return /quoted-printable/i.test(head) ? Buffer.from(bytes, 'latin1').toString('utf8') : body
}
