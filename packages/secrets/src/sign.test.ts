import t from 'tap'
import {
  signatureHeaders,
  signBody,
  signStandard,
  verifySignature,
  verifyStandard,
} from './sign.ts'

const body = Buffer.from(
  '{"event":"incident.created","timestamp":"2026-01-02T03:04:05.000Z","incident":{"id":"inc_1","title":"API errors","status":"investigating","impact":"major","components":["API"]}}',
)
const secret = 's3cr3t'
const message = { id: 'msg_01', timestamp: 1_767_323_045, body }
const BODY_SIGNATURE = '2b42607db6e9798c53a908d61726491eb8d3dce9519a03b3ce1fc414f485067a'
const STANDARD_SIGNATURE = 'v1,DCa/SW5IcaidyFjEr9Q20Mj5RmhDYgcOdJxquB4jguU='

t.test('both signatures give the documented test vector', async (t) => {
  t.equal(body.length, 177)
  t.equal(signBody(secret, body), BODY_SIGNATURE)
  t.equal(signStandard(secret, message), STANDARD_SIGNATURE)
})

t.test('a whsec_ secret is decoded, as in the published Standard Webhooks vector', async (t) => {
  const published = signStandard('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: Buffer.from('{"test": 2432232314}'),
  })
  t.equal(published, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  t.not(signStandard('whsec_czNjcjN0', message), signStandard('czNjcjN0', message))
  t.equal(signStandard('whsec_czNjcjN0', message), STANDARD_SIGNATURE)
  t.not(signStandard('whsec_not base64!', message), signStandard('whsec_', message))
})

t.test('in a rotation the new secret signs first and the old one second', async (t) => {
  t.same(signatureHeaders({ current: secret, previous: null }, message), {
    'x-signature-256': BODY_SIGNATURE,
    'webhook-signature': STANDARD_SIGNATURE,
  })
  const rotating = signatureHeaders({ current: 'new', previous: secret }, message)
  t.equal(rotating['x-signature-256'], signBody('new', body))
  t.equal(rotating['webhook-signature'], `${signStandard('new', message)} ${STANDARD_SIGNATURE}`)
})

t.test('a body signature is accepted in its one spelling only', async (t) => {
  const verify = (header: string | undefined, prefix: '' | 'sha256=' = '') =>
    verifySignature({ secrets: ['other', secret], body, header, prefix })
  t.equal(verify(BODY_SIGNATURE), true)
  t.equal(verify(`sha256=${BODY_SIGNATURE}`, 'sha256='), true)
  const wrong = [
    undefined,
    '',
    `sha256=${BODY_SIGNATURE}`,
    BODY_SIGNATURE.toUpperCase(),
    BODY_SIGNATURE.slice(1),
    `${BODY_SIGNATURE}0`,
    `3${BODY_SIGNATURE.slice(1)}`,
    `${BODY_SIGNATURE}, ${BODY_SIGNATURE}`,
    `${BODY_SIGNATURE}\n`,
  ]
  for (const header of wrong) t.equal(verify(header), false, String(header))
  t.equal(verify(BODY_SIGNATURE, 'sha256='), false)
  t.equal(verify(`sha1=${BODY_SIGNATURE}`, 'sha256='), false)
  t.equal(verifySignature({ secrets: [], body, header: BODY_SIGNATURE, prefix: '' }), false)
  t.equal(
    verifySignature({
      secrets: [secret],
      body: Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1)),
      header: BODY_SIGNATURE,
      prefix: '',
    }),
    false,
    're-serialised body',
  )
})

t.test('a standard signature is bound to its id, its time and its bytes', async (t) => {
  const now = new Date(message.timestamp * 1000)
  const headers = {
    id: 'msg_01',
    timestamp: String(message.timestamp),
    signature: `v1,AAAA ${STANDARD_SIGNATURE}`,
  }
  const verify = (change: Partial<typeof headers> = {}, at = now) =>
    verifyStandard({ secrets: [secret], body, headers: { ...headers, ...change }, now: at })
  t.equal(verify(), true)
  t.equal(verify({ id: 'msg_02' }), false)
  t.equal(verify({ timestamp: String(message.timestamp + 1) }), false)
  t.equal(verify({ timestamp: `${message.timestamp}.0` }), false)
  t.equal(verify({ signature: STANDARD_SIGNATURE.replace('v1', 'v1a') }), false)
  t.equal(verify({ signature: `${'v1,AAAA '.repeat(9)}${STANDARD_SIGNATURE}` }), false)
  t.equal(verify({}, new Date(now.getTime() + 300_000)), true)
  t.equal(verify({}, new Date(now.getTime() + 301_000)), false)
  t.equal(verify({}, new Date(now.getTime() - 301_000)), false)
})
