/** Mail without a mail server: every message becomes an .eml file, for set-ups on one machine. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createTransport } from 'nodemailer'
import { type Mail, type Mailer, type MailResult, messageOf, refusalOf } from './smtp.ts'

/** A retry with the same Message-ID replaces its file. */
export const folderMailer = (folder: string): Mailer => {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'unix',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(mail) {
      const refusal = refusalOf(mail)
      if (refusal !== null) return refusal
      const { message } = await transport.sendMail(messageOf(mail))
      const path = join(folder, `${fileNameOf(mail)}.eml`)
      return write(path, message as Buffer)
    },
    close: () => transport.close(),
  }
}

const fileNameOf = ({ messageId }: Mail) =>
  messageId.replace(/[^A-Za-z0-9.-]+/g, '_').replace(/^[_.]+|[_.]+$/g, '')

/** Whoever watches the folder never reads half a mail. A full disk is a server that is away. */
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
