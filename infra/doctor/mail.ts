/** Check of the mail server: connection, TLS and login, without sending a mail. */
import { createTransport } from 'nodemailer'
import { type Diagnosis, failed, ok, reasonOf, skipped } from './finding.ts'
import type { Settings } from './settings.ts'

const TIMEOUT_MS = 4_000

export const checkMailServer = async ({ SMTP_URL, MAIL_DIR }: Settings): Promise<Diagnosis[]> => {
  if (SMTP_URL === undefined) {
    const result = MAIL_DIR === undefined ? 'waits' : `is written to ${MAIL_DIR}`
    return [skipped(`SMTP_URL is not set: mail ${result}.`)]
  }
  if (!URL.canParse(SMTP_URL) || !/^smtps?:/.test(SMTP_URL)) {
    const remedy = 'Use the form smtp[s]://user:password@host:port.'
    return [failed('SMTP_URL is not the URL of a mail server.', remedy)]
  }
  const transport = createTransport({
    url: SMTP_URL,
    dnsTimeout: TIMEOUT_MS,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
  try {
    await transport.verify()
    return [ok(`The mail server ${new URL(SMTP_URL).host} accepts connections.`)]
  } catch (error) {
    return [mailFailure(error, new URL(SMTP_URL).host)]
  } finally {
    transport.close()
  }
}

const mailFailure = (error: unknown, host: string): Diagnosis => {
  const { code } = error as { code?: unknown }
  const reason = reasonOf(error)
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    const remedy = 'Correct user and password in SMTP_URL, then restart the notifier.'
    return failed(`The mail server ${host} refuses the login: ${reason}.`, remedy)
  }
  if (/certificate|self.signed/i.test(reason)) {
    const remedy = 'Renew the certificate, or name its authority in NODE_EXTRA_CA_CERTS.'
    return failed(`The certificate of the mail server ${host} is refused: ${reason}.`, remedy)
  }
  return failed(
    `The mail server ${host} does not respond: ${reason}.`,
    'Check address and port in SMTP_URL, and that no firewall blocks the port; mail is retried.',
  )
}
