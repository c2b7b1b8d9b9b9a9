/** An address whose owner withdrew stays so on every page of the organization, until the owner confirms again. */
import {
  subscriberOperations as on,
  subscriptionOperations as operations,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { exportColumns } from './csv/csv.ts'

const kit = await coreKit(t)

type One = ReturnType<typeof kit.as>

const upload = async ({ request }: One, file: string, fields: object = {}) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
  form.append('file', new File([file], 'list.csv', { type: 'text/csv' }))
  const packed = new Response(form)
  const headers = { 'content-type': packed.headers.get('content-type') ?? '' }
  return request(on.import, { headers, body: Buffer.from(await packed.arrayBuffer()) as never })
}

/** A file with all columns of an export: only such a file names pages. */
const exported = (cells: object) => {
  const row = new Map(Object.entries({ type: 'email', status: 'active', ...cells }))
  return `${exportColumns.join()}\n${exportColumns.map((name) => row.get(name) ?? '').join()}\n`
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

/** An organization with two published pages, and a subscription of the address on the first of them. */
const withPageAccess = async (address: string) => {
  const organization = kit.as()
  const page = async () => {
    const slug = `p-${newId().slice(-12)}`
    const body = { name: 'P', slug, isPublished: true }
    return (await organization.request(statusPageOperations.create, { body })).body.id as string
  }
  const [first, second] = [await page(), await page()]
  const body = { type: 'email', email: address, statusPageId: first }
  const { body: subscriber } = await organization.request(on.create, { body })
  const { events } = await kit.outbox(organization.organizationId)
  const context = { organizationId: organization.organizationId, recordId: subscriber.id }
  const sealed = events.at(-1)?.data.subscriber.manageToken
  const unsubscribe = async () => {
    const token = kit.sealer.open(sealed, { ...context, purpose: 'mail-token' })
    await kit.request(operations.unsubscribe, { params: { token } })
    await kit.outbox(organization.organizationId)
  }
  return { ...organization, organization, first, second, subscriber, unsubscribe }
}

type Published = Awaited<ReturnType<typeof kit.outbox>>['events'][number]

/** Follows the link of a confirmation request. */
const confirmRequested = (organizationId: string, request: Published | undefined) => {
  const { data, aggregate = '' } = request ?? {}
  const context = { organizationId, purpose: 'mail-token', recordId: aggregate } as const
  const token = kit.sealer.open(data.sealedToken, context)
  return kit.request(operations.confirm, { body: { token } })
}

const imports = [{}, { updateDuplicates: true }, { skipDuplicates: false }]

t.test('an address that unsubscribed on one page is imported on none', async (t) => {
  const { organization, second, unsubscribe } = await withPageAccess('gone@x.com')
  await unsubscribe()
  const files = [
    'type,email\nemail,gone@x.com\n',
    exported({ email: 'gone@x.com', statusPageId: second }),
  ]
  for (const file of files) {
    for (const fields of imports) {
      t.match((await upload(organization, file, fields)).body, report({ total: 1, skipped: 1 }))
    }
  }
  t.match(await list(organization), [{ status: 'unsubscribed' }])
})

t.test('an address that is active on one page is a duplicate for all pages', async (t) => {
  const { organization, first, second } = await withPageAccess('here@x.com')
  const file = 'type,email\nemail,here@x.com\n'
  t.match((await upload(organization, file)).body, report({ total: 1, skipped: 1 }))
  t.match((await upload(organization, file, { skipDuplicates: false })).body, {
    failed: 1,
    imported: 0,
  })
  const events = exported({ email: 'here@x.com', events: 'incident.created' })
  t.match((await upload(organization, events, { updateDuplicates: true })).body, { updated: 1 })
  t.match(await list(organization), [{ statusPageId: first, events: ['incident.created'] }])
  const elsewhere = exported({ email: 'here@x.com', statusPageId: second })
  t.match(
    (await upload(organization, elsewhere)).body,
    { imported: 1 },
    'a page of its own is different',
  )
})

t.test(
  'an address that unsubscribed on one page must confirm before another page adds it',
  async (t) => {
    const { organization, request, second, organizationId, unsubscribe } =
      await withPageAccess('asked@x.com')
    await unsubscribe()
    const body = { type: 'email', email: 'asked@x.com', statusPageId: second }
    t.match(await request(on.create, { body }), { status: 201, body: { status: 'unconfirmed' } })
    const { events } = await kit.outbox(organizationId)
    t.match(events, [
      { kind: 'subscriber.created', data: { subscriber: { status: 'unconfirmed' } } },
      { kind: 'subscriber.confirmation-requested', data: { purpose: 'confirm' } },
    ])
    t.match(await confirmRequested(organizationId, events.at(-1)), { body: { status: 'active' } })
    const statuses = (await list(organization)).map(({ status }: { status: string }) => status)
    t.same(statuses.sort(), ['active', 'unsubscribed'])
  },
)

t.test(
  'an address that unsubscribes gets no mail of subscriptions that others created for it',
  async (t) => {
    const { organization, request, second, unsubscribe } = await withPageAccess('leaves@x.com')
    const body = { type: 'email', email: 'leaves@x.com', statusPageId: second }
    t.equal((await request(on.create, { body })).status, 201)
    await request(on.create, { body: { ...body, email: 'stays@x.com' } })
    t.match(await list(organization), { length: 3 })
    await unsubscribe()
    const left = (await list(organization)).map((row: { email: string; status: string }) => [
      row.email,
      row.status,
    ])
    t.same(left.sort(), [
      ['leaves@x.com', 'unsubscribed'],
      ['leaves@x.com', 'unsubscribed'],
      ['stays@x.com', 'active'],
    ])
  },
)

const deletions: Record<
  string,
  (made: Awaited<ReturnType<typeof withPageAccess>>) => Promise<unknown>
> = {
  'its subscriber': ({ request, subscriber }) =>
    request(on.remove, { params: { id: subscriber.id } }),
  'its page': ({ request, first }) =>
    request(statusPageOperations.remove, { params: { id: first } }),
}

for (const [deleted, remove] of Object.entries(deletions)) {
  t.test(`an address that unsubscribed stays so after ${deleted} is deleted`, async (t) => {
    const email = `gone-${newId()}@x.com`
    const made = await withPageAccess(email)
    const { organization, request, second, organizationId } = made
    await made.unsubscribe()
    t.match(await remove(made), { status: 200 })
    const file = `type,email\nemail,${email}\nemail,new@x.com\n`
    t.match((await upload(organization, file)).body, report({ total: 2, skipped: 1, imported: 1 }))
    const body = { type: 'email', email, statusPageId: second }
    const added = await request(on.create, { body })
    t.match(added, { status: 201, body: { status: 'unconfirmed' } }, 'the owner is asked')
    await request(on.remove, { params: { id: added.body.id } })
    t.match(
      (await upload(organization, file)).body,
      { imported: 0, skipped: 2 },
      'and did not answer',
    )
    await request(on.create, { body })
    const { events } = await kit.outbox(organizationId)
    await confirmRequested(organizationId, events.at(-1))
    t.match(await list(organization), [{ status: 'active' }, { status: 'active' }])
    const [active] = (await list(organization)).filter(
      (row: { email: string }) => row.email === email,
    )
    await request(on.remove, { params: { id: active.id } })
    t.match(
      (await upload(organization, file)).body,
      { imported: 1, skipped: 1 },
      'the owner asked again',
    )
  })
}

t.test('the address of an active subscriber may be imported after it is deleted', async (t) => {
  const { organization, request, subscriber } = await withPageAccess('here@x.com')
  await request(on.remove, { params: { id: subscriber.id } })
  t.match((await upload(organization, 'type,email\nemail,here@x.com\n')).body, { imported: 1 })
})
