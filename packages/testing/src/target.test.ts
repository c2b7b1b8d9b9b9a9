import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { operation, Success, successReply } from '@status-page/contracts'
import { createRoutes, serve } from '@status-page/service'
import t from 'tap'
import { testCaller, testKeys } from './caller.ts'
import { testDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { inject } from './inject.ts'
import { smtpSink } from './smtp.ts'
import { httpTarget } from './target.ts'

t.test('an HTTP target answers by its script and keeps what it was sent', async (t) => {
  const target = await httpTarget(t, [{ status: 500 }, { body: 'ok' }])
  const post = () => fetch(`${target.url}/hook?a=1`, { method: 'POST', body: 'news' })
  t.equal((await post()).status, 500)
  t.equal(await (await post()).text(), 'ok')
  t.equal((await post()).status, 200, 'the last answer is repeated')
  target.respond(() => ({ status: 410 }))
  t.equal((await post()).status, 410)
  t.match(target.requests[0], { method: 'POST', url: '/hook?a=1', body: 'news' })
})

t.test('an SMTP sink keeps mails and refuses by script', async (t) => {
  const sink = await smtpSink(t, {
    replies: { rcpt: (to) => (to.startsWith('gone@') ? '550 5.1.1 No such user' : null) },
  })
  const talk = (recipient: string) => {
    const socket = createConnection(sink.port, '127.0.0.1')
    const lines = ['EHLO me', 'MAIL FROM:<a@x.test>', `RCPT TO:<${recipient}>`, 'DATA']
    const mail = ['Subject: one', ' two', '', 'body', '.', 'QUIT']
    let sent = 0
    socket.on('data', (data) => {
      const code = data.toString().slice(0, 3)
      if (socket.writableEnded) return
      if (code === '354') socket.write(`${mail.join('\r\n')}\r\n`)
      else if (sent < lines.length && code < '400') socket.write(`${lines[sent++]}\r\n`)
      else if (code >= '400') socket.end('QUIT\r\n')
    })
    return text(socket)
  }
  await talk('b@x.test')
  await eventually(() => sink.mails.length === 1)
  t.match(sink.mails[0], { from: 'a@x.test', to: ['b@x.test'], headers: { subject: 'one two' } })
  t.match(await talk('gone@x.test'), /550 5\.1\.1 No such user/)
})

t.test('an injected operation reaches its handler as its caller', async (t) => {
  const { database } = await testDatabase(t, { services: ['core'] })
  const operations = {
    touch: operation({
      id: 'things.touch',
      service: 'core',
      method: 'POST',
      path: '/things/{id}/touch',
      status: 200,
      summary: 'Touch',
      permission: 'components:write',
      reply: Success,
    }),
  }
  const seen: unknown[] = []
  const app = serve({
    service: 'core',
    database: await database('core'),
    verifier: testKeys().verifier('core'),
    routes: createRoutes(operations, {
      touch: async (call) => {
        seen.push(call.organizationId)
        return successReply
      },
    }),
  })
  t.teardown(() => app.close())
  const params = { id: 'a b' }
  const caller = testCaller()
  t.match(await inject(app, operations.touch, { caller, params }), {
    status: 200,
    body: successReply,
  })
  t.same(seen, [caller.organizationId])
  const viewer = testCaller({ role: 'VIEWER' })
  t.equal((await inject(app, operations.touch, { caller: viewer, params })).status, 403)
  const reader = testCaller({ permissions: ['components:read'] })
  t.equal((await inject(app, operations.touch, { caller: reader, params })).status, 403)
  t.equal((await inject(app, operations.touch, { params })).status, 401)
  t.equal((await inject(app, operations.touch, { caller: null, params })).status, 401)
})

t.test('eventually waits for a condition, and fails with its last error', async (t) => {
  let turns = 0
  t.equal(await eventually(() => (++turns > 2 ? turns : null)), 3)
  const never = eventually(() => Promise.reject(new Error('still closed')), { timeoutMs: 1 })
  await t.rejects(never, { cause: { message: 'still closed' } })
})
