/**
 * Import of subscribers from a file: stored rows, reported rows, and a round trip through an
 * export.
 */
import {
  componentOperations,
  importOperations,
  subscriberOperations as on,
  subscriptionOperations as operations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { longestEventLoopBlock, testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)

type One = ReturnType<typeof kit.as>

const uploaded = async ({ request }: One, form: FormData) => {
  const packed = new Response(form)
  const headers = { 'content-type': packed.headers.get('content-type') ?? '' }
  return request(on.import, { headers, body: Buffer.from(await packed.arrayBuffer()) as never })
}

const upload = (one: One, file: string | Uint8Array<ArrayBuffer>, fields: object = {}) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
  form.append('file', new File([file], 'list.csv', { type: 'text/csv' }))
  return uploaded(one, form)
}

const list = async ({ request }: One) =>
  (await request(on.list, { query: { pageSize: 100 } })).body.data
const report = (more: object) => ({
  total: 0,
  imported: 0,
  updated: 0,
  skipped: 0,
  failed: 0,
  dryRun: false,
  errors: [],
  ...more,
})

t.test('valid rows are stored, invalid ones reported by line', async (t) => {
  const one = kit.as()
  const { body: component } = await one.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'A' },
  })
  await kit.outbox(one.organizationId)
  const lines = [
    '\ufefftype,email,phone,componentIds',
    `email,Ana@Example.com,,${component.id};${component.id}`,
    '',
    'sms,,+14155552671,',
    'sms,,0171,',
    'fax,a@x.com,,',
    'email,a@x.com',
    `email,"b@x.com",,${newId()}`,
    '"email","c@x.com","\r\nnote",',
    'email,not an address,,',
  ]
  const { status, body } = await upload(one, lines.join('\r\n'))
  t.equal(status, 200)
  t.match(body, report({ total: 8, imported: 3, failed: 5, errors: { length: 5 } }))
  t.match(body.errors, [
    { row: 5, field: 'phone', message: /must be a phone number/ },
    { row: 6, field: 'type', message: 'must be one of email, sms' },
    { row: 7, field: 'row', message: /2 values/ },
    { row: 8, field: 'componentIds' },
    { row: 11, field: 'email' },
  ])
  t.match(
    new Set((await list(one)).map(({ email, phone }: Record<string, string>) => email ?? phone)),
    new Set(['+14155552671', 'ana@example.com', 'c@x.com']),
  )
  const ana = (await list(one)).find(({ email }: { email: string }) => email === 'ana@example.com')
  t.match(ana, {
    status: 'active',
    source: 'import',
    componentIds: [component.id],
    events: { length: 6 },
  })
  const { events, audit } = await kit.outbox(one.organizationId)
  t.match(events, [{ kind: 'subscriber.imported', data: { subscribers: { length: 3 } } }])
  t.equal(events.length, 1)
  t.same(audit, ['subscriber.import'])
})

t.test('existing subscribers are skipped, updated or refused, as requested', async (t) => {
  const one = kit.as()
  const { body: component } = await one.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'A' },
  })
  await one.request(on.create, { body: { type: 'email', email: 'a@x.com' } })
  await kit.outbox(one.organizationId)
  const file = `type,email,componentIds\nemail,A@x.com,${component.id}\nemail,b@x.com,\nemail,b@x.com,${component.id}\n`
  const skipped = await upload(one, file, { dryRun: true })
  t.match(skipped.body, report({ total: 3, imported: 1, skipped: 2, dryRun: true }))
  t.same(await kit.outbox(one.organizationId), { events: [], audit: [] })
  const refused = await upload(one, file, { skipDuplicates: false, dryRun: true })
  t.match(refused.body, { imported: 1, failed: 2 })
  t.match(refused.body.errors, [{ row: 2, field: 'email' }, { row: 4 }])
  const updated = await upload(one, file, { updateDuplicates: true })
  t.match(updated.body, report({ total: 3, imported: 1, updated: 2 }))
  for (const subscriber of await list(one)) t.same(subscriber.componentIds, [component.id])
  const again = await upload(one, file, { updateDuplicates: true, skipDuplicates: false })
  t.match(again.body, { imported: 0, failed: 0 })
  const both = await upload(one, file, { updateDuplicates: true, skipDuplicates: true })
  t.equal(both.status, 400)
  t.equal((await upload(one, file, { dryRun: 'yes' })).body.error.details.field, 'dryRun')
})

