/** Mail without a mail server: every message becomes an .eml file, for set-ups on one machine. */
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { type Mailer, messageOf } from './smtp.ts'

/** A retry with the same Message-ID replaces its file. */
export const folderMailer = (folder: string): Mailer => {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(mail) {
      const { message } = await transport.sendMail(messageOf(mail))
      const name = mail.messageId.replace(/[^A-Za-z0-9.-]+/g, '_').replace(/^_+|_+$/g, '')
      await mkdir(folder, { recursive: true })
      const path = join(folder, `${name}.eml`)
      // Whoever watches the folder never reads half a mail.
      await writeFile(`${path}.part`, message as Buffer)
      await rename(`${path}.part`, path)
      return { ok: true, response: path }
    },
    close: () => transport.close(),
  }
}
