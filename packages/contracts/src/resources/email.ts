/** The address of one's own account: verified by the token of a mail. */
import { Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Success } from '../scalars.ts'

const Token = Type.String({ minLength: 1, maxLength: 128, writeOnly: true })

export const emailOperations = {
  verify: operation({
    id: 'email.verify',
    service: 'gateway',
    method: 'POST',
    path: '/auth/email/verify',
    status: 200,
    summary: 'Verify the own address by the token of the mail',
    description:
      'The mail goes out at registration; its token works once, within seven days, and only ' +
      'in a session of the account that it was sent for. An account whose address is not ' +
      'verified can do everything, but reserves the address against nobody: an invitation ' +
      'to it, and the first login through the identity provider of an organization that has ' +
      'proved its domain, take the address over. 400 names an unknown, used or expired ' +
      '`token`. 403 for API keys; audited as `auth.email_verify`.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    body: Type.Object({ token: Token }),
    reply: Success,
  }),
  requestVerification: operation({
    id: 'email.requestVerification',
    service: 'gateway',
    method: 'POST',
    path: '/auth/email/verification',
    status: 202,
    summary: 'Send the verification mail again',
    description:
      'An address gets three mails an hour at most; beyond them, and for an address that is ' +
      'verified already, the answer is the same and no mail goes out. 403 for API keys.',
    permission: 'session',
    bucket: 'auth',
    idempotencyKey: false,
    reply: Success,
  }),
}
