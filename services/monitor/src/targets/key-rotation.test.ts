/** After key rotation all stored secrets decrypt with the new key alone. */

import {
  componentCreated,
  draftEvent,
  type ProbeSettings,
  systemActor,
} from '@status-page/contracts'
import { newId, transact } from '@status-page/postgres'
import { createSealer, headerEncryptionContext, type Sealer } from '@status-page/secrets'
import { keyRotationJob } from '@status-page/service'
import t, { type Test } from 'tap'
import { adminOf, component, endpoint, logger, setup, testSealer } from '../monitor.fixture.ts'
import { sealedTargetHeaders } from './key-rotation.ts'

const FORMER_KEY = '0123456789abcdef0123456789abcdef'
const KEY = 'another key of exactly 32 bytes.'
const alone = createSealer({ current: KEY })
const rotating = createSealer({ current: KEY, previous: FORMER_KEY })

/** More than one batch. */
const MANY = 110

interface Row {
  organization_id: string
  component_id: string
  probe: ProbeSettings<'http'>
}

const componentEvent = (organizationId: string) => {
  const api = component()
  const seal = (name: string, value: string) => {
    const context = headerEncryptionContext({ organizationId, componentId: api.id }, name)
    return { name, value: null, sealedValue: testSealer.seal(value, context) }
  }
  const headers = [
    seal('Authorization', `Bearer ${api.id}`),
    { name: 'Accept', value: 'v1.plain', sealedValue: null },
    seal('X-Api-Key', 'k'),
  ]
  return { ...api, endpoint: endpoint('https://api.example.com', { headers }) }
}

/** Creates a monitor with targets whose headers are encrypted by the former key. */
const stage = async (t: Test) => {
  const { database, core, bus, publishComponent, adminUrl } = await setup(t)
  const admin = await adminOf(t, adminUrl)
  const make = async (organizationId: string, count = 1) => {
    const events = Array.from({ length: count }, () => componentEvent(organizationId))
    await transact(core, { organizationId, actor: systemActor }, async () => ({
      result: undefined,
      events: events.map((fact) =>
        draftEvent(componentCreated, { id: fact.id, version: 1 }, { component: fact }),
      ),
      audit: [],
    }))
    await bus.drain()
    return events[0] as (typeof events)[number]
  }
  const read = async () => [
    ...(await admin<Row[]>`SELECT * FROM monitor.targets ORDER BY component_id`),
  ]
  const rotateKey = (keys: Sealer) => {
    const sources = [sealedTargetHeaders({ database, sealer: keys })]
    return keyRotationJob({ sealer: keys, logger, sources }).run(new AbortController().signal)
  }
  return { database, admin, publishComponent, make, read, rotateKey }
}

const opened = (rows: readonly Row[], keys: Sealer) =>
  rows.map(({ organization_id: organizationId, component_id: componentId, probe, ...rest }) => ({
    ...rest,
    headers: probe.headers.map(({ name, value, sealedValue }) =>
      sealedValue === null
        ? { name, value }
        : {
            name,
            opened: keys.open(
              sealedValue,
              headerEncryptionContext({ organizationId, componentId }, name),
            ),
          },
    ),
  }))

t.test('every header is encrypted with the new key, and nothing else changes', async (t) => {
  const { make, read, rotateKey } = await stage(t)
  await make(newId())
  await make(newId(), MANY)
  const before = await read()
  t.equal(before.length, 1 + MANY)
  await rotateKey(rotating)
  const after = await read()
  t.same(opened(after, alone), opened(before, testSealer))
  await rotateKey(rotating)
  t.same(await read(), after, 'rotated values are not rewritten')
})

t.test('a header of a lost key stays unchanged and blocks no others', async (t) => {
  const { admin, make, read, rotateKey } = await stage(t)
  const organizationId = newId()
  const fact = await make(organizationId)
  await make(organizationId)
  const context = headerEncryptionContext({ organizationId, componentId: fact.id }, 'X-Api-Key')
  const lost = createSealer({ current: 'x'.repeat(32) }).seal('lost', context)
  await admin`UPDATE monitor.targets SET probe = jsonb_set(probe, '{headers,2,sealedValue}',
    to_jsonb(${lost}::text)) WHERE component_id = ${fact.id}`
  await rotateKey(rotating)
  const stale = (await read())
    .flatMap(({ probe }) => probe.headers.map(({ sealedValue }) => sealedValue ?? rotating.prefix))
    .filter((sealed) => !sealed.startsWith(rotating.prefix))
  t.same(stale, [lost])
})

t.test('key rotation never overwrites a newer event of core', async (t) => {
  const { database, make, publishComponent, read } = await stage(t)
  const organizationId = newId()
  const fact = await make(organizationId)
  const source = sealedTargetHeaders({ database, sealer: rotating })
  const [record] = await source.list(null, 1)
  const context = headerEncryptionContext({ organizationId, componentId: fact.id }, 'X-Api-Key')
  const newer = alone.seal('newer', context)
  const headers = [{ name: 'X-Api-Key', value: null, sealedValue: newer }]
  const said = { ...fact, endpoint: endpoint('https://api.example.com', { headers }) }
  await publishComponent(organizationId, 'updated', said, 2)
  for (const { sealed, context } of record?.texts ?? []) {
    const to = rotating.seal(rotating.open(sealed, context), context)
    await source.replace({ id: fact.id, from: sealed, to })
  }
  t.equal(record?.texts.length, 2)
  t.same((await read())[0]?.probe.headers, headers)
})
