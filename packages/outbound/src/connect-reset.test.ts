/**
 * A server that resets the connection during the handshake is a transient failure, not a blocked
 * address.
 */
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { selfSignedCertificate } from '@status-page/testing'
import t from 'tap'
import { get, outboundFor } from './loopback.fixture.ts'

const ASKED = 1
const RESET = 2

/**
 * Sends the server's part of the handshake and resets the connection before the client has read it.
 */
const server = `
const { parentPort, workerData } = require('node:worker_threads')
const { Duplex } = require('node:stream')
const net = require('node:net')
const tls = require('node:tls')
const stage = new Int32Array(workerData.shared)
const say = (value) => {
  Atomics.store(stage, 0, value)
  Atomics.notify(stage, 0)
}
const { key, cert } = workerData
net.createServer((raw) => {
  const near = new Duplex({ read() {}, write: (bytes, _coding, done) => raw.write(bytes, done) })
  raw.on('error', () => {}).on('close', () => setTimeout(say, 20, ${RESET}))
  raw.once('data', (hello) => {
    say(${ASKED})
    new tls.TLSSocket(near, { isServer: true, key, cert }).on('error', () => {})
    near.push(hello)
    setTimeout(() => raw.resetAndDestroy(), 50)
  })
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port) })`

t.test('a connection that is reset during the connect is not reported as blocked', async (t) => {
  const pair = selfSignedCertificate(['127.0.0.1'])
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const stage = new Int32Array(shared)
  const worker = new Worker(server, { eval: true, workerData: { shared, ...pair } })
  t.teardown(() => worker.terminate())
  const [port] = await once(worker, 'message')
  const outbound = outboundFor(t, {}, { extraAuthorities: [pair.cert] })
  const requested = outbound.request(get(`https://127.0.0.1:${port}/`))
  while (Atomics.load(stage, 0) === 0) await nextTurn()
  // Blocks this thread, so that nothing is read before the reset.
  Atomics.wait(stage, 0, ASKED, 5_000)
  t.equal(Atomics.load(stage, 0), RESET)
  const answer = await requested
  t.equal(answer.ok, false)
  t.notMatch(answer, { error: 'blocked' })
})
