import t from 'tap'
import { outboundFor, web } from './loopback.fixture.ts'
import { createSmsClient, SmsUnreachable } from './sms.ts'

const account = { accountSid: `AC${'0a'.repeat(16)}`, authToken: 'token' }
const message = { to: '+4930123456', from: '+15005550006', body: 'API errors & more' }

t.test("a message is sent by Twilio's protocol over the outbound client", async (t) => {
  const asked: { line: string; login: string | undefined; form: Record<string, string> }[] = []
  const { url } = await web(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    asked.push({
      line: `${request.method} ${request.url}`,
      login: request.headers.authorization,
      form: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
    })
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ sid: 'SM1', status: 'queued' }))
  })
  const client = await createSmsClient(outboundFor(t), account, url)
  const sent = await client.messages.create({ ...message, validityPeriod: 14_400 })
  t.equal(sent.sid, 'SM1')
  t.same(asked, [
    {
      line: `POST /2010-04-01/Accounts/${account.accountSid}/Messages.json`,
      login: `Basic ${Buffer.from(`${account.accountSid}:token`).toString('base64')}`,
      form: { To: message.to, From: message.from, Body: message.body, ValidityPeriod: '14400' },
    },
  ])
})

t.test("the provider's error code reaches the caller, a redirect is not followed", async (t) => {
  const canary = await web(t, (_request, response) => response.end())
  const { url } = await web(t, (request, response) => {
    if (request.method === 'GET') return response.writeHead(307, { location: canary.url }).end()
    response.writeHead(400, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ code: 21610, message: 'unsubscribed', status: 400 }))
  })
  const client = await createSmsClient(outboundFor(t), account, url)
  await t.rejects(client.messages.create(message), { code: 21610, status: 400 })
  await t.rejects(client.messages.list({ to: message.to, limit: 1 }))
  t.equal(canary.seen.connections, 0)
})

t.test('a missing response and a blocked address are distinct errors', async (t) => {
  const { url } = await web(t, (request) => request.socket.destroy())
  const lost = await createSmsClient(outboundFor(t), account, url)
  await t.rejects(lost.messages.create(message), new SmsUnreachable('protocol_error'))
  const inner = await createSmsClient(outboundFor(t, { allowCidrs: [] }), account, url)
  await t.rejects(inner.messages.create(message), new SmsUnreachable('blocked'))
})

t.test('an account id of another form is rejected', async (t) => {
  for (const accountSid of [
    '',
    'AC1',
    `SK${'0a'.repeat(16)}`,
    `AC${'0A'.repeat(16)}`,
    `${account.accountSid}/../x`,
  ]) {
    await t.rejects(createSmsClient(outboundFor(t), { ...account, accountSid }), /wrong form/)
  }
})
