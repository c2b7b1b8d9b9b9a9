/** Reasons for the workarounds of the driver. */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { systemActor } from '@status-page/contracts'
import { eventually, testDatabase } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import t from 'tap'
import { driverTransactionOf, socketWithoutDelay } from './driver.ts'
import { notes, notesSchema, writeNote } from './fixture/notes.ts'
import {
  connect,
  type Database,
  newId,
  preparedQuery,
  read,
  readDue,
  readOnly,
  readOnlyAtOnce,
  readOnlyPipelined,
  transact,
} from './index.ts'

const terminate = (database: Database, pid: number) =>
  database.batchSql`SELECT pg_terminate_backend(${pid})`

const down = { code: 'SERVICE_UNAVAILABLE' }

const actor = systemActor

t.test('a statement is built once and executed in the transaction of each Scope', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 2 })
  const organizations = [newId(), newId()]
  for (const organizationId of organizations) {
    for (const text of ['one', 'two', 'three']) {
      await transact(core, { organizationId, actor }, (scope) => writeNote(scope, text))
    }
  }
  let builds = 0
  const byText = preparedQuery((tx) => {
    builds++
    return tx
      .select()
      .from(notes)
      .where(sql`${notes.text} = ANY(${sql.placeholder('texts')}::text[])`)
  })
  const found = await Promise.all(
    Array.from({ length: 20 }, (_one, turn) =>
      read(core, organizations[turn % 2] ?? '', (scope) =>
        byText(scope, { texts: turn < 10 ? ['one', 'two'] : ['three'] }),
      ),
    ),
  )
  for (const [turn, rows] of found.entries()) {
    t.equal(rows.length, turn < 10 ? 2 : 1)
    t.ok(rows.every((row) => row.organizationId === organizations[turn % 2]))
    t.match(rows[0]?.createdAt, Date, 'columns are read as drizzle reads them')
  }
  t.equal(builds, 1)
})

t.test('statements of a lost transaction never reach the next one on its connection', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const { promise: goOn, resolve: release } = Promise.withResolvers<void>()
  const { promise: zombie, resolve: tell } = Promise.withResolvers<unknown>()
  const cut = read(core, newId(), async ({ tx }) => {
    const [row] = await tx.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
    await terminate(core, row?.pid ?? 0)
    await goOn
    tell(
      await tx.execute(sql`SELECT set_config('app.org', 'stolen', true)`).then(
        () => 'ran',
        () => 'refused',
      ),
    )
  })
  await t.rejects(cut, down)
  const organizationId = newId()
  await read(core, organizationId, async ({ tx }) => {
    release()
    t.equal(await zombie, 'refused')
    const [row] = await tx.execute<{ org: string }>(sql`SELECT current_setting('app.org') AS org`)
    t.equal(row?.org, organizationId)
  })
})

t.test('a dedicated connection reports its loss and rejects its statements', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const own = await core.dedicated()
  const [row] = await own<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
  const running = own`SELECT pg_sleep(30)`.catch(() => 'rejected')
  await terminate(core, row?.pid ?? 0)
  await own.lost
  t.equal(await running, 'rejected')
  await t.rejects(
    Promise.race([own`SELECT 1`, pause(1_000)]).then((value) => value ?? t.fail('hangs')),
    {
      code: 'CONNECTION_CLOSED',
    },
  )
})

t.test(
  'a connection lost while the driver still asks for types is no end of the process',
  async (t) => {
    const { url } = await testDatabase(t, notesSchema)
    const proxy = await cuttingProxy(t, new URL(url('core')))
    proxy.cutAt('pg_catalog.pg_type')
    const program = new URL('driver.test-program.ts', import.meta.url)
    const worker = new Worker(program, { workerData: proxy.url })
    t.teardown(() => worker.terminate())
    t.same(await once(worker, 'message'), [down.code])
    proxy.cutAt(null)
    worker.postMessage('connect')
    t.same(await once(worker, 'message'), [[{ one: 1 }]])
  },
)

