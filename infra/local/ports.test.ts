/**
 * Ports for child processes: each is allocated once, even when several processes allocate at the same
 * time.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import t, { type Test } from 'tap'
import { bindErrorCode, freePort } from './ports.ts'

/** Large enough that random allocation would have repeated a port. */
const PORTS = 400

const allocatingProgram = `
import { freePort } from ${JSON.stringify(import.meta.resolve('./ports.ts'))}
const ports = await Promise.all(Array.from({ length: ${PORTS} }, freePort))
console.log(JSON.stringify(ports))
process.stdin.resume()
`

const anotherProcess = (t: Test): ChildProcess => {
  const parameters = ['--no-warnings', '--input-type=module', '--eval', allocatingProgram]
  const child = spawn(process.execPath, parameters, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

const portsOf = async (child: ChildProcess): Promise<number[]> => {
  let text = ''
  while (!text.endsWith('\n')) text += String((await once(child.stdout ?? child, 'data'))[0])
  return JSON.parse(text)
}

t.test('no port is allocated twice, neither by one process nor by several', async (t) => {
  const others = [anotherProcess(t), anotherProcess(t)].map(portsOf)
  const own = await Promise.all(Array.from({ length: PORTS }, freePort))
  const allocated = [...own, ...(await Promise.all(others)).flat()]
  t.equal(allocated.length, 3 * PORTS)
  t.equal(new Set(allocated).size, allocated.length)
})

t.test('a port in use by another process is skipped', async (t) => {
  const next = (await freePort()) + 1
  const taken = createServer().listen(next, '127.0.0.1')
  t.teardown(() => taken.close())
  await once(taken, 'listening')
  t.equal(await bindErrorCode('127.0.0.1', next), 'EADDRINUSE')
  t.not(await freePort(), next)
})