t.test('an unsubscribed subscriber stays unsubscribed', async (t) => {
  const one = kit.as()
  const { body: subscriber } = await one.request(on.create, {
    body: { type: 'email', email: 'gone@x.com' },
  })
  const { events } = await kit.outbox(one.organizationId)
  const context = { organizationId: one.organizationId, recordId: subscriber.id }
  const sealed = events[0]?.data.subscriber.manageToken
  const token = kit.sealer.open(sealed, { ...context, purpose: 'mail-token' })
  await kit.request(operations.unsubscribe, { params: { token } })
  for (const fields of [{}, { updateDuplicates: true }, { skipDuplicates: false }]) {
    const { body } = await upload(one, 'type,email\nemail,gone@x.com\n', fields)
    t.match(body, report({ total: 1, skipped: 1 }))
  }
  t.match(await list(one), [{ status: 'unsubscribed' }])
})

t.test('a row of millions of commas is refused without blocking other requests', async (t) => {
  const one = kit.as()
  const file = `type,email\nemail,a@x.com${','.repeat(4_000_000)}\n`
  const { holdMs, result } = await longestEventLoopBlock(() => upload(one, file))
  t.equal(result.status, 400)
  t.match(result.body.error.details, { field: 'file', issues: [{ message: /line 2/ }] })
  t.ok(holdMs < 100, `${holdMs} ms of processor time without yielding`)
})

t.test(
  'a Statuspage export with millions of commas is refused without blocking other requests',
  async (t) => {
    const one = kit.as()
    const csv = `email\na@x.com${','.repeat(4_900_000)}\n`
    const { holdMs, result } = await longestEventLoopBlock(() =>
      one.request(importOperations.statuspage, { body: { subscribers_csv: csv } }),
    )
    t.equal(result.status, 400)
    t.match(result.body.error, { message: /more than 256 values at line 2/ })
    t.ok(holdMs < 200, `${holdMs} ms of processor time without yielding`)
  },
)

t.test('an empty entry among the components of a row is a problem of the row', async (t) => {
  const one = kit.as()
  const { body: component } = await one.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'A' },
  })
  const cells = [`;${component.id}`, `${component.id};`, `${component.id};;${component.id}`, ';']
  const rows = cells.map((cell, index) => `email,a${index}@x.com,${cell}\n`)
  const { body } = await upload(one, `type,email,componentIds\n${rows.join('')}`)
  t.match(body, { imported: 0, failed: 4 })
  t.match(body.errors, [
    { row: 2, field: 'componentIds', message: 'must not have an empty entry' },
    { row: 3, field: 'componentIds' },
    { row: 4, field: 'componentIds' },
    { row: 5, field: 'componentIds' },
  ])
})

t.test('an unreadable file is refused whole', async (t) => {
  const one = kit.as()
  const cases: [string | Uint8Array<ArrayBuffer>, RegExp][] = [
    ['', /empty/],
    ['email\na@x.com', /must contain type/],
    ['type,name\nemail,a', /can only contain/],
    ['type,type\nemail,a', /duplicate column/],
    ['Type,email\nemail,a', /can only contain/],
    ['type;email\nemail;a', /can only contain/],
    ['type,email\nemail,"a@x.com\nemail,b@x.com', /quotes at line/],
    [Uint8Array.from([0x74, 0x79, 0x70, 0x65, 0x0a, 0xff, 0xfe]), /UTF-8/],
    [`type,email\nemail,${'x'.repeat(11_000)}`, /line 2 has more than 10 KiB/],
    [`type\n${'sms\n'.repeat(10_001)}`, /10000 rows/],
    [`type,email\nemail,a@x.com${','.repeat(70)}`, /line 2 has more than 64 values/],
  ]
  for (const [file, message] of cases) {
    const { status, body } = await upload(one, file)
    t.equal(status, 400, String(message))
    t.equal(body.error.details.field, 'file')
    t.match(body.error.message, message)
  }
  t.equal((await upload(one, 'x'.repeat(5 * 1024 * 1024 + 1))).status, 413)
  t.same(await list(one), [])
})