t.test('arrays of ids and numbers arrive as they were sent', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const { batchSql } = await connect('core', { max: 1 })
  const ids = [newId(), null, newId()]
  const [row] = await batchSql`
    SELECT ${ids as string[]}::uuid[] AS ids, ${[-1, 0, 7]}::int[] AS integers,
      ${[0.5, 1764392043123]}::float8[] AS numbers, ${[]}::uuid[] AS none`
  t.same(row, { ids, integers: [-1, 0, 7], numbers: [0.5, 1764392043123], none: [] })
  for (const wrong of ['x', undefined, '"']) {
    await t.rejects(batchSql`SELECT ${[wrong as string]}::uuid[]`, 'an element that is no id')
  }
})

t.test('the types of arrays are queried once, and known to all later clients', async (t) => {
  const { url } = await testDatabase(t, notesSchema)
  const proxy = await cuttingProxy(t, new URL(url('core')))
  proxy.cutAt('pg_catalog.pg_type')
  const client = postgres(proxy.url, { max: 1 })
  t.teardown(() => client.end())
  const reserved = await client.reserve()
  const ids = [newId(), newId()]
  const [row] = await reserved`SELECT ${ids}::uuid[] AS ids, ${[1, 2]}::int[] AS numbers`
  t.same(row, { ids, numbers: [1, 2] })
  reserved.release()
  t.same([...(await client`SELECT ${['a', 'b']}::text[] AS texts`)], [{ texts: ['a', 'b'] }])
})

t.test('a peer that accepts and closes fails after the connect timeout', async (t) => {
  let accepted = 0
  const server = createServer((socket) => {
    accepted++
    socket.on('error', () => {})
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const client = postgres({ host: '127.0.0.1', port, connect_timeout: 2, max: 1 })
  t.teardown(() => client.end({ timeout: 0 }))
  const late = pause(30_000, 'still pending', { ref: false })
  const outcomes = await Promise.race([
    Promise.all([1, 2].map(() => client`SELECT 1`.catch(({ code }) => code))),
    late,
  ])
  t.same(outcomes, ['CONNECT_TIMEOUT', 'CONNECT_TIMEOUT'])
  t.ok(accepted >= 2 && accepted <= 20, `${accepted} connections`)
  const reserved = await Promise.race([client.reserve().catch(({ code }) => code), late])
  t.equal(reserved, 'CONNECT_TIMEOUT')
})

t.test('connections of a load peak are closed again and interrupt nothing', async (t) => {
  const { url } = await testDatabase(t, notesSchema)
  const core = await connect({ url: url('core'), service: 'core', spareSeconds: 0.2 })
  t.teardown(() => core.close())
  const ask = (n: number) =>
    read(core, newId(), async ({ tx }) => {
      await tx.execute(sql`SELECT pg_sleep(0.01)`)
      const [row] = await tx.execute<{ n: number }>(sql`SELECT ${n}::int AS n`)
      return row?.n
    })
  const numbers = Array.from({ length: 60 }, (_, n) => n)
  t.same(await Promise.all(numbers.map(ask)), numbers)
  // One connection of each pool stays open.
  await eventually(async () => {
    const [row] = await core.batchSql<{ open: number }[]>`SELECT count(*)::int AS open
      FROM pg_stat_activity WHERE application_name = 'status-page-core' AND datname = current_database()`
    return row !== undefined && row.open <= 2
  })
  t.same(await Promise.all(numbers.map(ask)), numbers)
})

t.test('connections send without delay', async (t) => {
  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const socket = socketWithoutDelay({ host: ['127.0.0.1'], port: [port], path: false })
  const { _handle: handle } = socket as unknown as { _handle: { setNoDelay(on: boolean): void } }
  const calls: boolean[] = []
  handle.setNoDelay = (on) => calls.push(on)
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.destroy()
  t.same(calls, [true])
})

t.test('the server prepares the statements of stores', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const prepared = await read(core, newId(), async ({ tx }) => {
    await tx.select().from(notes).where(sql`${notes.text} = ${'one'}`)
    return tx.execute<{ statement: string }>(
      sql`SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%notes%'`,
    )
  })
  t.equal(prepared.length, 1)
})

t.test('rows of a select without joins have decoded columns and expressions', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const organizationId = newId()
  await transact(core, { organizationId, actor }, (scope) => writeNote(scope, 'one'))
  const [row] = await read(core, organizationId, ({ tx }) =>
    tx
      .select({
        text: notes.text,
        author: notes.authorId,
        createdAt: notes.createdAt,
        upper: sql<string>`upper(${notes.text})`.as('upper'),
      })
      .from(notes),
  )
  t.match(row, { text: 'one', author: null, createdAt: Date, upper: 'ONE' })
})

