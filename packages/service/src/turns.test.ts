/** The computations of a request take the turns of its organization. */
import { Type } from '@sinclair/typebox'
import { type Cooperative, operation } from '@status-page/contracts'
import t from 'tap'
import { anonymousCaller, createRoutes } from './call.ts'
import { createHttp } from './http.ts'
import { createLogger } from './logger.ts'
import { createResponder, directOrigin } from './respond.ts'
import { runCooperatively } from './run-cooperatively.ts'

const compute = operation({
  id: 'things.compute',
  service: 'core',
  method: 'GET',
  path: '/compute',
  status: 200,
  summary: 'Compute',
  permission: 'public',
  reply: Type.Object({}),
})

function* work(): Cooperative<void> {
  for (let step = 0; step < 5; step++) {
    const until = performance.now() + 12
    while (performance.now() < until);
    yield
  }
}

t.test('ten requests of one organization delay that of another by their first turns', async (t) => {
  const http = createHttp({ logger: createLogger({ service: 'core', level: 'fatal' }), known: [] })
  t.teardown(() => http.close())
  const [computed] = createRoutes(
    { compute },
    {
      compute: async () => {
        await runCooperatively(work())
        return {}
      },
    },
  )
  if (computed === undefined) throw new Error('No route')
  const respond = createResponder(computed, {
    database: undefined as never,
    originOf: directOrigin,
  })
  http.get('/compute', { config: { operation: compute } }, (request, reply) => {
    const organizationId = String(request.headers['x-organization'])
    request.caller = { ...anonymousCaller, organizationId }
    return respond(request, reply)
  })
  const finished: string[] = []
  const ask = async (organization: string) => {
    const headers = { 'x-organization': organization }
    t.equal((await http.inject({ url: '/compute', headers })).statusCode, 200)
    finished.push(organization)
  }
  await Promise.all([...Array.from({ length: 10 }, () => ask('large')), ask('small')])
  t.equal(finished[0], 'small', finished.join())
})