t.test('the form has one file, named file', async (t) => {
  const one = kit.as()
  const form = (...names: string[]) => {
    const created = new FormData()
    for (const name of names) created.append(name, new File(['type\n'], 'x.csv'))
    return created
  }
  t.equal((await uploaded(one, form())).status, 400)
  t.equal((await uploaded(one, form('other'))).status, 400)
  t.equal((await uploaded(one, form('file', 'file'))).status, 400)
  const repeated = form('file')
  repeated.append('dryRun', 'true')
  repeated.append('dryRun', 'false')
  t.equal((await uploaded(one, repeated)).body.error.details.field, 'dryRun')
  t.equal(
    (await one.request(on.import, { headers: { 'content-type': 'text/csv' }, body: 'x' })).status,
    415,
  )
  const viewer = kit.as(testCaller({ permissions: ['subscribers:read'] }))
  t.equal((await upload(viewer, 'type\n')).status, 403)
})

t.test('an export can be imported again, and no cell is a formula', async (t) => {
  const [one, other] = [kit.as(), kit.as()]
  const { body: component } = await one.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'A' },
  })
  const scope = { componentIds: [component.id], events: ['incident.created'] }
  await one.request(on.create, { body: { type: 'email', email: '-minus@x.com', ...scope } })
  kit.clock.advance(1)
  await one.request(on.create, { body: { type: 'sms', phone: '+14155552671' } })
  kit.clock.advance(1)
  const hook = { type: 'webhook', webhookUrl: 'https://93.184.215.14/hook' }
  await one.request(on.create, { body: hook })
  const out = await one.request(on.list, { query: { format: 'csv', pageSize: 1 } as never })
  t.match(out.headers, {
    'content-type': /^text\/csv/,
    'content-disposition': /attachment; filename="subscribers.csv"/,
  })
  const [, mail, sms, webhook, ...rest] = String(out.body).trimEnd().split('\r\n')
  t.match(mail, /^email,'-minus@x\.com,,/)
  t.match(sms, /^sms,,'\+14155552671,/)
  t.match(webhook, /^webhook,/)
  t.same(rest, [])
  t.match((await upload(one, String(out.body))).body, { imported: 0, skipped: 2, failed: 1 })
  const foreign = await upload(other, String(out.body))
  t.match(foreign.body, { imported: 1, failed: 2 })
  t.match(await list(other), [{ phone: '+14155552671' }])
  for (const { id } of await list(one)) await one.request(on.remove, { params: { id } })
  const again = await upload(one, String(out.body))
  t.match(again.body, { imported: 2, failed: 1, errors: [{ row: 4, field: 'type' }] })
  const back = (await list(one)).find(({ type }: { type: string }) => type === 'email')
  t.match(back, { email: '-minus@x.com', ...scope, status: 'active' })
})

t.test(
  'an export applies the filters, and its inactive ones are not imported as active',
  async (t) => {
    const one = kit.as()
    const slug = `p-${newId().slice(-12)}`
    const { body: page } = await one.request(statusPageOperations.create, {
      body: { name: 'P', slug, isPublished: true },
    })
    await one.request(on.create, {
      body: { type: 'email', email: 'a@x.com', statusPageId: page.id },
    })
    const signUp = { params: { slug }, body: { type: 'email', email: `${newId()}@x.com` } }
    await kit.request(operations.subscribe, signUp)
    const lines = async (query: object) => {
      const { body } = await one.request(on.list, { query: { format: 'csv', ...query } as never })
      return String(body).trimEnd().split('\r\n')
    }
    t.equal((await lines({ status: 'active' })).length, 2)
    t.equal((await lines({ search: 'nobody' })).length, 1)
    const all = await lines({})
    t.equal(all.length, 3)
    for (const { id } of await list(one)) await one.request(on.remove, { params: { id } })
    const { body } = await upload(one, all.join('\n'))
    t.match(body, { imported: 1, skipped: 1, failed: 0 })
    t.match(await list(one), [{ statusPageId: page.id }])
  },
)