t.test('LISTEN is repeated on the connection that listens', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const { confirm } = await core.listen('news', () => {})
  const readListening = () => core.batchSql<{ pid: number; startedAt: Date }[]>`
    SELECT pid, query_start AS "startedAt" FROM pg_stat_activity
    WHERE datname = current_database() AND query ILIKE 'listen%'`
  const [before] = await readListening()
  await confirm()
  const [after, ...others] = await readListening()
  t.equal(after?.pid, before?.pid)
  t.ok(Number(after?.startedAt) > Number(before?.startedAt))
  t.same(others, [])
})

t.test('the server prepares statements without parameters', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  t.same(await readDue(core, ['1 = 1', '1 = 2']), [true, false])
  const prepared = await core.batchSql`
    SELECT FROM pg_prepared_statements WHERE statement = 'SELECT 1 = 1, 1 = 2'`
  t.equal(prepared.length, 1)
})

t.test('a read has its result when the connection is lost during the commit', async (t) => {
  const { url } = await testDatabase(t, notesSchema)
  const proxy = await cuttingProxy(t, new URL(url('core')))
  const core = await connect({ url: proxy.url, service: 'core', max: 1 })
  t.teardown(() => core.close())
  const readOne = () =>
    readOnly(core, newId(), async ({ tx }) => {
      const [row] = await tx.execute<{ one: number }>(sql`SELECT 1 AS one`)
      return row?.one
    })
  proxy.cutAt('commit')
  t.equal(await readOne(), 1)
  proxy.cutAt(null)
  t.equal(await readOne(), 1, 'on another connection')
})

t.test('a pipelined read takes one round trip for each statement after the first', async (t) => {
  const { url } = await testDatabase(t, notesSchema)
  const proxy = await cuttingProxy(t, new URL(url('core')))
  const core = await connect({ url: proxy.url, service: 'core', max: 1 })
  t.teardown(() => core.close())
  const readTwice = () =>
    readOnlyPipelined(
      core,
      newId(),
      ({ tx }) => tx.execute(sql`SELECT ${1}::int AS one`),
      ({ tx }) => tx.execute(sql`SELECT ${2}::int AS two`),
    )
  // The first read prepares the statements.
  await readTwice()
  await readTwice()
  const before = proxy.messages()
  await readTwice()
  t.equal(proxy.messages() - before, 3, 'with the commit of the read before')
})

t.test('a read that sends its commit with its statements takes one round trip', async (t) => {
  const { url } = await testDatabase(t, notesSchema)
  const proxy = await cuttingProxy(t, new URL(url('core')))
  const core = await connect({ url: proxy.url, service: 'core', max: 1 })
  t.teardown(() => core.close())
  const readBoth = () =>
    readOnlyAtOnce(core, newId(), ({ tx }) =>
      Promise.all([
        tx.execute(sql`SELECT ${1}::int AS one`),
        tx.execute(sql`SELECT ${2}::int AS two`),
      ]),
    )
  // The first read prepares the statements; its commit follows their responses.
  await readBoth()
  await readBoth()
  const before = proxy.messages()
  t.match((await readBoth()).loaded, [[{ one: 1 }], [{ two: 2 }]])
  t.equal(proxy.messages() - before, 1)
})

t.test('a statement after the commit of its transaction is rejected', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const late = readOnlyAtOnce(core, newId(), async ({ tx }) => {
    await tx.execute(sql`SELECT 1`)
    await tx.execute(sql`SELECT set_config('app.leak', 'yes', false)`)
  })
  await t.rejects(late, { cause: { code: 'COMMIT_SENT' } })
  const [row] = await core.db.execute(sql`SELECT current_setting('app.leak', true) AS leak`)
  t.notOk(row?.leak)
  const failed = readOnlyAtOnce(core, newId(), async () => {
    throw new Error('before the commit')
  })
  await t.rejects(failed, { message: 'before the commit' })
  t.equal((await readOnlyAtOnce(core, newId(), async () => 'next')).loaded, 'next')
})

