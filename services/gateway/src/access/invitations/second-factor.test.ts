/**
 * Former members with a second factor: the acceptance of an invitation requires a code before it
 * sets a password.
 */
import t from 'tap'
import { asMember, registerMember } from '../../gateway.fixture.ts'
import { codeAt, enrol, stage, wrongFor } from '../../identity/two-factor/two-factor.fixture.ts'
import { addMember, callApi, type Gateway, tokenFor } from '../../organization.fixture.ts'

const accept = (gateway: Pick<Gateway, 'http'>, body: object) =>
  callApi(gateway, 'POST /auth/invitations/accept', {}, body)

t.test('an invitation to an account with a second factor requires its code', async (t) => {
  const { gateway: app, clock, database } = await stage(t)
  const gateway = { ...app, database }
  const owner = await registerMember(gateway)
  const membershipCreated = await addMember(gateway, owner, 'VIEWER')
  const { secret, member } = await enrol(app, clock, membershipCreated)
  const { id, email } = member.identity.user
  await callApi(gateway, `DELETE /organization/members/${id}`, asMember(owner))
  await callApi(gateway, 'POST /organization/invitations', asMember(owner), { email })
  const token = await tokenFor(gateway, email)
  const body = { token, name: 'Eve', password: 'a new password' }
  const missing = await accept(gateway, body)
  t.equal(missing.statusCode, 401)
  t.equal(missing.json().error.code, 'TWO_FACTOR_REQUIRED')
  t.notOk(missing.headers['set-cookie'])
  const right = codeAt(secret, clock)
  const wrong = await accept(gateway, { ...body, code: wrongFor(right) })
  t.equal(wrong.statusCode, 400)
  t.equal(wrong.json().error.details.field, 'code')
  const back = await accept(gateway, { ...body, code: right })
  t.equal(back.statusCode, 201, back.body)
  t.match(back.json().user, { id, twoFactorEnabled: true })
})

t.test('wrong codes of an invitation count towards the limit of the account', async (t) => {
  const { gateway: app, clock, database } = await stage(t)
  const gateway = { ...app, database }
  const owner = await registerMember(gateway)
  const { secret, member } = await enrol(app, clock, await addMember(gateway, owner, 'VIEWER'))
  const { id, email } = member.identity.user
  await callApi(gateway, `DELETE /organization/members/${id}`, asMember(owner))
  await callApi(gateway, 'POST /organization/invitations', asMember(owner), { email })
  const token = await tokenFor(gateway, email)
  const body = { token, name: 'Eve', password: 'a new password' }
  const code = wrongFor(codeAt(secret, clock))
  for (let guess = 0; guess < 5; guess++) {
    t.equal((await accept(gateway, { ...body, code })).statusCode, 400)
  }
  const locked = await accept(gateway, { ...body, code: codeAt(secret, clock) })
  t.equal(locked.statusCode, 429, locked.body)
})
