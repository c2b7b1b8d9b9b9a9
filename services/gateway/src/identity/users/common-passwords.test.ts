/**
 * Common passwords are refused in every operation that sets one, when the operator enables the
 * check.
 */
import { createSealer } from '@status-page/secrets'
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  asMember,
  encryptionKey,
  password,
  registerMember,
  testGateway,
} from '../../gateway.fixture.ts'
import { callApi, type Gateway, newEmail, tokenFor } from '../../organization.fixture.ts'
import { isCommonPassword } from './common-passwords.ts'

const common = 'Password123'
const refusal = (field: string) => ({
  error: { code: 'VALIDATION_ERROR', message: `${field} is too common`, details: { field } },
})

const stage = async (t: Test, PASSWORD_DENYLIST: string) => {
  const gateway = await testGateway(t, { PASSWORD_DENYLIST })
  const owner = await registerMember(gateway)
  const setBy = async (line: string, body: object, field: string) => {
    const response = await callApi(gateway, line, asMember(owner), body)
    t.match([response.statusCode, response.json()], [400, refusal(field)], line)
  }
  return { gateway, owner, setBy }
}

const account = () => ({ email: newEmail(), name: 'New', organizationName: 'Acme' })

const resetToken = async ({ database }: Gateway): Promise<string> => {
  const mails = () => database.batchSql`
    SELECT aggregate_id, organization_id, payload->>'sealedToken' AS sealed FROM outbox
    WHERE kind = 'account.reset-requested'`
  await eventually(async () => (await mails()).length === 1)
  const [mail] = await mails()
  return createSealer({ current: encryptionKey }).open(String(mail?.sealed), {
    organizationId: String(mail?.organization_id),
    purpose: 'mail-token',
    recordId: String(mail?.aggregate_id),
  })
}

t.test(
  'every operation that sets a password refuses a common one and names the field',
  async (t) => {
    const { gateway, owner, setBy } = await stage(t, 'on')
    const { email } = owner.identity.user
    await setBy('POST /auth/register', { ...account(), password: common }, 'password')
    await setBy(
      'POST /auth/password',
      { currentPassword: password, newPassword: common },
      'newPassword',
    )
    await callApi(gateway, 'POST /auth/password/forgot', {}, { email })
    const token = await resetToken(gateway)
    await setBy('POST /auth/password/reset', { token, newPassword: common }, 'newPassword')
    const invited = newEmail()
    await callApi(gateway, 'POST /organization/invitations', asMember(owner), { email: invited })
    const invitation = { token: await tokenFor(gateway, invited), name: 'Invited' }
    await setBy('POST /auth/invitations/accept', { ...invitation, password: common }, 'password')

    const accepted = { ...invitation, password: 'a horse of a different colour' }
    t.equal((await callApi(gateway, 'POST /auth/invitations/accept', {}, accepted)).statusCode, 201)
    const reset = { token, newPassword: 'another horse entirely' }
    t.equal((await callApi(gateway, 'POST /auth/password/reset', {}, reset)).statusCode, 200)
  },
)

t.test('only the length is checked when the list is off', async (t) => {
  const { gateway } = await stage(t, 'off')
  const created = await callApi(
    gateway,
    'POST /auth/register',
    {},
    { ...account(), password: common },
  )
  t.equal(created.statusCode, 201, created.body)
})

t.test('passwords match listed ones as a whole and without case', async (t) => {
  for (const one of ['12345678', 'QwertyUiop', common])
    t.equal(await isCommonPassword(one), true, one)
  for (const one of ['password123 battery', '¹²³⁴⁵⁶⁷⁸'])
    t.equal(await isCommonPassword(one), false, one)
})
