/** E-mail address of the caller's account: verification by a mailed token. */
import { Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Success, Timestamp } from '../scalars.ts'

const Token = Type.String({ minLength: 1, maxLength: 128, writeOnly: true })

export const emailOperations = operationsOf('gateway', 'email', {
  verify: {
    route: 'POST /auth/email/verify',
    summary: 'Verify the e-mail address of the account',
    description:
      'The mail is sent at registration; its token is valid once, for seven days, and only in ' +
      'a session of the account. An unverified account has no restrictions, but does not ' +
      'reserve its address: an invitation to the address, or the first login through the ' +
      'identity provider of an organization that has verified the domain, takes the address ' +
      'over. 400 with field `token` for an unknown, used or expired token. 403 for API keys. ' +
      'Audited as `auth.email_verify`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ token: Token }),
    reply: Success,
  },
  requestVerification: {
    route: 'POST /auth/email/verification',
    status: 202,
    summary: 'Send the verification mail again',
    description:
      'At most three mails per hour and address. Beyond them, and for a verified address, the ' +
      'response is the same and no mail is sent. 403 for API keys.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    reply: Success,
  },
  sendTest: {
    route: 'POST /auth/email/test',
    status: 202,
    summary: 'Send a test mail to the own address',
    description:
      'Sent like every other mail to an account, through the mail server that also carries ' +
      'notifications. `GET /notifications` with `event=account.test-requested` and `from` set ' +
      'to `requestedAt` shows whether it was delivered. It expires after an hour. 429 after ' +
      'three mails per hour and address. 403 for API keys. Audited as `auth.email_test`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    reply: Type.Object({ requestedAt: Timestamp }),
  },
})
