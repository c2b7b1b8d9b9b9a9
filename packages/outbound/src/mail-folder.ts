/**
 * Mailer without a mail server: writes every message as an .eml file, for installations on one
 * machine.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type Mail,
  type Mailer,
  type MailResult,
  nodemailerMessageOf,
  smtpRefusalOf,
} from './smtp.ts'

/** Creates the mailer. A retry with the same Message-ID replaces its file. */
export const createFolderMailer = (folder: string): Mailer => {
  return {
    async send(mail) {
      const refusal = smtpRefusalOf(mail)
      if (refusal !== null) return refusal
      const { createTransport } = await import('nodemailer')
      const transport = createTransport(messageOnly)
      const { message } = await transport.sendMail(nodemailerMessageOf(mail))
      const path = join(folder, `${fileNameOf(mail)}.eml`)
      return write(path, message as Buffer)
    },
    close: () => {},
  }
}

/** Options of a transport that returns the message. */
const messageOnly = {
  streamTransport: true,
  buffer: true,
  newline: 'unix',
  disableFileAccess: true,
  disableUrlAccess: true,
} as const

const fileNameOf = ({ messageId }: Mail) =>
  messageId.replace(/[^A-Za-z0-9.-]+/g, '_').replace(/^[_.]+|[_.]+$/g, '')

/**
 * Writes atomically, so that readers of the folder never see a partial message. A full disk counts
 * as transient.
 */
const write = async (path: string, message: Buffer): Promise<MailResult> => {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(`${path}.part`, message)
    await rename(`${path}.part`, path)
    return { ok: true, response: path }
  } catch {
    return { ok: false, class: 'transient' }
  }
}
