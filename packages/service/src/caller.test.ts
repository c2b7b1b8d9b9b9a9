/**
 * Authentication by caller token and authorization by the guard; a rejected call runs no handler.
 */
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { anonymousCaller, type Caller } from './call.ts'
import { callerSigner, callerVerifier } from './caller.ts'
import {
  asWriter,
  gatewayKeys,
  keyCaller,
  publicKeys,
  sign,
  THING_ID,
  testApp,
  thingOperations,
  writer,
} from './contract.test-kit.ts'
import { guard } from './guard.ts'

const session = (...rights: string[]): Caller => ({
  ...writer,
  actor: { type: 'user', userId: THING_ID, apiKeyId: null },
  grants: { kind: 'session', rights },
})

t.test('a token that is signed for this audience identifies the caller', async (t) => {
  const verifier = callerVerifier({ audience: 'core', publicKeys })
  t.same(verifier.verify(sign(writer))?.caller, writer)
  t.equal(verifier.verify(sign(writer))?.issuer, 'gateway')
})

t.test('keys are read from the base64 of the settings', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const token = callerSigner({ issuer: 'gateway', privateKey: pkcs8 }).sign(writer, 'core')
  const verifier = callerVerifier({ audience: 'core', publicKeys: { gateway: spki } })
  t.same(verifier.verify(token)?.caller, writer)
})

t.test('a token is reused for 45 seconds and expires after 60', async (t) => {
  let time = 1_000_000
  const now = () => time
  const signer = callerSigner({ issuer: 'gateway', privateKey: gatewayKeys.privateKey, now })
  const verifier = callerVerifier({ audience: 'core', publicKeys, now })
  const token = signer.sign(writer, 'core')
  time += 44_999
  t.equal(signer.sign(writer, 'core'), token)
  t.ok(verifier.verify(token))
  time += 1
  t.not(signer.sign(writer, 'core'), token)
  time += 14_999
  t.ok(verifier.verify(token))
  time += 1
  t.equal(verifier.verify(token), null, 'even one that was verified before')
})

t.test('other grants, organization or audience make another token', async (t) => {
  const signer = callerSigner({ issuer: 'gateway', privateKey: gatewayKeys.privateKey })
  const tokens = [
    signer.sign(writer, 'core'),
    signer.sign(writer, 'monitor'),
    signer.sign(keyCaller('components:read'), 'core'),
    signer.sign({ ...writer, organizationId: THING_ID }, 'core'),
    signer.sign(anonymousCaller, 'core'),
  ]
  t.equal(new Set(tokens).size, tokens.length)
})

t.test('only a valid token reaches a handler', async (t) => {
  const { app, seen } = testApp(t)
  const [payload = '', signature = ''] = sign(keyCaller('components:read')).split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  claims.caller.grants.permissions.push('components:write')
  const widened = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const stranger = generateKeyPairSync('ed25519').privateKey
  const expired = callerSigner({
    issuer: 'gateway',
    privateKey: gatewayKeys.privateKey,
    now: () => Date.now() - 60_000,
  })
  const forged = callerSigner({ issuer: 'gateway', privateKey: stranger })
  const genuine = callerSigner({ issuer: 'gateway', privateKey: gatewayKeys.privateKey })
  const cases: [string, string | undefined][] = [
    ['no token', undefined],
    ['nonsense', 'x'],
    ['no signature', payload],
    ['an empty signature', `${payload}.`],
    ['three parts', `${payload}.${signature}.${signature}`],
    ['widened grants', `${widened}.${signature}`],
    ['expired', expired.sign(writer, 'core')],
    ['another audience', genuine.sign(writer, 'monitor')],
    ['a foreign key', forged.sign(writer, 'core')],
    ['an issuer that may not call', sign(writer, 'config-sync')],
    [
      'an issuer without a key',
      callerSigner({ issuer: 'monitor', privateKey: stranger }).sign(writer, 'core'),
    ],
    ['too long', 'x'.repeat(9000)],
  ]
  for (const [name, token] of cases) {
    const headers = token === undefined ? {} : { 'x-caller': token }
    for (const url of ['/api/v1/things/form', `/api/v1/things/${THING_ID}/touch`]) {
      const answer = await app.inject({ method: 'POST', url, headers })
      t.equal(answer.statusCode, 401, `${name} ${url}`)
      t.equal(answer.headers['www-authenticate'], 'Bearer', name)
      t.equal(answer.json().error.code, 'UNAUTHORIZED', name)
    }
  }
  t.equal(seen.calls.length, 0)
})

t.test('an operation responds only to the services that it lists', async (t) => {
  const { app } = testApp(t)
  const ask = (issuer: 'gateway' | 'config-sync') =>
    app.inject({
      method: 'POST',
      url: '/internal/things',
      headers: { 'x-caller': sign(writer, issuer) },
    })
  t.equal((await ask('config-sync')).statusCode, 200)
  t.equal((await ask('gateway')).statusCode, 401)
})

t.test('the guard requires exactly the permission of the operation', async (t) => {
  const { list, create, touch, session: sessionOnly, foreign, page } = thingOperations
  const allowed: [string, Parameters<typeof guard>[0], Caller][] = [
    ['read', list, keyCaller('components:read')],
    ['write covers read', list, keyCaller('components:write')],
    ['write', create, keyCaller('components:write')],
    ['right', create, session('COMPONENTS_CREATE')],
    ['action of the operation', touch, session('COMPONENTS_UPDATE')],
    ['any right implies view', list, session('COMPONENTS_DELETE')],
    ['session', sessionOnly, session()],
    ['caller', foreign, keyCaller()],
    ['public', page, anonymousCaller],
  ]
  for (const [name, operation, caller] of allowed) {
    t.doesNotThrow(() => guard(operation, caller), name)
  }
  const refused: [string, Parameters<typeof guard>[0], Caller, number][] = [
    ['anonymous', list, anonymousCaller, 401],
    ['anonymous for a session', sessionOnly, anonymousCaller, 401],
    ['anonymous for a caller', foreign, anonymousCaller, 401],
    ['read does not cover write', create, keyCaller('components:read'), 403],
    ['another resource', list, keyCaller('incidents:write'), 403],
    ['create is not update', touch, session('COMPONENTS_CREATE'), 403],
    ['a key at a session', sessionOnly, keyCaller('components:write'), 403],
  ]
  for (const [name, operation, caller, status] of refused) {
    t.throws(() => guard(operation, caller), { status } as never, name)
  }
})

t.test('a rejection names the permission and the right before the body is read', async (t) => {
  const { app } = testApp(t)
  const answer = await app.inject({
    method: 'POST',
    url: '/api/v1/things',
    headers: { 'x-caller': sign(keyCaller('components:read')), 'content-type': 'text/plain' },
    payload: '{',
  })
  t.equal(answer.statusCode, 403)
  t.same(answer.json().error, {
    code: 'FORBIDDEN',
    message: 'Missing permission: components:write',
    details: { permission: 'components:write', rolePermission: 'COMPONENTS_CREATE' },
  })
  const session = await app.inject({ method: 'POST', url: '/api/v1/session', headers: asWriter })
  t.equal(session.json().error.details.reason, 'session_required')
})
