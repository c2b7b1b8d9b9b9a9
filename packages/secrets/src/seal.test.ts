import t from 'tap'
import { createSealer, type SealContext, SealError } from './seal.ts'

const KEY = 'k'.repeat(32)
const OTHER_KEY = 'o'.repeat(32)
const context: SealContext = { organizationId: 'org-a', purpose: 'webhook', recordId: 'rec-1' }

const faultOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return error instanceof SealError ? error.fault : `not a SealError: ${error}`
  }
  return 'opened'
}

/** Record with one byte of its binary part changed by `change`. */
const altered = (sealed: string, change: (bytes: Buffer) => Buffer): string => {
  const [version, keyId, text] = sealed.split('.') as [string, string, string]
  return [version, keyId, change(Buffer.from(text, 'base64url')).toString('base64url')].join('.')
}

t.test('a sealed text opens for its own record and differs each time', async (t) => {
  const box = createSealer({ current: KEY })
  for (const plain of ['', 's3cr3t', 'Zugang übers Netz 🔑', 'x'.repeat(64 * 1024)]) {
    const sealed = box.seal(plain, context)
    t.match(sealed, /^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/)
    t.equal(box.open(sealed, context), plain)
    t.not(box.seal(plain, context), sealed)
  }
})

t.test('a record moved to another organization, purpose or row does not open', async (t) => {
  const box = createSealer({ current: KEY })
  const sealed = box.seal('s3cr3t', context)
  const others: Partial<SealContext>[] = [
    { organizationId: 'org-b' },
    { purpose: 'channel' },
    { recordId: 'rec-2' },
    { organizationId: 'org-a","webhook', recordId: '' },
  ]
  for (const other of others) {
    t.equal(
      faultOf(() => box.open(sealed, { ...context, ...other })),
      'not_authentic',
    )
  }
})

t.test('no flipped bit and no cut tag opens', async (t) => {
  const box = createSealer({ current: KEY })
  const sealed = box.seal('s3cr3t', context)
  const length = Buffer.from(sealed.split('.')[2] as string, 'base64url').length
  for (let at = 0; at < length; at += 1) {
    const flipped = altered(sealed, (bytes) => {
      bytes[at] = (bytes[at] as number) ^ 1
      return bytes
    })
    t.equal(
      faultOf(() => box.open(flipped, context)),
      'not_authentic',
      `byte ${at}`,
    )
  }
  const empty = box.seal('', context)
  for (const kept of [4, 8, 12, 15]) {
    const cut = altered(empty, (bytes) => bytes.subarray(0, 12 + kept))
    t.equal(
      faultOf(() => box.open(cut, context)),
      'malformed',
      `tag of ${kept} bytes`,
    )
  }
})

t.test('a malformed record is rejected', async (t) => {
  const box = createSealer({ current: KEY })
  const sealed = box.seal('s3cr3t', context)
  const [version, keyId, text] = sealed.split('.') as [string, string, string]
  const spellings = [
    '',
    's3cr3t',
    `v2.${keyId}.${text}`,
    `${sealed}=`,
    `${sealed}\n`,
    `${version}.${text}`,
  ]
  for (const spelling of spellings) {
    t.equal(
      faultOf(() => box.open(spelling, context)),
      'malformed',
      JSON.stringify(spelling),
    )
  }
})

t.test('the previous key opens what it sealed until it is dropped', async (t) => {
  const old = createSealer({ current: OTHER_KEY }).seal('s3cr3t', context)
  const rotating = createSealer({ current: KEY, previous: OTHER_KEY })
  t.equal(rotating.open(old, context), 's3cr3t')
  t.equal(rotating.isStale(old), true)
  t.equal(rotating.isStale(rotating.seal('s3cr3t', context)), false)
  t.equal(
    faultOf(() => createSealer({ current: KEY }).open(old, context)),
    'unknown_key',
  )
  t.equal(
    createSealer({ current: KEY, previous: null }).open(rotating.seal('x', context), context),
    'x',
  )
})

t.test('a key that is not exactly 32 bytes is rejected', async (t) => {
  for (const key of ['', 'k'.repeat(31), 'k'.repeat(33), 'ü'.repeat(32)]) {
    t.throws(() => createSealer({ current: key }), /ENCRYPTION_KEY must be exactly 32 bytes/)
    if (key !== '') t.throws(() => createSealer({ current: KEY, previous: key }), /PREVIOUS/)
  }
  t.doesNotThrow(() => createSealer({ current: 'ü'.repeat(16) }))
})