t.test('a statement with an outdated plan fails, and is planned again for the next', async (t) => {
  const { connect, adminUrl } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const admin = postgres(adminUrl, { max: 1 })
  t.teardown(() => admin.end())
  const organizationId = newId()
  await transact(core, { organizationId, actor }, (scope) => writeNote(scope, 'one'))
  const readTexts = async () => {
    const { loaded } = await readOnlyAtOnce(core, organizationId, ({ tx }) =>
      tx.execute<{ text: string }>(sql`SELECT * FROM notes WHERE text = ${'one'}`),
    )
    return loaded.map(({ text }) => text)
  }
  t.same(await readTexts(), ['one'])
  await admin`ALTER TABLE core.notes ADD COLUMN added text`
  await t.rejects(readTexts(), { cause: { code: '0A000' } })
  t.same(await readTexts(), ['one'])
})

t.test('a failed begin fails the transaction and frees its connection', async (t) => {
  const { url } = await testDatabase(t, notesSchema)
  const proxy = await cuttingProxy(t, new URL(url('core')))
  const core = await connect({ url: proxy.url, service: 'core', max: 1 })
  t.teardown(() => core.close())
  const organizationId = newId()
  const readTexts = () =>
    readOnlyPipelined(
      core,
      organizationId,
      ({ tx }) => tx.select().from(notes).where(sql`${notes.text} = ${'one'}`),
      async (_scope, rows) => rows.map(({ text }) => text),
    )
  const readAtOnce = () =>
    readOnlyAtOnce(core, organizationId, ({ tx }) =>
      tx.select().from(notes).where(sql`${notes.text} = ${'one'}`),
    )
  const write = () => transact(core, { organizationId, actor }, (scope) => writeNote(scope, 'one'))
  // Would remain on the connection outside of a transaction.
  const leak = () =>
    core.db.transaction((tx) => tx.execute(sql`SELECT set_config('app.leak', 'yes', false)`))

  for (const connection of ['fresh', 'prepared']) {
    proxy.replace('begin ', 'bogus ')
    await t.rejects(readTexts(), /bogus/, `pipelined read on a ${connection} connection`)
    await t.rejects(readAtOnce(), /bogus/, `read with its commit on a ${connection} connection`)
    await t.rejects(write(), /bogus/, `change on a ${connection} connection`)
    await t.rejects(leak(), /bogus/, `first statement of another transaction`)
    proxy.replace('begin ', 'begin ')
    t.same(await readTexts(), [], 'on the same connection')
    const [row] = await core.db.execute(sql`SELECT current_setting('app.leak', true) AS leak`)
    t.notOk(row?.leak)
  }
  await write()
  t.same(await readTexts(), ['one'])
})

t.test('a statement that cannot be sent fails alone and frees its connection', async (t) => {
  const { connect } = await testDatabase(t, notesSchema)
  const core = await connect('core', { max: 1 })
  const failed = read(core, newId(), async ({ tx }) => {
    const client = driverTransactionOf(tx)
    const ask = (value: unknown) => client.unsafe('SELECT $1::int AS value', [value as number])
    await ask(1)
    const [sent, refused] = await Promise.allSettled([ask(2), ask(undefined)])
    t.match(sent, { status: 'fulfilled', value: [{ value: 2 }] })
    t.match(refused, { status: 'rejected', reason: { code: 'UNDEFINED_VALUE' } })
  })
  await t.rejects(failed, { code: 'UNDEFINED_VALUE' })
  t.equal(await read(core, newId(), async () => 'next'), 'next')
})

/**
 * Proxy to Postgres that drops a connection on which the client sends the given text, or replaces a
 * text by another one of the same length.
 */
const cuttingProxy = async (t: { teardown(work: () => unknown): void }, target: URL) => {
  let word: string | null = null
  let replaced = { from: '', to: '' }
  let messages = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = createConnection(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    upstream.pipe(client)
    client.on('data', (chunk: Buffer) => {
      messages++
      if (replaced.from !== replaced.to && chunk.includes(replaced.from)) {
        chunk.write(replaced.to, chunk.indexOf(replaced.from))
      }
      if (word !== null && chunk.includes(word)) client.destroy()
      else upstream.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    /** Number of chunks that clients have sent. */
    messages: () => messages,
    replace: (from: string, to: string) => {
      replaced = { from, to }
    },
    cutAt: (next: string | null) => {
      word = next
    },
  }
}
