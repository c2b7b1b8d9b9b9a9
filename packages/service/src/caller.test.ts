/**
 * Authentication by caller token and authorization by the guard; a rejected call runs no handler.
 */
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { authorizeCall } from './authorize-call.ts'
import { anonymousCaller, type Caller } from './call.ts'
import { callerSigner, callerVerifier } from './caller.ts'
import {
  gatewayKeys,
  keyCaller,
  publicKeys,
  signCaller,
  THING_ID,
  testApp,
  thingOperations,
  writerCaller,
  writerHeaders,
} from './contract.test-kit.ts'

const session = (...rights: string[]): Caller => ({
  ...writerCaller,
  actor: { type: 'user', userId: THING_ID, apiKeyId: null },
  grants: { kind: 'session', rights },
})

t.test('a token that is signed for this audience identifies the caller', async (t) => {
  const verifier = callerVerifier({ audience: 'core', publicKeys })
  t.same(verifier.verify(signCaller(writerCaller))?.caller, writerCaller)
  t.equal(verifier.verify(signCaller(writerCaller))?.issuer, 'gateway')
})

t.test('keys are read from the base64 of the settings', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const token = callerSigner({ issuer: 'gateway', privateKey: pkcs8 }).sign(writerCaller, 'core')
  const verifier = callerVerifier({ audience: 'core', publicKeys: { gateway: spki } })
  t.same(verifier.verify(token)?.caller, writerCaller)
})

t.test('during a rotation the tokens of the old and the new key are valid', async (t) => {
  const [old, current, other] = [1, 2, 3].map(() => generateKeyPairSync('ed25519'))
  const signedBy = (pair: typeof old) =>
    callerSigner({ issuer: 'core', privateKey: pair?.privateKey ?? '' }).sign(writerCaller, 'core')
  const keys = [old, current].map((pair) =>
    String(pair?.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')),
  )
  const verifier = callerVerifier({ audience: 'core', publicKeys: { core: keys } })
  t.ok(verifier.verify(signedBy(old)))
  t.ok(verifier.verify(signedBy(current)))
  t.equal(verifier.verify(signedBy(other)), null)
})

t.test('a token is reused for 45 seconds and expires after 60', async (t) => {
  let time = 1_000_000
  const now = () => time
  const signer = callerSigner({ issuer: 'gateway', privateKey: gatewayKeys.privateKey, now })
  const verifier = callerVerifier({ audience: 'core', publicKeys, now })
  const token = signer.sign(writerCaller, 'core')
  time += 44_999
  t.equal(signer.sign(writerCaller, 'core'), token)
  t.ok(verifier.verify(token))
  time += 1
  t.not(signer.sign(writerCaller, 'core'), token)
  time += 14_999
  t.ok(verifier.verify(token))
  time += 1
  t.equal(verifier.verify(token), null, 'even one that was verified before')
})

t.test('other grants, organization or audience make another token', async (t) => {
  const signer = callerSigner({ issuer: 'gateway', privateKey: gatewayKeys.privateKey })
  const tokens = [
    signer.sign(writerCaller, 'core'),
    signer.sign(writerCaller, 'monitor'),
    signer.sign(keyCaller('components:read'), 'core'),
    signer.sign({ ...writerCaller, organizationId: THING_ID }, 'core'),
    signer.sign(anonymousCaller, 'core'),
  ]
  t.equal(new Set(tokens).size, tokens.length)
})

t.test('only a valid token reaches a handler', async (t) => {
  const { app, seen } = testApp(t)
  const [payload = '', signature = ''] = signCaller(keyCaller('components:read')).split('.')
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
    ['expired', expired.sign(writerCaller, 'core')],
    ['another audience', genuine.sign(writerCaller, 'monitor')],
    ['a foreign key', forged.sign(writerCaller, 'core')],
    ['an issuer that may not call', signCaller(writerCaller, 'config-sync')],
    [
      'an issuer without a key',
      callerSigner({ issuer: 'monitor', privateKey: stranger }).sign(writerCaller, 'core'),
    ],
    ['too long', 'x'.repeat(9000)],
  ]
  for (const [name, token] of cases) {
    const headers = token === undefined ? {} : { 'x-caller': token }
    for (const url of ['/api/v1/things/form', `/api/v1/things/${THING_ID}/touch`]) {
      const response = await app.inject({ method: 'POST', url, headers })
      t.equal(response.statusCode, 401, `${name} ${url}`)
      t.equal(response.headers['www-authenticate'], 'Bearer', name)
      t.equal(response.json().error.code, 'UNAUTHORIZED', name)
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
      headers: { 'x-caller': signCaller(writerCaller, issuer) },
    })
  t.equal((await ask('config-sync')).statusCode, 200)
  t.equal((await ask('gateway')).statusCode, 401)
})

t.test('the guard requires exactly the permission of the operation', async (t) => {
  const { list, create, touch, session: sessionOnly, foreign, page } = thingOperations
  const allowed: [string, Parameters<typeof authorizeCall>[0], Caller][] = [
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
    t.doesNotThrow(() => authorizeCall(operation, caller), name)
  }
  const refused: [string, Parameters<typeof authorizeCall>[0], Caller, number][] = [
    ['anonymous', list, anonymousCaller, 401],
    ['anonymous for a session', sessionOnly, anonymousCaller, 401],
    ['anonymous for a caller', foreign, anonymousCaller, 401],
    ['read does not cover write', create, keyCaller('components:read'), 403],
    ['another resource', list, keyCaller('incidents:write'), 403],
    ['create is not update', touch, session('COMPONENTS_CREATE'), 403],
    ['a key at a session', sessionOnly, keyCaller('components:write'), 403],
  ]
  for (const [name, operation, caller, status] of refused) {
    t.throws(() => authorizeCall(operation, caller), { status } as never, name)
  }
})

t.test('a rejection names the permission and the right before the body is read', async (t) => {
  const { app } = testApp(t)
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/things',
    headers: { 'x-caller': signCaller(keyCaller('components:read')), 'content-type': 'text/plain' },
    payload: '{',
  })
  t.equal(response.statusCode, 403)
  t.same(response.json().error, {
    code: 'FORBIDDEN',
    message: 'Missing permission: components:write',
    details: { permission: 'components:write', rolePermission: 'COMPONENTS_CREATE' },
  })
  const session = await app.inject({
    method: 'POST',
    url: '/api/v1/session',
    headers: writerHeaders,
  })
  t.equal(session.json().error.details.reason, 'session_required')
})
